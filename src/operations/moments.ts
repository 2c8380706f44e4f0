import { DAY_MS } from "#lib/date.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import type { MarketStore } from "#store/index.ts";
import type { OperationContext } from "./operation.ts";
import type { DecodedArguments } from "./reading/decode.ts";

/** What handlers read: the market, the roll-ups and the time of now, or of the end of a past day. */
export interface Moment {
  readonly market: MarketStore;
  readonly rollups: CompanyRollups;
  /** UTC milliseconds. */
  readonly clock: () => number;
  /** The past day, `YYYY-MM-DD`; null for now. */
  readonly day: string | null;
}

/** Days whose roll-ups stay in memory. Ten thousand companies take some 40 MB. */
const MAX_DAYS = 3;

/** What a handler gets at a moment. */
export const contextOf = ({ market, rollups, clock }: Moment): OperationContext => ({
  market,
  rollups,
  now: clock(),
});

/** The moments for which a market answers. */
export class Moments {
  readonly #now: Moment;
  /** In the order of their last use. */
  readonly #days = new Map<string, Moment>();
  /** Days that later ones displaced while calls still read them, so that calls for one day compute it once. */
  readonly #displaced = new Map<string, WeakRef<Moment>>();

  /** `clock`: UTC milliseconds. */
  constructor(market: MarketStore, rollups: CompanyRollups, clock: () => number) {
    this.#now = { market, rollups, clock, day: null };
  }

  /** The moment of a call: the end of the day `known_on`, or now. */
  of({ known_on: day }: DecodedArguments): Moment {
    if (typeof day !== "string") return this.#now;
    const moment = this.#days.get(day) ?? this.#displaced.get(day)?.deref() ?? this.#create(day);
    this.#displaced.delete(day);
    this.#days.delete(day);
    this.#days.set(day, moment);
    for (const [oldest, one] of this.#days) {
      if (this.#days.size <= MAX_DAYS) break;
      this.#days.delete(oldest);
      this.#displaced.set(oldest, new WeakRef(one));
    }
    return moment;
  }

  /** Prepares past days: see `MarketStore.preparePastDays`. */
  preparePastDays(): Promise<void> | undefined {
    return this.#now.market.preparePastDays();
  }

  #create(day: string): Moment {
    for (const [unread, one] of this.#displaced)
      if (one.deref() === undefined) this.#displaced.delete(unread);
    const market = this.#now.market.asKnownOn(day);
    const endsAt = Date.parse(day) + DAY_MS - 1;
    const clock = () => Math.min(this.#now.clock(), endsAt);
    return { market, rollups: this.#now.rollups.onDay(market, clock), clock, day };
  }
}
