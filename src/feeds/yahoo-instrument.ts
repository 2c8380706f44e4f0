import { COUNTRIES, type Country, sessionOpensAt } from "#domain/country.ts";
import { exchangeCode } from "#domain/exchanges.ts";
import type { AssetType } from "#domain/instrument.ts";
import { timeIn } from "#lib/zone.ts";
import { sessionOf } from "#operations/session-of.ts";
import type { FeedRequest } from "./layer.ts";
import { isOnExchange } from "./market-hours.ts";
import { type ListedSymbol, writeSymbol } from "./notation.ts";
import { type FeedInstrument, findType, getShare } from "./request.ts";

/** Yahoo's names of our asset types, and as people read them. */
const TYPES = {
  commodity: ["FUTURE", "Futures"],
  cryptocurrency: ["CRYPTOCURRENCY", "Cryptocurrency"],
  currency: ["CURRENCY", "Currency"],
  etf: ["ETF", "ETF"],
  index: ["INDEX", "Index"],
  reit: ["EQUITY", "Equity"],
  stock: ["EQUITY", "Equity"],
} as const satisfies Readonly<Record<AssetType, readonly [string, string]>>;

/** The decimals of a price, as Yahoo suggests them to its readers. */
export const PRICE_HINT = 2;

/** The country whose exchange trades an instrument; null without an exchange, where sessions are days in UTC. */
export type Zone = Country | null;

/** The newest session of an instrument, in seconds since 1970. */
interface YahooSession {
  readonly start: number;
  readonly end: number;
  /** When the newest price was made: the end of the session, or now while it is open. */
  readonly pricedAt: number;
  readonly gmtoffset: number;
  /** `Asia/Tokyo`, and its short name. */
  readonly timeZone: string;
  readonly zoneName: string;
}

/** An instrument as Yahoo describes it. */
export interface YahooInstrument extends ReturnType<typeof describe> {
  readonly instrument: FeedInstrument;
  readonly type: AssetType;
  readonly zone: Zone;
  /** The ISO code of the prices; an index has the one of its country. */
  readonly currency: string;
  readonly session: YahooSession;
}

/** The instrument of a symbol in any notation. @throws BourseError `not_found` */
export async function getListed(
  { call, now }: Pick<FeedRequest, "call" | "now">,
  written: string,
): Promise<YahooInstrument> {
  const instrument = await getShare(call, written);
  const { country, currency, session } = instrument;
  const type = await findType(call, instrument);
  const zone = isOnExchange(type) ? country : null;
  return {
    instrument,
    type,
    zone,
    currency: currency ?? COUNTRIES[country].currency,
    session: describeSession(zone, session ?? "1970-01-01", now),
    ...describe({ ...instrument, type }),
  };
}

/** The names of an instrument in Yahoo's notation. */
export function describe({ country, symbol, type }: ListedSymbol) {
  const [quoteType, typeDisp] = TYPES[type];
  return {
    symbol: writeSymbol("yahoo", { country, symbol, type }),
    exchange: (type === "currency" ? "CCY" : exchangeCode("yahooName", country)) ?? country,
    quoteType,
    typeDisp,
  };
}

/** Seconds since 1970 at which a session opens. */
export function secondsOf(zone: Zone, date: string): number {
  return (zone === null ? Date.parse(date) : sessionOpensAt(zone, date)) / 1000;
}

function describeSession(zone: Zone, date: string, now: number): YahooSession {
  const timeZone = zone === null ? "UTC" : COUNTRIES[zone].timeZone;
  const start = secondsOf(zone, date);
  const end = zone === null ? start + 86_400 : sessionOf(zone, date).closesAt / 1000;
  const names = new Intl.DateTimeFormat("en-US", { timeZone, timeZoneName: "short" });
  const name = names.formatToParts(start * 1000).find(({ type }) => type === "timeZoneName");
  return {
    start,
    end,
    pricedAt: Math.min(end, Math.floor(now / 1000)),
    gmtoffset: Date.parse(`${date}T${timeIn(timeZone, start * 1000)}Z`) / 1000 - start,
    timeZone,
    zoneName: name?.value ?? timeZone,
  };
}
