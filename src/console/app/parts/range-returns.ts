import type { PayloadOf } from "#operations/index.ts";
import { numberIn, rowsOf, textIn } from "./rows.ts";
import type { Subject } from "./subject.ts";

/** The closes between which the return of a range is measured, as `get_price_statistics` has them. */
export interface RangeReturn {
  /** The session of the close before the range; of the first close if the prices begin later. */
  readonly from: string;
  readonly fromClose: number;
  readonly to: string;
  readonly toClose: number;
  /** In percent; null if the prices begin later. */
  readonly percent: number | null;
}

/** The returns of instruments in an answer, in their order; null without prices. */
export function readReturns(
  statistics: PayloadOf<"get_price_statistics">,
  instruments: readonly Subject[],
): (RangeReturn | null)[] {
  const rows = rowsOf(statistics);
  const byKey = new Map(
    rows.map((row) => [`${textIn(row, "country")}:${textIn(row, "symbol")}`, row]),
  );
  return instruments.map(({ country, symbol }) => {
    // The row of the only instrument is its own, also if the address writes its symbol in another way.
    const row = instruments.length === 1 ? rows[0] : byKey.get(`${country}:${symbol}`);
    if (!row) return null;
    const [fromClose, toClose] = [numberIn(row, "from_close"), numberIn(row, "to_close")];
    if (fromClose === null || toClose === null) return null;
    return {
      from: textIn(row, "from_session"),
      fromClose,
      to: textIn(row, "to_session"),
      toClose,
      percent: numberIn(row, "return"),
    };
  });
}
