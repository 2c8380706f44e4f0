import type { Database } from "bun:sqlite";
import type { InstrumentKey } from "#domain/instrument.ts";
import { changesShares, type Split, type SplitHistory, splitRatio } from "#domain/split.ts";
import { dateOf } from "#lib/date.ts";
import type { KnownDay } from "./known-day.ts";

/** After every date: all splits are in force. */
const END = "9999-12-31";

/** The number of new shares for one share of the end of a day. */
export interface SplitRatios {
  /** Divides prices, also before a spin-off. */
  readonly prices: (sharesAsOf: string) => number;
  /** For numbers of shares and earnings per share: without spin-offs. */
  readonly shares: (sharesAsOf: string) => number;
}

const NO_SPLITS: SplitRatios = { prices: () => 1, shares: () => 1 };

/**
 * The splits that are in force. The stores apply them to what they read, so that every reader sees
 * figures in today's shares.
 */
export class StoredSplits {
  readonly #find;
  /** Finds the splits of an instrument only if one came after its bars, because it is called for each close. */
  readonly #ofBars;
  readonly #clock: (() => number) | null;
  readonly #known: KnownDay | null;
  /** What was read within `readOnce`; null outside. */
  #held: {
    readonly splits: Map<string, readonly Split[]>;
    readonly ofBars: Map<number, number>;
  } | null = null;

  /**
   * `clock`: UTC milliseconds; null if all stored splits are in force. `known`: the day in whose shares everything is,
   * also what was stored in shares of a later day; null for today.
   */
  constructor(reader: Database, clock: (() => number) | null, known: KnownDay | null = null) {
    this.#clock = clock;
    this.#known = known;
    this.#find = reader.query<{ body: string }, { country: string; symbol: string }>(
      "SELECT body FROM documents WHERE kind = 'splits' AND country = $country AND key = $symbol",
    );
    this.#ofBars = reader.query<
      { body: string; sharesAsOf: string },
      { id: number; through: string }
    >(
      `SELECT documents.body, bar_histories.shares_as_of AS sharesAsOf FROM bar_histories
       JOIN instruments ON instruments.id = instrument_id
       JOIN documents ON kind = 'splits' AND documents.country = instruments.country AND key = symbol
       WHERE instrument_id = $id
         AND body ->> '$.splits[#-1].exDate' > min(bar_histories.shares_as_of, $through)`,
    );
  }

  /** Runs `work`, within which the market does not change, and reads the splits of each instrument once. */
  readOnce<T>(work: () => T): T {
    this.#held = { splits: new Map(), ofBars: new Map() };
    try {
      return work();
    } finally {
      this.#held = null;
    }
  }

  /** The last day whose splits are in force, `YYYY-MM-DD`. */
  get #today(): string {
    return this.#known?.day ?? (this.#clock ? dateOf(this.#clock()) : END);
  }

  /** The ratios up to the end of `through`, by default today. They are 1 without splits and if the splits are unknown. */
  ratiosOf(
    { country, symbol }: Pick<InstrumentKey, "symbol"> & { readonly country: string },
    through = this.#today,
  ): SplitRatios {
    const splits = this.#splitsOf(country, symbol);
    if (splits.length === 0) return NO_SPLITS;
    return {
      prices: (sharesAsOf) => this.#ratio(splits, sharesAsOf, through),
      shares: (sharesAsOf) =>
        this.#ratio(
          splits.filter((split) => changesShares(split, country)),
          sharesAsOf,
          through,
        ),
    };
  }

  /** The stored splits of an instrument; empty if they are unknown. */
  #splitsOf(country: string, symbol: string): readonly Split[] {
    const key = `${country} ${symbol}`;
    const held = this.#held?.splits.get(key);
    if (held) return held;
    const row = this.#find.get({ country, symbol });
    const splits = row ? (JSON.parse(row.body) as SplitHistory).splits : [];
    this.#held?.splits.set(key, splits);
    return splits;
  }

  /** Undoes the splits after a known day. Without one, nothing is stored in shares of a later day. */
  #ratio(splits: readonly Split[], sharesAsOf: string, through: string): number {
    return this.#known === null || sharesAsOf <= through
      ? splitRatio(splits, sharesAsOf, through)
      : 1 / splitRatio(splits, through, sharesAsOf);
  }

  /** The number of today's shares for one share of an instrument's stored bars. */
  ratioOfBars(instrumentId: number): number {
    const held = this.#held?.ofBars.get(instrumentId);
    if (held !== undefined) return held;
    const row = this.#ofBars.get({ id: instrumentId, through: this.#known?.day ?? END });
    const { splits } = row ? (JSON.parse(row.body) as SplitHistory) : { splits: [] };
    const ratio = row ? this.#ratio(splits, row.sharesAsOf, this.#today) : 1;
    this.#held?.ofBars.set(instrumentId, ratio);
    return ratio;
  }
}
