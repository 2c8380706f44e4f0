import { COUNTRY_CODES } from "#domain/country.ts";
import { BourseError, unavailable } from "#domain/errors.ts";
import type { FetchKey, Need } from "#domain/fetch.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import { findBuild } from "#domain/program.ts";
import type { Reason } from "#domain/reasons.ts";
import type { Provenance } from "#domain/records.ts";
import { type Awaitable, whenKnown } from "#lib/awaitable.ts";
import { dateOf, DAY_MS } from "#lib/date.ts";
import { Patience, withDeadline } from "#lib/deadline.ts";
import { GarbageCollection } from "#lib/garbage.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { Places } from "#lib/places.ts";
import { createTtlCache, type TtlCache } from "#lib/ttl-cache.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import type { MarketStore } from "#store/index.ts";
import {
  alertsOf,
  type AlertsOf,
  type Caller,
  documentsOf,
  type DocumentsOf,
  listsHaveNoPast,
  type MarksOf,
} from "./caller.ts";
import { datedArguments, resolveDays } from "./dated.ts";
import {
  type DecodedArguments,
  decodeArguments,
  type RawArguments,
  refuseLongArguments,
} from "./reading/decode.ts";
import { IndexLists } from "./portfolio/index-lists.ts";
import { expandLists, findListArgument } from "./portfolio/list-references.ts";
import { KNOWN_ON, refuseLaterDates, withKnownOn } from "./known-day.ts";
import { contextOf, type Moment, Moments } from "./moments.ts";
import {
  type HandlerResult,
  type Operation,
  type OwnContext,
  type Route,
  withSource,
} from "./operation.ts";
import { withOrder } from "./order.ts";
import { type Gap, reasonsOf, reasonsText } from "./reasons.ts";
import { dayOf } from "./reading/written-dates.ts";
import { describeDelisted, resolveArguments } from "./reading/symbols.ts";

/** How long an answer is cached, in milliseconds. */
export const CACHE_MS = 30_000;
const MAX_CACHED_ANSWERS = 5_000;
/** Characters of all answers together. Their encoded forms take about four times as many bytes. */
const MAX_CACHED_CHARACTERS = 16 * 2 ** 20;
const MAX_MISSING_SYMBOLS = 1_000;
/** Characters of a key; a longer one is replaced by its hash. */
const MAX_KEY = 1_000;

/** The next midnight UTC. Cached answers end then, because a calendar begins with today. */
const nextMidnight = (now: number) => (Math.floor(now / DAY_MS) + 1) * DAY_MS;

/** When the cache drops an answer that was made at `madeAt`, UTC milliseconds. */
export const endOfAnswer = (madeAt: number): number =>
  Math.min(madeAt + CACHE_MS, nextMidnight(madeAt));

/** An operation with valid arguments. */
export interface DecodedRequest {
  readonly operation: Operation;
  readonly input: DecodedArguments;
  /** Equal for requests that have the same answer. */
  readonly key: string;
  /** The arguments whose value was not written, but understood. The key does not have them. */
  readonly understood: Readonly<Record<string, string>>;
}

/** An answer as the cache keeps it: computed and serialised once. */
export interface CachedAnswer {
  /** The envelope as JSON text, equal on REST and MCP: `country`, `data`, `as_of`. */
  readonly body: string;
  /** A quoted hash of `data` alone, so that it does not change with `as_of`. */
  readonly etag: string;
  /** The names of the sources, comma-separated: `sec, yahoo`; null if no record was found. */
  readonly source: string | null;
  /** When the oldest record of the answer was stored, UTC milliseconds. */
  readonly storedAt: number;
  /** When the newest record of the answer was stored, UTC milliseconds. It rises when one of them changes. */
  readonly changedAt: number;
  /** When the answer was computed, UTC milliseconds; 30 s earlier if no client may keep it. */
  readonly madeAt: number;
  /** What it lacks because sources refused, one text for each reason; absent if nothing is known to be missing. */
  readonly missing?: readonly string[];
  /** What was understood where the arguments were not written so: `country=US; symbol=META (…)`. Never cached. */
  readonly understoodAs?: string;
  /** The file that the answer links to. Never cached. */
  readonly file?: { readonly url: string; readonly name: string };
}

/** Characters of an answer that takes milliseconds to parse. */
const LARGE_ANSWER = 100_000;

/**
 * The payload of an answer. Decades of prices are parsed in a turn of the event loop of their own: after the turn that
 * computed them, and before the turn that writes them in another form.
 */
export function readPayload<Payload extends object>({ body }: CachedAnswer): Awaitable<Payload> {
  const parse = () => (JSON.parse(body) as { data: Payload }).data;
  return body.length > LARGE_ANSWER ? betweenTurns(parse) : parse();
}

async function betweenTurns<T>(work: () => T): Promise<T> {
  await nextTurn();
  const done = work();
  await nextTurn();
  return done;
}

/** The client that waits for an answer: its signal is aborted once it has closed its connection. */
export type Client = Pick<Request, "signal">;

/** Fetches records while a call has patience, and knows what is missing: see `OnRequest` of ingest. */
export interface Refresh {
  (needs: readonly Need[], patience: Patience): Promise<void> | undefined;
  readonly missing?: (needs: readonly Need[]) => readonly string[];
  readonly whyAbsent?: (key: FetchKey) => Reason;
  readonly explainEmpty?: (needs: readonly Need[]) => BourseError | null;
}

/** The pipeline of all operations behind `decodeRequest`: cache, refresh, handle, envelope. */
export interface Executor {
  /**
   * The answer to a request; without a promise if it is cached.
   *
   * @param caller whose lists may be named, and whose own data an operation may be about
   * @param client if its connection is closed before the handler runs, the handler does not run
   * @throws BourseError
   */
  execute(request: DecodedRequest, caller?: Caller, client?: Client): Awaitable<CachedAnswer>;
  /** The calls since the start: all, and those for which a handler ran instead of the cache. */
  readonly counts: { readonly executed: number; readonly computed: number };
}

/**
 * Checks and normalises the arguments of a call.
 *
 * @param route the REST route of the call, if it has one
 * @param readsWords true to read countries and companies by their names, which the contract refuses over REST
 * @throws BourseError if the operation refuses the arguments
 */
export function decodeRequest(
  operation: Operation,
  raw: RawArguments,
  route: Route = operation,
  readsWords = false,
): DecodedRequest {
  const { notFound } = operation;
  refuseLongArguments(route.input, raw);
  const understood: Record<string, string> = {};
  const ordered = withOrder(operation, raw, understood);
  const given = decodeArguments(route.input, ordered, notFound, { readsWords, understood });
  // The second time adds what the path implies in the order of the operation's arguments, which is the key's.
  const input = route.implied
    ? decodeArguments(operation.input, { ...given, ...route.implied }, notFound)
    : given;
  const completed = route.complete?.(input) ?? input;
  // The countries decide which class `3700` is. Conditions keep their currency here, although the last step removes it.
  if (understood["sector"] !== undefined) understood["sector"] = String(completed["sector"]);
  return keyed(operation, completed, understood);
}

function keyed(
  operation: Operation,
  input: DecodedArguments,
  understood: DecodedRequest["understood"],
): DecodedRequest {
  const written = `${operation.name} ${JSON.stringify(input)}`;
  // The symbols of a long list would fill the cache with keys.
  const key =
    written.length > MAX_KEY
      ? new Bun.CryptoHasher("sha256").update(written).digest("base64")
      : written;
  return { operation, input, key, understood };
}

/**
 * The request with dates for words such as `today`, which a call with `known_on` counts from that day.
 *
 * @throws BourseError `invalid_argument` for a day that has not begun, and for dates after `known_on`
 */
function resolveDates(request: DecodedRequest, now: number): DecodedRequest {
  const { operation, input, understood } = request;
  const { [KNOWN_ON]: written, ...others } = input;
  const day = resolveDays(operation.input, { [KNOWN_ON]: written }, dateOf(now));
  const known = day[KNOWN_ON] ?? written;
  const today = typeof known === "string" ? known : dateOf(now);
  const days = { ...resolveDays(operation.input, others, today), ...day };
  const dated = { ...input, ...days };
  refuseLaterDates(operation.input, dated, now);
  return Object.keys(days).length === 0
    ? request
    : keyed(operation, dated, { ...understood, ...days });
}

/** The request with dates for words, and with the symbols that the market of its moment lists. */
function resolve(moments: Moments, request: DecodedRequest, now: number): DecodedRequest {
  const { operation, input, understood } = resolveDates(request, now);
  const resolved = resolveArguments(moments.of(input).market, input);
  const lists = Object.fromEntries(
    ["symbols", "tickers"]
      .filter((name) => Object.hasOwn(understood, name))
      .map((name) => [name, String(resolved.input[name])]),
  );
  const all = { ...understood, ...lists, ...resolved.understood };
  return keyed(operation, resolved.input, all);
}

/** The last day in which each request was made, with the request in it, so that hot calls are dated once. */
const dated = new WeakMap<
  DecodedRequest,
  { readonly day: string; readonly request: DecodedRequest }
>();

/**
 * The request as it is in a day: its answer has nothing that became known later.
 *
 * @throws BourseError as `datedArguments`; `forbidden` if it is about lists of the user
 */
function inDay(request: DecodedRequest, day: string): DecodedRequest {
  const held = dated.get(request);
  if (held?.day === day) return held.request;
  const { operation, input } = request;
  const isOfLists = operation.own && !Object.hasOwn(operation.input.properties, "symbols");
  if (isOfLists) throw listsHaveNoPast(day);
  const { input: known, understood } = datedArguments(operation, input, day);
  const made = keyed(operation, known, { ...request.understood, ...understood });
  dated.set(request, { day, request: made });
  return made;
}

/** The last texts that were added to a cached answer: a hot answer is written and compressed once. */
const understoodAnswers = new WeakMap<CachedAnswer, CachedAnswer>();

/**
 * The answer with what was understood, in its payload and beside it. Another object than the cached answer, so that
 * no other caller gets it. A payload whose entries name their sources themselves stays as it is, because it has
 * no place for a text.
 */
function withUnderstood(
  { operation, understood }: DecodedRequest,
  answer: CachedAnswer,
): CachedAnswer {
  const entries = Object.entries(understood);
  if (entries.length === 0) return answer;
  const understoodAs = entries.map(([name, value]) => `${name}=${value}`).join("; ");
  const held = understoodAnswers.get(answer);
  if (held?.understoodAs === understoodAs) return held;
  const { body, etag } = answer;
  const field = `"data":{"understood_as":${JSON.stringify(understoodAs)},`;
  const made = {
    ...answer,
    ...(operation.sourceKey !== null && { body: body.replace('"data":{', () => field) }),
    etag: `${etag.slice(0, -1)}.${Bun.hash(understoodAs).toString(36)}"`,
    understoodAs,
  };
  understoodAnswers.set(answer, made);
  return made;
}

/** The answer, or the error of an unknown symbol, with what was understood. */
function answerAsUnderstood(
  request: DecodedRequest,
  compute: () => Awaitable<CachedAnswer>,
): Awaitable<CachedAnswer> {
  const refuse = (thrown: unknown) => refuseAsUnderstood(request, thrown);
  try {
    const answer = compute();
    return answer instanceof Promise
      ? answer.then((made) => withUnderstood(request, made), refuse)
      : withUnderstood(request, answer);
  } catch (thrown) {
    return refuse(thrown);
  }
}

/** Throws the error, and how an unknown symbol was understood: `A.B (written A/B)`. */
function refuseAsUnderstood({ understood }: DecodedRequest, thrown: unknown): never {
  const { symbol } = understood;
  if (symbol === undefined || !isMissingSymbol(thrown)) throw thrown;
  const words = `${thrown.message} The symbol was understood as ${symbol}.`;
  throw new BourseError(thrown.code, words, thrown.details);
}

/** The dependencies of an executor. */
interface ExecutorParts {
  readonly market: MarketStore;
  readonly clock: () => number;
  /**
   * Fetches the needed records that are not fresh, while the call has patience; returns undefined if all are. Left out
   * if no source is live.
   */
  readonly refresh?: Refresh | undefined;
  /** Roll-ups of the same market. Without them, answers wait until the roll-ups are computed, or read as they were saved. */
  readonly rollups?: CompanyRollups | undefined;
  /** Finds the lists and screens of a caller. Left out in a program without users. */
  readonly documentsOf?: DocumentsOf | undefined;
  /** Finds the marks of a token's briefs. Left out in a program without tokens. */
  readonly marksOf?: MarksOf | undefined;
  /** Finds the alerts of a user; without it, calls about alerts are refused. */
  readonly alertsOf?: AlertsOf | undefined;
  /** An answer that takes longer is refused as unavailable, in milliseconds. Without it, calls wait. */
  readonly deadlineMs?: number;
  /** Answers that are computed at once, while others wait for a turn of the event loop. Without it, all are. */
  readonly computedAtOnce?: number;
}

/** Creates an executor with an empty cache, on the given clock (UTC milliseconds). */
export function createExecutor(parts: ExecutorParts): Executor {
  const { market, clock, refresh, deadlineMs, computedAtOnce = Infinity } = parts;
  const rollups =
    parts.rollups ?? new CompanyRollups(market, clock, { servesPrevious: false, findBuild });
  const answers = createAnswerCache(clock);
  const moments = new Moments(market, rollups, clock);
  const missing = new MissingSymbols(moments, clock);

  const counts = { executed: 0, computed: 0 };

  const places = new Places(computedAtOnce);
  const made = { moments, clock, missing, counts, places };
  const answerShared = createSharing({ ...made, refresh, answers });
  const withinDeadline = (
    work: CallWork,
    answer: Awaitable<CachedAnswer>,
  ): Awaitable<CachedAnswer> =>
    deadlineMs !== undefined && answer instanceof Promise
      ? withDeadline(answer, deadlineMs, () => work.end())
      : answer;
  const answerOwn = createOwnAnswers({ ...made, refresh }, parts);

  return {
    counts,
    execute(asked, caller, client) {
      counts.executed++;
      const day = caller?.asOf ?? null;
      const request = day === null ? asked : inDay(asked, day);
      const { operation, input } = request;
      if (operation.own) {
        const work = new CallWork(client);
        return withinDeadline(work, answerOwn(request, caller ?? null, work));
      }
      // The most frequent case, without a query: the symbol is written as the market lists it.
      const cached = answers.find(request.key);
      if (cached) return withUnderstood(request, cached);
      const work = new CallWork(client);
      const argument = findListArgument(input);
      if (argument === null) return withinDeadline(work, answerShared(request, work));
      const own = new IndexLists(
        () => documentsOf(parts.documentsOf, caller ?? null),
        market,
        dayOfMembers(input, dateOf(clock())),
      );
      const expanded = expandLists(operation, input, argument, own);
      return withinDeadline(
        work,
        expanded
          .then(({ input: listed, lists }) =>
            answerShared(keyed(operation, listed, { ...request.understood, list: lists }), work),
          )
          .then(ended),
      );
    },
  };
}

/** The day of the members of an index in a call: `known_on`, or today. */
function dayOfMembers({ known_on: day }: DecodedArguments, today: string): string {
  return typeof day === "string" ? (dayOf(day, today) ?? day) : today;
}

function createAnswerCache(clock: () => number): TtlCache<CachedAnswer> {
  return createTtlCache<CachedAnswer>({
    ttlMs: CACHE_MS,
    endsBy: nextMidnight,
    // Records can arrive at any moment.
    isKept: hasRecords,
    maxEntries: MAX_CACHED_ANSWERS,
    maxWeight: MAX_CACHED_CHARACTERS,
    weigh: ({ body }) => body.length,
    clock,
  });
}

/** What an answer is computed with. */
interface AnswerParts extends Pick<ExecutorParts, "clock" | "refresh"> {
  readonly moments: Moments;
  readonly missing: MissingSymbols;
  readonly counts: { computed: number };
  readonly places: Places;
}

/** What answers about the caller's own data. */
function createOwnAnswers(
  {
    moments,
    clock,
    counts,
    refresh,
  }: Pick<AnswerParts, "moments" | "clock" | "counts" | "refresh">,
  {
    documentsOf: find,
    marksOf,
    alertsOf: findAlerts,
  }: Pick<ExecutorParts, "documentsOf" | "marksOf" | "alertsOf">,
): (asked: DecodedRequest, caller: Caller | null, work: CallWork) => Awaitable<CachedAnswer> {
  return (asked, caller, work) => {
    const now = clock();
    const request = resolveDates(asked, now);
    const { operation, input } = request;
    const readDocuments = () => documentsOf(find, caller, operation.right);
    // Who may not change lists is refused first.
    if (operation.right) readDocuments();
    work.refuseEnded();
    counts.computed++;
    const moment = moments.of(input);
    const needs: Need[] = [];
    const context: OwnContext = {
      ...contextOf(moment),
      own: new IndexLists(readDocuments, moment.market, dayOfMembers(input, dateOf(now))),
      alerts: () => alertsOf(findAlerts, find, caller),
      marks: (caller?.tokenId !== undefined && marksOf?.(caller.tokenId)) || null,
      refresh(asked) {
        needs.push(...asked);
        return refresh?.(asked, new Patience(clock));
      },
    };
    return whenKnown(operation.handle(input, context), (known) => {
      const lacks = refresh?.missing?.(needs) ?? [];
      const answer = envelope(moment, request, known, { now, refresh });
      const missing = lacks.length > 0 && { missing: lacks };
      return ended(withUnderstood(request, { ...answer, ...missing }));
    });
  };
}

/** What finds the cached answer to a request, or computes it for all calls that wait for it. */
function createSharing({
  refresh,
  answers,
  ...parts
}: AnswerParts & {
  readonly answers: TtlCache<CachedAnswer>;
}): (request: DecodedRequest, work: CallWork) => Awaitable<CachedAnswer> {
  const { moments, clock, missing, places } = parts;
  const prepare = createPreparation({ ...parts, refresh });
  const share = (request: DecodedRequest, work: CallWork): Awaitable<CachedAnswer> => {
    const { operation, input, key } = request;
    const answer = answers.get(key, () => {
      missing.refuse(input);
      const patience = new Patience(clock);
      const refreshed = operation.needs && refresh?.(operation.needs(input), patience);
      const compute = () => prepare(request, work, patience);
      return refreshed ? refreshed.then(compute) : compute();
    });
    if (!(answer instanceof Promise)) return answer;
    return answer.catch((thrown) => {
      // The call that began the work has ended, but this one waits still.
      if (thrown === ENDED && !work.hasEnded) return share(request, work);
      throw thrown;
    });
  };
  return (request, work) => {
    missing.refuse(request.input);
    // Fifty symbols are found in some milliseconds.
    const settle = () =>
      places.run(() => {
        work.refuseEnded();
        return resolve(moments, request, clock());
      });
    const isPast = request.input[KNOWN_ON] !== undefined;
    const ready = isPast ? moments.preparePastDays() : undefined;
    return whenKnown(ready ? ready.then(settle) : settle(), (resolved) =>
      answerAsUnderstood(resolved, () => share(resolved, work)),
    );
  };
}

/** What computes an answer: the roll-ups and slices that it needs first, then the handler. */
function createPreparation({
  moments,
  clock,
  missing,
  counts,
  places,
  refresh,
}: AnswerParts): (
  request: DecodedRequest,
  work: CallWork,
  patience: Patience,
) => Awaitable<CachedAnswer> {
  const garbage = new GarbageCollection("characters");
  const handle = (
    request: DecodedRequest,
    moment: Moment,
  ): CachedAnswer | Promise<CachedAnswer> => {
    const { operation, input } = request;
    counts.computed++;
    const now = clock();
    const context = contextOf(moment);
    const finish = (result: HandlerResult<unknown>) => {
      const needs = (refresh && operation.needs?.(input)) ?? [];
      const refused = operation.isEmpty?.(result.data, input)
        ? refresh?.explainEmpty?.(needs)
        : null;
      if (refused) throw refused;
      const lacks = refresh?.missing?.(needs) ?? [];
      const missingParts = lacks.length > 0 && { missing: lacks };
      const made = envelope(moment, request, result, { now, refresh });
      const answer = { ...made, ...missingParts };
      garbage.add(answer.body.length);
      return hasRecords(answer) ? answer : ended(answer);
    };
    try {
      const result = operation.handle(input, context);
      return result instanceof Promise ? result.then(finish) : finish(result);
    } catch (error) {
      missing.note(input, error);
      throw withLacks(error, (refresh && operation.needs?.(input)) ?? [], refresh);
    }
  };
  return (request, work, patience) => {
    const { operation, input } = request;
    const moment = moments.of(input);
    const { market, rollups } = moment;
    const countries = operation.companiesOf?.(input) ?? [];
    const compute = () =>
      places.run(() => {
        work.refuseEnded();
        const prepared = operation.prepare?.(input, contextOf(moment));
        return prepared ? prepared.then(() => handle(request, moment)) : handle(request, moment);
      });
    const key = symbolOf(input);
    const isUnknown = key !== null && !market.instruments.find(key);
    // What an unknown symbol may mean takes as long as its look-up: each has a turn of its own.
    const turn = isUnknown ? nextTurn() : undefined;
    const ready = countries.length > 0 ? rollups.prepare(countries, patience) : turn;
    return ready ? ready.then(compute) : compute();
  };
}

/** True for an answer that was made of records. */
const hasRecords = ({ source }: CachedAnswer) => source !== null;

/** The answer as one that has ended, so that no client keeps it: what is in it can change at any moment. */
function ended(answer: CachedAnswer): CachedAnswer {
  return { ...answer, madeAt: answer.madeAt - CACHE_MS };
}

/** An answer that was not made in time. */
export const tookTooLong = () =>
  unavailable(
    "The answer takes too long. Retry in 5 seconds, or ask for fewer symbols or a shorter range.",
    { retryAfterSeconds: 5 },
  );
/** The error of every call that has ended before its answer was made. */
const ENDED = tookTooLong();

/** The work of one call, which ends at its deadline and when its client has closed the connection. */
class CallWork {
  readonly #client: Client | undefined;
  #isLate = false;

  constructor(client: Client | undefined) {
    this.#client = client;
  }

  get hasEnded(): boolean {
    return this.#isLate || this.#client?.signal.aborted === true;
  }

  /** Ends the work at the deadline, and returns the error of the call. */
  end(): BourseError {
    this.#isLate = true;
    return ENDED;
  }

  /** @throws BourseError `unavailable` if the work has ended */
  refuseEnded(): void {
    if (this.hasEnded) throw ENDED;
  }
}

function envelope(
  { market, day }: Moment,
  { operation, input }: DecodedRequest,
  result: HandlerResult<unknown>,
  { now, refresh }: { readonly now: number; readonly refresh: Refresh | undefined },
): CachedAnswer {
  // A screen can have several countries.
  const country = operation.omitsCountry
    ? undefined
    : COUNTRY_CODES.find((code) => code === input["country"]);
  const as_of = new Date(now).toISOString();
  const provenance = provenanceOf(result.from, now);
  const delisted = describeDelisted(market, input);
  const explained = withReasons(operation, result, { day, refresh });
  const payload = delisted === null ? explained : { ...explained, delisted };
  const known =
    operation.sourceKey === null ? payload : withKnownOn(payload, day, operation.notRewound);
  const json = JSON.stringify(withSource(operation, known, provenance.source));
  return {
    body: `{${country ? `"country":"${country}",` : ""}"data":${json},"as_of":"${as_of}"}`,
    etag: `"${Bun.hash(json).toString(36)}"`,
    madeAt: now,
    ...provenance,
  };
}

/** The payload with the reasons of its missing figures and empty lists; as it is without any. */
function withReasons(
  { sourceKey }: Operation,
  { data, why }: HandlerResult<unknown>,
  { day, refresh }: Pick<Moment, "day"> & { readonly refresh: Refresh | undefined },
): object {
  const payload = data as object;
  // Keys beside entries that name their sources themselves would look like entries.
  if (sourceKey === null) return payload;
  const reasons = reasonsOf(payload, (gap: Gap) => {
    const found = why?.(gap);
    if (found === undefined) return "not_known";
    // What sources publish today says nothing about the records of a past day.
    if (found === "not_published" && day !== null) return "not_stored";
    if (found === null || typeof found === "string") return found;
    // Sources know nothing of a past day.
    const asked = day === null ? refresh?.whyAbsent?.(found) : undefined;
    return asked ?? "not_stored";
  });
  if (reasons === null) return payload;
  return { ...payload, ...(sourceKey ? { Reasons: reasonsText(reasons) } : { reasons }) };
}

/**
 * Remembers for 30 s which symbols were not found, so that the search for the closest symbol runs
 * once. A symbol that was stored since then is found at once.
 */
class MissingSymbols {
  readonly #moments: Moments;
  readonly #errors: TtlCache<BourseError>;

  constructor(moments: Moments, clock: () => number) {
    this.#moments = moments;
    this.#errors = createTtlCache({
      ttlMs: CACHE_MS,
      maxEntries: MAX_MISSING_SYMBOLS,
      maxWeight: MAX_MISSING_SYMBOLS,
      weigh: () => 1,
      clock,
    });
  }

  /** @throws BourseError if the arguments name a symbol that is remembered as missing */
  refuse(input: DecodedArguments): void {
    const key = symbolOf(input);
    const error = key && this.#errors.find(missingKey(key, input));
    if (key && error && !this.#moments.of(input).market.instruments.find(key)) throw error;
  }

  /** Remembers the error if it says that the symbol of the arguments was not found. */
  note(input: DecodedArguments, error: unknown): void {
    const key = symbolOf(input);
    if (key && isMissingSymbol(error)) this.#errors.set(missingKey(key, input), error);
  }
}

/** A symbol that is listed today may be unknown on a past day. */
const missingKey = ({ country, symbol }: InstrumentKey, { known_on: day }: DecodedArguments) =>
  `${country} ${symbol}${typeof day === "string" ? ` ${day}` : ""}`;

/** The error of something that was not found, with what sources refused: it may be among that. */
function withLacks(error: unknown, needs: readonly Need[], refresh: Refresh | undefined): unknown {
  if (!(error instanceof BourseError) || error.code !== "not_found") return error;
  const lacks = refresh?.missing?.(needs) ?? [];
  if (lacks.length === 0) return error;
  const hint = `${error.details.hint ?? ""} Sources refused, so it may be missing: ${lacks.join(" | ")}.`;
  return new BourseError(error.code, error.message, { ...error.details, hint: hint.trim() });
}

/** True for the error of a symbol that was not found. */
function isMissingSymbol(error: unknown): error is BourseError {
  return (
    error instanceof BourseError && error.code === "not_found" && error.details.param === "symbol"
  );
}

function symbolOf({ country, symbol }: DecodedArguments): InstrumentKey | null {
  return typeof country === "string" && typeof symbol === "string"
    ? ({ country, symbol } as InstrumentKey)
    : null;
}

/** The age of an answer's oldest record at `now` (UTC milliseconds), in whole seconds. */
export function ageSeconds({ storedAt }: CachedAnswer, now: number): number {
  return Math.max(0, Math.floor((now - storedAt) / 1000));
}

/** The distinct sources of the records, and the earliest time at which one was stored. */
function provenanceOf(
  from: Iterable<Provenance>,
  now: number,
): Pick<CachedAnswer, "source" | "storedAt" | "changedAt"> {
  const sources = new Set<string>();
  let [storedAt, changedAt] = [now, 0];
  for (const provenance of from) {
    sources.add(provenance.source);
    storedAt = Math.min(storedAt, provenance.storedAt);
    changedAt = Math.max(changedAt, provenance.storedAt);
  }
  return { source: [...sources].sort().join(", ") || null, storedAt, changedAt };
}
