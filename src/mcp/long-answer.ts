import type { CachedAnswer } from "#operations/execute.ts";
import type { Operation } from "#operations/operation.ts";

// A long answer fills the context of a model. It gets the first and the last rows, and how to get the others.

/** Tokens above which an answer is cut, and of a cut answer. The default price history has up to 4,800. */
const MOST_TOKENS = 5_000;
const CUT_TOKENS = 3_500;
/** Shorter texts have fewer tokens: digits with their separators have two characters a token. */
const SHORT = 2 * MOST_TOKENS;
/** A list with fewer entries is no table. */
const LEAST_ENTRIES = 8;

/** Tools with a REST endpoint by contract: they have its payload, however long it is. */
const WHOLE = new Set(["get_macro_calendar"]);

/** Arguments that make an answer shorter. */
const NARROWING =
  "from to range interval limit metrics metric columns fields sector level sections figures period".split(
    " ",
  );

/** The rows that a cut answer leaves out. */
interface LeftOut {
  readonly total: number;
  readonly of: number;
  /** The payload without these rows. */
  readonly data: Readonly<Record<string, unknown>>;
}

const known = {
  withLinks: new WeakMap<CachedAnswer, CachedAnswer>(),
  without: new WeakMap<CachedAnswer, CachedAnswer>(),
};

/** The answer of an operation, cut if it is long. @param hasLinks false for a transport without an address for links */
export function shorten(
  operation: Operation,
  answer: CachedAnswer,
  hasLinks: boolean,
): CachedAnswer {
  const isShort = answer.body.length <= SHORT;
  if (isShort || WHOLE.has(operation.name) || operation.sourceKey === null) return answer;
  const shown = hasLinks ? known.withLinks : known.without;
  const found = shown.get(answer);
  if (found) return found;
  const cut = cutOf(answer.body);
  const short = cut === null ? answer : withRest(operation, cut, answer, hasLinks);
  shown.set(answer, short);
  return short;
}

/** The cut answer with how to get the rows that it leaves out. */
function withRest(
  { input }: Operation,
  { total, of, data }: LeftOut,
  answer: CachedAnswer,
  hasLinks: boolean,
): CachedAnswer {
  const { country, as_of } = JSON.parse(answer.body) as Record<string, unknown>;
  const narrowing = NARROWING.filter((name) => Object.hasOwn(input.properties, name));
  const fewer = narrowing.length === 0 ? "" : ` Fewer rows: ${narrowing.join(", ")}.`;
  const link = hasLinks ? " A link to all as CSV: as=csv_link." : "";
  const more = `The first and the last rows are shown.${link} All rows here: as=rows.${fewer}`;
  const body = JSON.stringify({
    ...(country !== undefined && { country }),
    data: { left_out: { total, of, more }, ...data },
    as_of,
  });
  return { ...answer, body };
}

/** The tokens of a text, about: words, groups of three digits, and what is between them. */
const countTokens = (text: string): number =>
  text.match(/[a-z]{1,8}|[A-Z]{1,3}|\d{1,3}|[^\sa-zA-Z\d]+/g)?.length ?? 0;

function cutOf(body: string): LeftOut | null {
  const tokens = countTokens(body);
  if (tokens <= MOST_TOKENS) return null;
  const { data } = JSON.parse(body) as { data: Record<string, unknown> };
  let size = tokens;
  let [total, of] = [0, 0];
  for (const lists of listsBySize(data)) {
    const [first] = lists;
    if (size <= CUT_TOKENS || first === undefined) break;
    const own = lists.reduce((sum, list) => sum + countTokens(JSON.stringify(list)), 0);
    const { length } = first;
    // Half of the rows that are kept come first, and half are the last ones.
    const share = Math.max(0, CUT_TOKENS - (size - own)) / own;
    const half = Math.max(2, Math.floor((length * share) / 2));
    if (2 * half >= length) continue;
    for (const list of lists) list.splice(half, length - 2 * half);
    if (of === 0) [total, of] = [length - 2 * half, length];
    size -= own * (1 - (2 * half) / length);
  }
  return of === 0 ? null : { total, of, data };
}

/** The lists of a payload that can be cut, longest first. Lists of one length, such as dates and closes, are cut together. */
function listsBySize(payload: Readonly<Record<string, unknown>>): unknown[][][] {
  const sizeOf = (group: readonly unknown[][]) => JSON.stringify(group).length;
  const parts = Object.entries(payload).flatMap(([name, value]) =>
    name !== "reasons" && isObject(value) ? [value] : [],
  );
  const lists = [payload, ...parts].flatMap(listsOf);
  return [...Map.groupBy(lists, ({ length }) => length).values()].sort(
    (a, b) => sizeOf(b) - sizeOf(a),
  );
}

/** The long lists of an object: the rows of a table, but not its columns; and no matrix, because labels are beside it. */
function listsOf(object: object): unknown[][] {
  const lists = Object.entries(object).filter(([, value]) => Array.isArray(value));
  const isTable = Object.hasOwn(object, "columns");
  if (!isTable && lists.some(([, [first]]) => Array.isArray(first))) return [];
  return lists.flatMap(([name, list]: [string, unknown[]]) =>
    name === "columns" || list.length < LEAST_ENTRIES ? [] : [list],
  );
}

const isObject = (value: unknown): value is object =>
  typeof value === "object" && value !== null && !Array.isArray(value);
