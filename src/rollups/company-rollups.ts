import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { type BourseError, unavailable } from "#domain/errors.ts";
import { dateOf, daysBetween } from "#lib/date.ts";
import { type Patience, WAIT_MS, withDeadline } from "#lib/deadline.ts";
import { lazy } from "#lib/lazy.ts";
import { inOneTurn, inTurns, nextTurn } from "#lib/next-turn.ts";
import type { FiguresPart } from "#store/company-figures.ts";
import type { MarketStore } from "#store/index.ts";
import { type CompanyMetrics, findCompanyMetrics, listIndexCloses } from "./companies.ts";
import { type CountryRollup, createCountryRollup } from "./country-rollup.ts";
import { RollupInputs } from "./rollup-inputs.ts";
import {
  type CompaniesToCompute,
  findSavedState,
  readCompanies,
  readComputed,
  saveCompanies,
  type SavedState,
} from "./saved-companies.ts";

/** How readers are served during a computation. */
export interface CompanyRollupsOptions {
  /**
   * True: readers get the previous figures until the new ones are complete; the service must then call
   * `update` regularly. False: readers wait for the new figures.
   */
  readonly servesPrevious: boolean;
  /**
   * Returns the identity of the program. Figures that the same one saved today are read instead of computed. Others are
   * previous figures. `save` saves them. If absent, all are computed.
   */
  readonly findBuild?: () => string;
  /** Saves figures, as `CompanyFigureStore` does; in this thread if absent. */
  readonly saveFigures?:
    ((state: string, parts: readonly FiguresPart[]) => Promise<void>) | undefined;
  /** Computes companies in another thread: see `computeForThread`. In this thread if absent. */
  readonly compute?: ((companies: CompaniesToCompute) => Promise<string>) | undefined;
  /** How long a reader waits before it is told to come back, in milliseconds; 2,500 if absent. */
  readonly patienceMs?: number;
}

interface CountryState {
  readonly country: Country;
  /** Symbols of instruments whose figures must be computed again, each with the number of its last mark. */
  readonly due: Map<string, number>;
  readonly bySymbol: Map<string, CompanyMetrics>;
  /** The symbols that were computed or removed after the list of the last publication was made. */
  computed: Set<string>;
  /** The same of the newest publication until that is complete. */
  inPublication: Set<string>;
  published: CountryRollup | null;
  /** True if a company was computed or removed after the list of the last publication was made. */
  isChanged: boolean;
  /** The list of the newest publication until that is complete; null without one. */
  publishing: readonly CompanyMetrics[] | null;
  /** The running computation. */
  updating: Promise<void> | null;
  /** True while it goes on after a reader has waited for it in vain. */
  isInVain: boolean;
}

/** The number of companies that are computed without a pause. Two take about half a millisecond. */
const COMPANIES_PER_SLICE = 2;
/** The same of a past day, because a reader waits for all of them. Eight take about a millisecond. */
const PAST_COMPANIES_PER_SLICE = 8;
/** A request computes up to this number of changed companies, to see small changes at once. */
const COMPANIES_PER_REQUEST = 20;
/** A request does so only in a country of at most this number, because all of them are published again. */
const PUBLISHED_BY_REQUEST = 1_000;
/** The number of companies that another thread computes at a time. Reading them takes about a millisecond. */
const COMPANIES_PER_CALL = 25;
/** The number of changes that are read without a pause. */
const CHANGES_PER_SLICE = 1_000;
/** A reader waits for this time for the newest changes, and then gets the figures before them. */
const PATIENCE_WITH_PREVIOUS_MS = 500;
/** When a reader who waited should try again. All companies of three countries take seconds. */
const RETRY_SECONDS = 5;
/** Figures are saved at most once in this time, unless the service stops. */
const SAVE_EVERY_MS = 10 * 60_000;
/** Fewer companies are computed again as quickly as saved. */
const WORTH_SAVING = 500;

/**
 * The figures of all companies of one market, by country. A company is computed again after a record of
 * it was stored or removed, by this or another process, after other bars of its index or of the rates that it needs,
 * and when a UTC day begins. Large computations
 * run in slices between other work of the event loop. The result is published when it is complete.
 */
export class CompanyRollups {
  readonly #market: MarketStore;
  readonly #clock: () => number;
  readonly #options: CompanyRollupsOptions;
  readonly #countries: Record<Country, CountryState> = {
    US: createCountryState("US"),
    JP: createCountryState("JP"),
    VN: createCountryState("VN"),
  };
  /** The time (UTC milliseconds) and the UTC date for which companies are computed. */
  #now = 0;
  #date = "";
  readonly #inputs: RollupInputs;
  /** The number of the last change that was read from the store. */
  #lastChange = 0;
  /** Changes when all companies may be other ones: a day begins, or an index or a currency pair has other bars. */
  #inputsVersion = 0;
  /** The number of the last mark of a due company. */
  #lastMark = 0;
  /** The keys of companies whose figures `get` has anew since the last `takeChanged`. */
  #changed = new Set<string>();
  #isStopped = false;
  /** True if the saved figures were read, or there are none. */
  #isLoaded: boolean;
  #loading: Promise<void> | null = null;
  /** The companies that were computed since the last save. */
  #unsaved = 0;
  #savedAt = Number.NEGATIVE_INFINITY;

  /** Creates the roll-ups of a market on the given clock (UTC milliseconds) and computes nothing yet. */
  constructor(
    market: MarketStore,
    clock: () => number,
    options: CompanyRollupsOptions = { servesPrevious: false },
  ) {
    this.#market = market;
    this.#inputs = new RollupInputs(market);
    this.#clock = clock;
    this.#options = options;
    this.#isLoaded = options.findBuild === undefined;
  }

  /** The figures of the same companies as known on a past day; `clock` is of that day. Readers wait for the first ones. */
  onDay(market: MarketStore, clock: () => number): CompanyRollups {
    const { servesPrevious, compute } = this.#options;
    return new CompanyRollups(market, clock, { servesPrevious, compute });
  }

  /**
   * Makes `get` ready for these countries, while the call has patience. Returns undefined if it is ready at once.
   *
   * @throws BourseError `unavailable` if a service has no figures yet
   */
  prepare(countries: readonly Country[], patience?: Patience): Promise<void> | undefined {
    if (!this.#isLoaded) return this.#wait(countries, patience);
    const readAll = this.#readChanges();
    const unready = countries.filter((country) => !this.#isReady(country, readAll));
    return unready.length === 0 ? undefined : this.#wait(unready, patience);
  }

  /** True if every country has figures. Until then, readers may be told to come back. */
  get areComplete(): boolean {
    return Object.values(this.#countries).every(({ published }) => published !== null);
  }

  /**
   * The newest complete figures of a country.
   *
   * @throws BourseError `unavailable` if no figures are complete, because `stop` was called
   */
  get(country: Country): CountryRollup {
    const { published } = this.#countries[country];
    if (published) return published;
    throw unavailable("The service is stopping. Retry shortly.", {
      retryAfterSeconds: 5,
    });
  }

  /** The keys (`US:AAPL`) of companies that were computed or removed since the last call; `get` has their figures. */
  takeChanged(): ReadonlySet<string> {
    const changed = this.#changed;
    this.#changed = new Set();
    return changed;
  }

  /** The symbols of a country whose newest quotes show a split that is not known yet. */
  listUnknownSplits(country: Country): string[] {
    const { published } = this.#countries[country];
    return (published?.list ?? [])
      .filter((company) => company.showsUnknownSplit)
      .map(({ instrument }) => instrument.symbol);
  }

  /** Computes all due companies of these countries in slices. */
  async update(countries: readonly Country[] = COUNTRY_CODES): Promise<void> {
    if (!this.#isLoaded) await (this.#loading ??= this.#load());
    while (!this.#isStopped && !this.#readChanges()) await nextTurn();
    for (const country of countries) {
      const state = this.#countries[country];
      state.updating ??= this.#computeInSlices(state).finally(() => {
        state.updating = null;
        state.isInVain = false;
      });
      await state.updating;
    }
  }

  /** Ends computations after their current slice and resolves when they have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    await Promise.allSettled(
      Object.values(this.#countries).flatMap(({ updating }) => updating ?? []),
    );
  }

  /**
   * Saves the figures for the next process, if enough companies were computed since the last time. `all`:
   * before a stop. An error leaves the figures unsaved until more are computed.
   */
  async save({ all = false } = {}): Promise<void> {
    const { findBuild, saveFigures = (...saved) => this.#saveHere(...saved) } = this.#options;
    const now = this.#clock();
    const isSoon = Math.abs(now - this.#savedAt) < SAVE_EVERY_MS;
    if (!findBuild || this.#unsaved < WORTH_SAVING || (isSoon && !all)) return;
    const states = Object.values(this.#countries);
    const isComplete = ({ due, published }: CountryState) =>
      due.size === 0 && published?.asOf === this.#date;
    if (!states.every(isComplete)) return;
    this.#unsaved = 0;
    this.#savedAt = now;
    const listOf = (country: Country) => [...this.#countries[country].bySymbol.values()];
    await saveCompanies(
      saveFigures,
      {
        build: findBuild(),
        now: this.#now,
        change: this.#lastChange,
        inputs: this.#inputs.fingerprints,
      },
      { US: listOf("US"), JP: listOf("JP"), VN: listOf("VN") },
    );
  }

  async #saveHere(state: string, parts: readonly FiguresPart[]): Promise<void> {
    const { figures } = this.#market;
    await this.#market.queueTransaction(() => figures.replace(state, parts));
  }

  /**
   * Reads the figures that were saved today. Figures of an earlier day or of another program are
   * previous ones, as at midnight.
   */
  async #load(): Promise<void> {
    const { findBuild, servesPrevious } = this.#options;
    const findState = () => findSavedState(this.#market);
    const saved = findState();
    const build = findBuild?.();
    const ageDays = saved ? daysBetween(dateOf(saved.now), dateOf(this.#clock())) : -1;
    const isCurrent = saved?.build === build && ageDays === 0;
    if (saved && (isCurrent || (ageDays >= 0 && servesPrevious))) {
      const states = Object.values(this.#countries);
      const lists = [];
      for (const { country } of states)
        lists.push(await readCompanies(this.#market, country, saved.now));
      // Compressed parts have checksums. A damaged one is computed again, with all others, and so are parts
      // of two savings: another process may have saved meanwhile.
      const areOfOneSaving = Bun.deepEquals(findState(), saved);
      if (areOfOneSaving && lists.every((list) => list !== null))
        await this.#takeSaved(saved, lists);
      if (saved.build !== build) this.#markAll();
    }
    this.#isLoaded = true;
  }

  async #takeSaved(
    { now, change, inputs }: SavedState,
    lists: readonly CompanyMetrics[][],
  ): Promise<void> {
    this.#now = now;
    this.#date = dateOf(now);
    this.#lastChange = change;
    this.#inputs.fingerprints = { ...inputs };
    for (const [i, state] of Object.values(this.#countries).entries()) {
      for (const company of lists[i] ?? []) {
        state.bySymbol.set(company.instrument.symbol, company);
      }
      await inTurns(this.#publish(state));
    }
  }

  /** Waits for the figures of these countries; in a service for a short time only, and not again in vain. */
  async #wait(countries: readonly Country[], patience?: Patience): Promise<void> {
    const { servesPrevious, patienceMs = WAIT_MS } = this.#options;
    const updated = this.update(countries);
    const isFirst = () => !countries.every((country) => this.#hasPrevious(country));
    // Nothing computes a past day before a reader asks for it.
    if (!servesPrevious || (this.#isPast && isFirst())) return updated;
    const late = stillComputing();
    const waitFor = (work: Promise<void>, maxMs: number): Promise<void> => {
      const waited = withDeadline(work, Math.min(maxMs, patience?.leftMs ?? Infinity), () => late);
      return patience?.spend(waited) ?? waited;
    };
    if (!this.#isLoaded) {
      updated.catch(() => {});
      await waitFor((this.#loading ??= this.#load()), patienceMs);
    }
    const hasPrevious = !isFirst();
    const states = countries.map((country) => this.#countries[country]);
    const longestMs = Math.min(hasPrevious ? PATIENCE_WITH_PREVIOUS_MS : patienceMs, patienceMs);
    await waitFor(updated, states.some(({ isInVain }) => isInVain) ? 0 : longestMs).catch(
      (error) => {
        if (error !== late) throw error;
        for (const state of states)
          state.isInVain = state.due.size > 0 || !this.#isPublished(state);
        if (!hasPrevious) throw error;
      },
    );
  }

  get #sliceSize(): number {
    return this.#isPast ? PAST_COMPANIES_PER_SLICE : COMPANIES_PER_SLICE;
  }

  get #isPast(): boolean {
    return this.#market.knownOn !== null;
  }

  /** Before the first listing and the first quotes, there are no useful previous figures. */
  #hasPrevious(country: Country): boolean {
    return (this.#countries[country].published?.table.periodEnd.length ?? 0) > 0;
  }

  /** Marks changed instruments as due. Returns false if more changes are unread. */
  #readChanges(): boolean {
    const now = this.#clock();
    const date = dateOf(now);
    if (date !== this.#date) {
      this.#date = date;
      this.#now = now;
      this.#inputsVersion++;
      this.#markAll();
    }
    const changes = this.#market.instruments.listChanged(this.#lastChange, CHANGES_PER_SLICE);
    for (const { country, symbol, number } of changes) {
      this.#mark(this.#countries[country].due, symbol);
      this.#lastChange = number;
    }
    const dependsOnThem = this.#inputs.notice(changes);
    if (dependsOnThem) {
      this.#inputsVersion++;
      for (const { due, bySymbol } of Object.values(this.#countries))
        for (const [symbol, company] of bySymbol)
          if (dependsOnThem(company)) this.#mark(due, symbol);
    }
    return changes.length < CHANGES_PER_SLICE;
  }

  #markAll(): void {
    for (const { due, bySymbol } of Object.values(this.#countries))
      for (const symbol of bySymbol.keys()) this.#mark(due, symbol);
  }

  #mark(due: Map<string, number>, symbol: string): void {
    due.set(symbol, ++this.#lastMark);
  }

  #isReady(country: Country, readAll: boolean): boolean {
    const state = this.#countries[country];
    const { due, bySymbol } = state;
    if (readAll && due.size === 0 && this.#isPublished(state)) return true;
    if (readAll && due.size <= COMPANIES_PER_REQUEST) {
      if (bySymbol.size > PUBLISHED_BY_REQUEST) return false;
      this.#compute(state, COMPANIES_PER_REQUEST);
      inOneTurn(this.#publish(state));
      return true;
    }
    // Only readers begin to compute a past day again.
    return this.#options.servesPrevious && !this.#isPast && this.#hasPrevious(country);
  }

  async #computeInSlices(state: CountryState): Promise<void> {
    do {
      while (state.due.size > 0) {
        if (this.#isStopped) return;
        const isComputed = await this.#computeBeside(state, this.#computeInThread(state));
        if (!isComputed) this.#compute(state, this.#sliceSize);
        await nextTurn();
      }
      if (this.#isStopped) return;
      await inTurns(this.#publish(state));
      // A reader who noticed a change during the publication waits for it.
    } while (state.due.size > 0);
  }

  /** Computes other companies of a past day until the other thread has computed some, because a reader waits for all. */
  async #computeBeside(state: CountryState, inThread: Promise<boolean>): Promise<boolean> {
    if (!this.#isPast || !this.#options.compute) return inThread;
    let hasEnded = false;
    const end = () => void (hasEnded = true);
    void inThread.then(end, end);
    while (!hasEnded && !this.#isStopped && state.due.size > COMPANIES_PER_CALL) {
      this.#compute(state, this.#sliceSize, COMPANIES_PER_CALL);
      await nextTurn();
    }
    return inThread;
  }

  /** Computes some of the due companies in another thread. Returns false if this thread must do it. */
  async #computeInThread(state: CountryState): Promise<boolean> {
    const { compute } = this.#options;
    const { country, due } = state;
    if (!compute) return false;
    const marks = [...due.entries().take(COMPANIES_PER_CALL)];
    const symbols = marks.map(([symbol]) => symbol);
    const now = this.#now;
    const version = this.#inputsVersion;
    // The other thread may have ended. It starts again by itself.
    const computed = await compute({ country, symbols, now, day: this.#market.knownOn }).catch(
      () => null,
    );
    if (computed === null) return false;
    // They stay due.
    if (version !== this.#inputsVersion) return true;
    const companies = readComputed(this.#market, computed, now);
    for (const [i, [symbol, mark]] of marks.entries())
      // Otherwise its records changed, and it is computed again.
      if (due.get(symbol) === mark) this.#take(state, symbol, companies[i] ?? null);
    return true;
  }

  /** Computes at most `max` of the due companies, without the first `skipped` ones. */
  #compute(state: CountryState, max: number, skipped = 0): void {
    const { country, due } = state;
    const market = this.#market;
    const index = lazy(() => listIndexCloses(market, country));
    market.readTogether(() => {
      for (const symbol of due.keys().drop(skipped).take(max))
        this.#take(
          state,
          symbol,
          findCompanyMetrics(market, { country, symbol }, this.#now, index),
        );
    });
  }

  /** Takes the figures of a company, or removes it. */
  #take(state: CountryState, symbol: string, company: CompanyMetrics | null): void {
    if (company) state.bySymbol.set(symbol, company);
    else state.bySymbol.delete(symbol);
    state.due.delete(symbol);
    state.computed.add(symbol);
    state.isChanged = true;
    this.#unsaved++;
  }

  #isPublished({ isChanged, published, publishing }: CountryState): boolean {
    return !isChanged && publishing === null && published?.asOf === this.#date;
  }

  /** Publishes the figures of a country without due companies, unless they are already published. */
  *#publish(state: CountryState): Generator<void, void> {
    if (this.#isPublished(state)) return;
    state.isChanged = false;
    // The same order on each node: sums of fractions and equal figures depend on it.
    const list = [...state.bySymbol.values()].sort((a, b) => a.instrument.id - b.instrument.id);
    state.publishing = list;
    // A publication that another one overtakes never ends.
    for (const symbol of state.computed) state.inPublication.add(symbol);
    state.computed.clear();
    const made = yield* createCountryRollup(list, this.#date);
    // Another publication may have begun and ended meanwhile.
    if (state.publishing !== list) return;
    state.published = made;
    state.publishing = null;
    for (const symbol of state.inPublication) this.#changed.add(`${state.country}:${symbol}`);
    state.inPublication.clear();
  }
}

function stillComputing(): BourseError {
  return unavailable("The figures of all companies are being computed.", {
    retryAfterSeconds: RETRY_SECONDS,
  });
}

function createCountryState(country: Country): CountryState {
  return {
    country,
    due: new Map(),
    bySymbol: new Map(),
    computed: new Set(),
    inPublication: new Set(),
    published: null,
    isChanged: true,
    publishing: null,
    updating: null,
    isInVain: false,
  };
}
