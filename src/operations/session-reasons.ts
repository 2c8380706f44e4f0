import { sessionsBetween } from "#analytics/sessions.ts";
import { COUNTRIES } from "#domain/country.ts";
import { isShare } from "#domain/instrument.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { type ErrorDetails } from "#domain/errors.ts";
import { REASONS } from "#domain/reasons.ts";
import { FIRST_DATE } from "./reading/price-range.ts";
import type { Why } from "./reasons.ts";

const LAST_DATE = "9999-12-31";

/** The dates of a period without a stored price, both inclusive; all earlier or later ones without one. */
interface Period {
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  /** The UTC date. */
  readonly today: string;
}

/** Why no price of an instrument is stored in a period, by its prices, the calendar and the index. */
export function whyNoPrice(
  market: MarketStore,
  instrument: StoredInstrument,
  { from = FIRST_DATE, to = LAST_DATE, today }: Period,
): Why {
  const { id, country, symbol, assetType, delistedAt } = instrument;
  const oldest = market.bars.findOnOrAfter(id)?.date;
  const newest = market.bars.listNewest(id, 1)[0]?.date;
  if (oldest === undefined || newest === undefined) return { kind: "bars", country, symbol };
  if (to < oldest) return "not_listed_then";
  if (from > newest && delistedAt !== undefined) return "delisted";
  if (from > today) return "beyond_horizon";
  if (!isShare(assetType) && assetType !== "index") return "not_known";
  const overrides = market.documents.list("holidayOverrides", country);
  const last = to < today ? to : today;
  const first = from > oldest ? from : oldest;
  if (sessionsBetween(country, first, last, overrides).length === 0) return "no_session";
  if (from > newest) return "beyond_horizon";
  const index = market.instruments.find({ country, symbol: COUNTRIES[country].indexSymbol });
  if (!index || index.id === id) return "not_known";
  // The rules do not know every closure, such as days of mourning.
  const traded = market.bars.findAtOrBefore(index.id, to);
  if (traded && traded.date >= from) return "suspended";
  return traded && market.bars.findOnOrAfter(index.id, to) ? "no_session" : "not_known";
}

/** The reason of a refusal in its details; none if it is not known. */
export function reasonOf(why: Why): ErrorDetails {
  return typeof why !== "string" || why === "not_known" ? {} : { reason: why, hint: REASONS[why] };
}
