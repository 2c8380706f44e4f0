import { BourseError } from "#domain/errors.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import type { MarketStore } from "#store/index.ts";
import { findNear } from "./near-symbols.ts";
import { formatKey } from "./symbols.ts";

/** Unknown items that an error names. */
const MAX_NAMED = 20;
/** Those of which it names the closest symbol, because each search takes milliseconds. */
const MAX_CLOSEST = 5;

/**
 * Checks the items of a list before it is stored. Delisted instruments are known.
 *
 * @throws BourseError `not_found` that names the unknown ones, each with the closest symbol
 */
export function refuseUnknownItems(market: MarketStore, items: readonly InstrumentKey[]): void {
  const unknown = items.filter((item) => market.instruments.find(item) === null);
  if (unknown.length === 0) return;
  const named = unknown.slice(0, MAX_NAMED).map((item, i) => {
    const near = i < MAX_CLOSEST ? findNear(market, item.symbol, [item.country]) : null;
    return formatKey(item) + (near ? ` (is it ${formatKey(near)}?)` : "");
  });
  const more = unknown.length - named.length;
  throw new BourseError(
    "not_found",
    `Nothing was saved, because ${unknown.length} of ${items.length} items are unknown: ${named.join(", ")}${more > 0 ? ` and ${more} more` : ""}. Correct them or leave them out.`,
    { param: "items" },
  );
}
