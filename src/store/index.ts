export { type AccessStore, openAccess } from "./access.ts";
export { type MarketStore, openMarket, removeMarket } from "./market.ts";
