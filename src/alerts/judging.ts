import { instrumentOfWatch } from "#domain/alert.ts";
import { BourseError } from "#domain/errors.ts";
import { COUNTRY_CODES, type Country, localDateOf } from "#domain/country.ts";
import type { HolidayOverride } from "#domain/calendar-event.ts";
import { dateOf } from "#lib/date.ts";
import type { Log } from "#lib/log.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { medianReader } from "#operations/metric-values.ts";
import { type CompanyMetrics, createMetricsReader } from "#rollups/companies.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import { ConvertedCompanies } from "#rollups/converted-companies.ts";
import {
  type AlertStateKey,
  type AlertStateRow,
  listAlertStates,
  listRuleOwners,
  moveStates,
  removeAlertStates,
  type RuleOwner,
} from "#store/alerts.ts";
import type { AccessStore, MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import type { LeaderTerm } from "#store/leadership.ts";
import type { Work } from "#store/work.ts";
import { judgeBrief, nextBriefAt } from "./brief.ts";
import { readFacts, readReleases } from "./facts.ts";
import {
  judgeCondition,
  judgeEvent,
  type Judged,
  judgeRelease,
  judgeThesis,
  type InstrumentFacts,
  type ReleaseFacts,
} from "./judge.ts";
import { type Judgement, record, TermLost } from "./recording.ts";
import {
  type BriefOfUser,
  type EconomyRule,
  type InstrumentRule,
  parseRules,
  readRuleSources,
  type UserRules,
} from "./rules.ts";

/** How long the thread works on rules before other work has a turn, in milliseconds. */
const SLICE_MS = 4;
/** Judgements that are stored in one transaction. */
const RECORDED_AT_ONCE = 20;
/** First states that are stored in one transaction. */
const FIRST_AT_ONCE = 50;
/** States that are read or removed without a pause. */
const STATES_AT_ONCE = 500;
/** How often documents are looked at if the store does not know whether they changed: in a cluster. */
const LOOK_MS = 5_000;
/** When a brief is judged again that could not be. */
const BRIEF_AGAIN_MS = 300_000;
/** Changes of the market that are read without a pause. */
const CHANGES_AT_ONCE = 1_000;

/** The dependencies of `Judging`. */
export interface JudgingParts {
  readonly access: AccessStore;
  readonly market: MarketStore;
  readonly rollups: CompanyRollups;
  /** UTC milliseconds. */
  readonly clock: () => number;
  /** Milliseconds from any start, which never go back. */
  readonly stopwatch: () => number;
  readonly log: Log;
  /** True on the one process that refreshes the market: others judge nothing. */
  readonly mayJudge: () => boolean;
  /** The term of this node, null while it does not lead its cluster; left out on one machine. */
  readonly term?: (() => LeaderTerm | null) | undefined;
}

/** The rules of a user, and the fingerprint of the documents that they were read from. */
interface LoadedUser extends UserRules {
  readonly owner: RuleOwner;
  /** The UTC date on which they were read. */
  readonly day: string;
}

/**
 * Judges the rules of all users when records arrive. The roll-ups name the companies whose figures changed, so only rules about
 * these are looked at. Days begin and briefs are due by the clock.
 *
 * What is known of a rule is stored in one transaction with its message, and compared with what was known when the rule was
 * judged. So a rule fires once, also after a crash, and also if two processes judge it. A process that begins judges all rules
 * once, because it does not know what arrived meanwhile.
 */
export class Judging {
  readonly #parts: JudgingParts;
  readonly #users = new Map<number, LoadedUser>();
  /** The rules about an instrument: `US:AAPL`. */
  readonly #byKey = new Map<string, Set<InstrumentRule>>();
  /** What is known of a rule and an instrument, as JSON: see `nameOf`. */
  readonly #states = new Map<string, string>();
  /** Instruments whose rules are looked at next. */
  readonly #due = new Set<string>();
  /** The version of the documents and the UTC date for which rules were read; null before the first reading. */
  #documentsAt: string | null = null;
  /** The number of the last change of the market that was read; null before the first. */
  #lastChange: number | null = null;
  /** The local dates for which rules about days were looked at. */
  readonly #today = new Map<Country, string>();
  /** When briefs are due, UTC milliseconds, by the name of their state. */
  readonly #briefsAt = new Map<string, number>();
  /** The version of the market for which releases were looked at. */
  #releasesAt: string | null = null;
  #isStopped = false;

  constructor(parts: JudgingParts) {
    this.#parts = parts;
  }

  /** Brings the figures of all companies up to date, and judges the rules about what changed. Call it every second. */
  async run(): Promise<void> {
    const { rollups, mayJudge } = this.#parts;
    const isJudge = mayJudge();
    if (isJudge) await this.#attempt(() => this.#notice());
    else this.#forget();
    await rollups.update();
    if (isJudge) await this.#attempt(() => this.#judge());
  }

  /** Ends after the present slice. */
  stop(): void {
    this.#isStopped = true;
  }

  /** Errors are noted, because companies are computed also while the access store fails. They name no rule. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (this.#isStopped) return;
      if (error instanceof TermLost) return this.#forget();
      this.#parts.log.error("alerts could not be judged and are judged again", {
        error: error instanceof Error ? error.name : "unknown",
        code: (error as { code?: string }).code,
      });
    }
  }

  /** Another process may judge meanwhile, so that the states here become old. */
  #forget(): void {
    this.#users.clear();
    this.#byKey.clear();
    this.#states.clear();
    this.#due.clear();
    this.#today.clear();
    this.#briefsAt.clear();
    this.#lastChange = null;
    this.#documentsAt = null;
    this.#releasesAt = null;
  }

  /** Notes what changed before the figures are computed: a change that comes later is of the next run. */
  async #notice(): Promise<void> {
    const { market, rollups } = this.#parts;
    const isFirst = this.#lastChange === null;
    if (isFirst) {
      rollups.takeChanged();
      this.#lastChange = market.instruments.lastChange();
    }
    await this.#readUsers();
    if (isFirst) for (const key of this.#byKey.keys()) this.#due.add(key);
    await nextTurn();
    for (;;) {
      const changes = market.instruments.listChanged(this.#lastChange ?? 0, CHANGES_AT_ONCE);
      for (const { country, symbol, number } of changes) {
        this.#lastChange = number;
        this.#noteDue(`${country}:${symbol}`);
      }
      if (changes.length < CHANGES_AT_ONCE) return;
      await nextTurn();
    }
  }

  #noteDue(key: string): void {
    if (this.#byKey.has(key)) this.#due.add(key);
  }

  /** Reads the rules of users whose documents changed. */
  async #readUsers(): Promise<void> {
    const { access, clock, stopwatch } = this.#parts;
    const today = dateOf(clock());
    const version = access.documentsVersion?.() ?? Math.floor(stopwatch() / LOOK_MS);
    const at = `${version} ${today}`;
    if (this.#documentsAt === at) return;
    const owners = await access.run(listRuleOwners());
    await nextTurn();
    const present = new Set(owners.map(({ userId }) => userId));
    for (const userId of this.#users.keys())
      if (!present.has(userId)) await this.#inSlices(this.#dropUser(userId));
    for (const owner of owners) {
      if (this.#isStopped) return;
      const user = this.#users.get(owner.userId);
      const isOld = user?.isOfDay === true && user.day !== today;
      if (user?.owner.fingerprint === owner.fingerprint && !isOld) continue;
      await this.#readUser(owner, today);
      await nextTurn();
    }
    this.#documentsAt = at;
  }

  /** Forgets the rules of a user and their states. It yields after each state. */
  *#dropUser(userId: number): Generator<void, void> {
    const user = this.#users.get(userId);
    for (const rule of user?.instruments ?? []) {
      for (const key of rule.keys) {
        yield;
        const rules = this.#byKey.get(key);
        rules?.delete(rule);
        if (rules?.size === 0) this.#byKey.delete(key);
        this.#states.delete(nameOf({ userId, alert: rule.alert, about: key }));
      }
    }
    for (const { alert } of [...(user?.releases ?? []), ...(user?.briefs ?? [])]) {
      const name = nameOf({ userId, alert, about: "" });
      this.#states.delete(name);
      this.#briefsAt.delete(name);
    }
    this.#users.delete(userId);
  }

  async #readUser(owner: RuleOwner, day: string): Promise<void> {
    const { access, market, log } = this.#parts;
    const sources = await access.run(readRuleSources(owner));
    const rules = await this.#inSlices(parseRules(owner, sources, market, day));
    const states = await this.#readStates(owner, rules.renamed);
    // From here on nothing can fail: rules without their states would begin anew.
    await this.#inSlices(this.#dropUser(owner.userId));
    this.#users.set(owner.userId, { ...rules, owner, day });
    if (rules.unread > 0) log.warn("alerts cannot be read", { alerts: rules.unread });
    const old = await this.#inSlices(this.#takeRules(owner, rules, states));
    this.#releasesAt = null;
    // An instrument that comes back to a list begins again.
    const gone = old.filter(({ alert }) => !sources.paused.has(alert));
    for (let start = 0; start < gone.length; start += STATES_AT_ONCE) {
      await access.transaction(() => removeStates(gone.slice(start, start + STATES_AT_ONCE)));
      await nextTurn();
    }
  }

  /** The states of a user. What is known of a company goes on under its new symbol. */
  async #readStates(
    { userId, user }: RuleOwner,
    renamed: ReadonlyMap<string, string>,
  ): Promise<readonly AlertStateRow[]> {
    const { access } = this.#parts;
    for (const [old, now] of renamed) await access.transaction(() => moveStates(userId, old, now));
    const states: AlertStateRow[] = [];
    for (;;) {
      await nextTurn();
      const page = { after: states.at(-1) ?? null, limit: STATES_AT_ONCE };
      const read = await access.run(listAlertStates(user, page));
      states.push(...read);
      if (read.length < STATES_AT_ONCE) return states;
    }
  }

  /** Takes rules with their states, and returns the states of no rule. It yields after each state. */
  *#takeRules(
    { userId }: RuleOwner,
    { instruments, releases, briefs }: UserRules,
    states: readonly AlertStateRow[],
  ): Generator<void, readonly AlertStateKey[]> {
    const stored = new Map<string, AlertStateRow>();
    for (const state of states) {
      yield;
      stored.set(nameOf(state), state);
    }
    const take = (alert: string, about: string) => {
      const name = nameOf({ userId, alert, about });
      const state = stored.get(name);
      stored.delete(name);
      if (state) this.#states.set(name, state.json);
      return state !== undefined;
    };
    for (const rule of instruments) {
      for (const key of rule.keys) {
        yield;
        let ofKey = this.#byKey.get(key);
        if (!ofKey) this.#byKey.set(key, (ofKey = new Set()));
        ofKey.add(rule);
        if (!take(rule.alert, key)) this.#due.add(key);
      }
    }
    for (const { alert } of [...releases, ...briefs]) take(alert, "");
    return [...stored.values()];
  }

  async #judge(): Promise<void> {
    const { rollups, clock } = this.#parts;
    for (const key of rollups.takeChanged()) this.#noteDue(key);
    const now = clock();
    await this.#inSlices(this.#noteNewDays(now));
    const batch = new Batch(this.#parts, now, (done) => this.#settle(done));
    await this.#judgeInstruments(batch, now);
    await this.#judgeReleases(batch, now);
    await this.#judgeBriefs(batch, now);
    await batch.finish();
  }

  /** A report that is tomorrow was not yet so yesterday. It yields after each instrument. */
  *#noteNewDays(now: number): Generator<void, void> {
    const begun = new Set<string>();
    for (const country of COUNTRY_CODES) {
      const today = localDateOf(country, now);
      if (this.#today.get(country) === today) continue;
      this.#today.set(country, today);
      begun.add(country);
    }
    if (begun.size === 0) return;
    for (const [key, rules] of this.#byKey) {
      yield;
      const [country = ""] = key.split(":", 1);
      if (begun.has(country) && rules.values().some(({ kind }) => kind === "event"))
        this.#due.add(key);
    }
  }

  async #judgeInstruments(batch: Batch, now: number): Promise<void> {
    if (this.#due.size === 0) return;
    const { market, rollups, stopwatch } = this.#parts;
    const reader = new InstrumentReader(market, rollups, now);
    let began = stopwatch();
    let failed = 0;
    // What cannot be stored is due again, for the next run.
    const keys = [...this.#due];
    for (const key of keys) {
      if (this.#isStopped) return;
      this.#due.delete(key);
      for (const rule of this.#byKey.get(key) ?? []) {
        try {
          const company = reader.find(key);
          if (!company) break;
          this.#judgeInstrument(batch, rule, key, reader.factsOf(company, currencyOf(rule)));
        } catch {
          // The rule of one user must not keep those after it from being judged.
          failed++;
        }
        if (stopwatch() - began < SLICE_MS) continue;
        await batch.store();
        await nextTurn();
        began = stopwatch();
      }
    }
    this.#warnOf(failed);
  }

  #warnOf(failed: number): void {
    if (failed > 0) this.#parts.log.warn("some alerts could not be judged", { alerts: failed });
  }

  #judgeInstrument(batch: Batch, one: InstrumentRule, key: string, facts: InstrumentFacts): void {
    this.#note(batch, one, key, (before) =>
      one.kind === "condition"
        ? judgeCondition(one.rule, before as never, facts, one.terms)
        : one.kind === "event"
          ? judgeEvent(one.rule, before as never, facts, one.terms)
          : judgeThesis(one, before as never, facts),
    );
  }

  /** Judges a rule by what is known, and notes what changed. */
  #note(
    batch: Batch,
    { owner, alert, title, to }: InstrumentRule | EconomyRule | BriefOfUser,
    about: string,
    judge: (before: unknown) => Pick<Judged<unknown>, "state" | "message">,
  ): void {
    const { userId } = owner;
    const before = this.#states.get(nameOf({ userId, alert, about })) ?? null;
    const { state, message } = judge(before === null ? null : JSON.parse(before));
    const json = JSON.stringify(state);
    if (json === before && message === null) return;
    const told = message && (title === undefined ? message : { ...message, title });
    batch.add({ owner, userId, alert, about, before, json, message: told, to });
  }

  async #judgeReleases(batch: Batch, now: number): Promise<void> {
    const rules = [...this.#users.values()].flatMap(({ releases }) => releases);
    if (rules.length === 0) return;
    const { market } = this.#parts;
    const version = await market.findVersion();
    if (version === this.#releasesAt) return;
    const bySeries = Map.groupBy(rules, ({ rule }) => `${rule.country} ${rule.series}`);
    let failed = 0;
    for (const ofSeries of bySeries.values()) {
      if (this.#isStopped) return;
      await nextTurn();
      try {
        const facts = findReleases(market, ofSeries, now);
        for (const one of facts ? ofSeries : [])
          this.#note(batch, one, "", (before) =>
            judgeRelease(before as never, facts as ReleaseFacts, one.terms),
          );
      } catch {
        failed += ofSeries.length;
      }
    }
    this.#warnOf(failed);
    this.#releasesAt = version;
  }

  async #judgeBriefs(batch: Batch, now: number): Promise<void> {
    let failed = 0;
    for (const one of [...this.#users.values()].flatMap(({ briefs }) => briefs)) {
      if (this.#isStopped) return;
      const name = nameOf({ userId: one.owner.userId, alert: one.alert, about: "" });
      if ((this.#briefsAt.get(name) ?? 0) > now) continue;
      try {
        await this.#judgeBrief(batch, one, name, now);
      } catch {
        // It must not keep other messages back, nor fill the log.
        failed++;
        this.#briefsAt.set(name, now + BRIEF_AGAIN_MS);
      }
    }
    this.#warnOf(failed);
  }

  async #judgeBrief(batch: Batch, one: BriefOfUser, name: string, now: number): Promise<void> {
    const { market } = this.#parts;
    const { rule, list, keys, timeZone } = one;
    const json = this.#states.get(name) ?? null;
    const known = json === null ? null : (JSON.parse(json) as { readonly at: number });
    // After a clock that was ahead, it begins as a new one.
    const before = known && known.at <= now ? known : null;
    if (before) {
      const at = nextBriefAt(rule, before.at, timeZone);
      this.#briefsAt.set(name, at);
      if (at > now) return;
    }
    await nextTurn();
    const instruments = keys.flatMap((key) => findInstrument(market, key) ?? []);
    const [of] = instruments;
    const subject = { list, of: list === null && of ? of : null, instruments };
    const judged = await judgeBrief(before as never, subject, market, now);
    this.#note(batch, one, "", () => judged);
  }

  /** Takes what was stored, and looks again at what another process judged meanwhile. */
  #settle({ stored, refused }: Settled): void {
    for (const one of stored) {
      this.#states.set(nameOf(one), one.json);
      this.#briefsAt.delete(nameOf(one));
    }
    for (const { owner, about } of refused) {
      const user = this.#users.get(owner.userId);
      // It is read again.
      this.#documentsAt = null;
      if (user) this.#users.set(owner.userId, { ...user, owner: { ...owner, fingerprint: "" } });
      if (about === "") this.#releasesAt = null;
      else this.#due.add(about);
    }
  }

  async #inSlices<T>(work: Generator<void, T>): Promise<T> {
    const { stopwatch } = this.#parts;
    let began = stopwatch();
    for (;;) {
      const { done, value } = work.next();
      if (done) return value;
      if (stopwatch() - began < SLICE_MS) continue;
      await nextTurn();
      began = stopwatch();
    }
  }
}

function* removeStates(states: readonly AlertStateKey[]): Work<void> {
  for (const { userId, alert, about } of states) yield* removeAlertStates(userId, alert, about);
}

const currencyOf = ({ rule }: InstrumentRule) => ("currency" in rule ? rule.currency : null);

/** The name of a state in memory. */
const nameOf = ({ userId, alert, about }: AlertStateKey): string => `${userId} ${alert} ${about}`;

function findInstrument(market: MarketStore, key: string): StoredInstrument | null {
  const instrument = instrumentOfWatch(key);
  return instrument && market.instruments.find(instrument);
}

/** The releases of a series; null while it is unknown, because its source has not answered yet. */
function findReleases(
  market: MarketStore,
  [first]: readonly EconomyRule[],
  now: number,
): ReleaseFacts | null {
  try {
    return first ? readReleases(first.rule, { market, now }) : null;
  } catch (error) {
    if (error instanceof BourseError) return null;
    throw error;
  }
}

/** Reads the facts of instruments, each at most once in a run. */
class InstrumentReader {
  readonly #market: MarketStore;
  readonly #rollups: CompanyRollups;
  readonly #now: number;
  readonly #metricsOf: (instrument: StoredInstrument) => CompanyMetrics;
  readonly #holidays: readonly HolidayOverride[];
  readonly #converted = new Map<string | null, ConvertedCompanies>();
  #found: { readonly key: string; readonly company: CompanyMetrics | null } | null = null;
  #facts = new Map<string | null, InstrumentFacts>();

  constructor(market: MarketStore, rollups: CompanyRollups, now: number) {
    this.#market = market;
    this.#rollups = rollups;
    this.#now = now;
    this.#metricsOf = createMetricsReader(market, now);
    this.#holidays = market.documents.list("holidayOverrides", null);
  }

  /** The figures of an instrument; null for one that the market does not have, or that is no longer listed. */
  find(key: string): CompanyMetrics | null {
    if (this.#found?.key === key) return this.#found.company;
    this.#facts = new Map();
    const company = this.#read(key);
    this.#found = { key, company };
    return company;
  }

  #read(key: string): CompanyMetrics | null {
    const asked = instrumentOfWatch(key);
    if (!asked) return null;
    const known = this.#rollups.get(asked.country).bySymbol.get(asked.symbol);
    if (known) return known;
    const instrument = this.#market.instruments.find(asked);
    return instrument && instrument.delistedAt === undefined ? this.#metricsOf(instrument) : null;
  }

  /** The facts of an instrument that was found, with amounts in a currency; null for its own. */
  factsOf(company: CompanyMetrics, currency: string | null): InstrumentFacts {
    const known = this.#facts.get(currency);
    if (known) return known;
    let converted = this.#converted.get(currency);
    if (!converted) {
      converted = new ConvertedCompanies(this.#market, currency);
      this.#converted.set(currency, converted);
    }
    const facts = readFacts(company, converted, {
      market: this.#market,
      medianOf: medianReader(this.#rollups),
      holidays: this.#holidays,
      now: this.#now,
    });
    this.#facts.set(currency, facts);
    return facts;
  }
}

/** What became of judgements. */
interface Settled {
  readonly stored: readonly Judgement[];
  /** The judgements of states that another process had changed. */
  readonly refused: readonly Judgement[];
}

/** Judgements that wait for their transaction. */
class Batch {
  readonly #parts: Pick<JudgingParts, "access" | "term">;
  readonly #now: number;
  readonly #settle: (settled: Settled) => void;
  #waiting: Judgement[] = [];

  constructor(
    parts: Pick<JudgingParts, "access" | "term">,
    now: number,
    settle: (settled: Settled) => void,
  ) {
    this.#parts = parts;
    this.#now = now;
    this.#settle = settle;
  }

  add(judgement: Judgement): void {
    this.#waiting.push(judgement);
  }

  /** Stores the judgements that wait, if they are enough for a transaction. */
  async store(): Promise<void> {
    const changes = this.#waiting.filter(({ before, message }) => before !== null || message);
    if (changes.length >= RECORDED_AT_ONCE || this.#waiting.length >= FIRST_AT_ONCE)
      await this.finish();
  }

  /** Stores all judgements that wait. */
  async finish(): Promise<void> {
    const { access, term } = this.#parts;
    while (this.#waiting.length > 0) {
      // What was judged before had its turn.
      await nextTurn();
      const areFirst = this.#waiting.every(({ before, message }) => before === null && !message);
      const some = this.#waiting.splice(0, areFirst ? FIRST_AT_ONCE : RECORDED_AT_ONCE);
      const recording = { now: this.#now, ...(term && { term: term() }) };
      try {
        const refused = await access.transaction(() => record(some, recording));
        this.#settle({ stored: some.filter((one) => !refused.includes(one)), refused });
      } catch (error) {
        this.#settle({ stored: [], refused: [...some, ...this.#waiting.splice(0)] });
        throw error;
      }
    }
  }
}
