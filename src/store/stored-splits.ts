import type { Database } from "bun:sqlite";
import type { InstrumentKey } from "#domain/instrument.ts";
import { changesShares, type SplitHistory, splitRatio } from "#domain/split.ts";
import { dateOf } from "#lib/date.ts";

/** After every date: all splits are in force. */
const END = "9999-12-31";

/**
 * The splits that are in force. The stores apply them to what they read, so that every reader sees
 * figures in today's shares.
 */
export class StoredSplits {
  readonly #find;
  /** Finds the splits of an instrument only if one came after its bars, because it is called for each close. */
  readonly #ofBars;
  readonly #clock: (() => number) | null;

  /** `clock`: UTC milliseconds; null if all stored splits are in force. */
  constructor(reader: Database, clock: (() => number) | null) {
    this.#clock = clock;
    this.#find = reader.query<{ body: string }, { country: string; symbol: string }>(
      "SELECT body FROM documents WHERE kind = 'splits' AND country = $country AND key = $symbol",
    );
    this.#ofBars = reader.query<{ body: string; sharesAsOf: string }, { id: number }>(
      `SELECT documents.body, bar_histories.shares_as_of AS sharesAsOf FROM bar_histories
       JOIN instruments ON instruments.id = instrument_id
       JOIN documents ON kind = 'splits' AND documents.country = instruments.country AND key = symbol
       WHERE instrument_id = $id AND body ->> '$.splits[#-1].exDate' > bar_histories.shares_as_of`,
    );
  }

  /** The last day whose splits are in force, `YYYY-MM-DD`. */
  get #today(): string {
    return this.#clock ? dateOf(this.#clock()) : END;
  }

  /**
   * Returns a function of a day: the number of shares of the end of `through`, by default today's, for
   * one share of the end of that day. It is 1 without splits and if the splits are unknown. It is for
   * prices: a spin-off divides them too.
   */
  ratiosOf(
    { country, symbol }: Pick<InstrumentKey, "symbol"> & { readonly country: string },
    through = this.#today,
  ): (sharesAsOf: string) => number {
    const splits = this.#splitsOf({ country, symbol });
    return (sharesAsOf) => splitRatio(splits, sharesAsOf, through);
  }

  /** Like `ratiosOf`, for numbers of shares and earnings per share: without spin-offs. */
  shareRatiosOf(
    key: Pick<InstrumentKey, "symbol"> & { readonly country: string },
  ): (sharesAsOf: string) => number {
    const splits = this.#splitsOf(key).filter((split) => changesShares(split, key.country));
    return (sharesAsOf) => splitRatio(splits, sharesAsOf, this.#today);
  }

  #splitsOf({ country, symbol }: { country: string; symbol: string }): SplitHistory["splits"] {
    const row = this.#find.get({ country, symbol });
    return row ? (JSON.parse(row.body) as SplitHistory).splits : [];
  }

  /** The number of today's shares for one share of an instrument's stored bars. */
  ratioOfBars(instrumentId: number): number {
    const row = this.#ofBars.get({ id: instrumentId });
    if (!row) return 1;
    const { splits } = JSON.parse(row.body) as SplitHistory;
    return splitRatio(splits, row.sharesAsOf, this.#today);
  }
}
