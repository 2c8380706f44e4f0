import { invalidArgument } from "#domain/errors.ts";
import { type Decimal, DECIMALS } from "#lib/csv.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { Cell, Table } from "#lib/table.ts";
import type { Caller } from "./caller.ts";
import { quoteValue, type RawArguments } from "./reading/decode.ts";
import {
  type CachedAnswer,
  type Client,
  type DecodedRequest,
  decodeRequest,
  type Executor,
  readPayload,
} from "./execute.ts";
import { type Operation, type TablePage, widestRoute } from "./operation.ts";

/** The value of the argument `as` that asks for a link to the CSV of a call instead of its rows. */
export const CSV_LINK = "csv_link";
/** What an answer has, the default first. */
export const LINK_FORMS = ["rows", CSV_LINK] as const;

/** Arguments that choose a page. A whole table has all pages. */
const PAGES = new Set(["cursor", "before"]);

/** A call for all rows of an operation. */
export interface TableCall {
  readonly operation: Operation;
  /** The arguments that were given, as text. Without a limit, there are as many rows as there can be. */
  readonly args: Readonly<Record<string, string>>;
  /** The call for the first page. */
  readonly first: DecodedRequest;
}

/** Makes a link to the CSV of a call. */
export type MakeCsvLink = (
  call: TableCall,
) => Promise<{ readonly url: string; readonly expiresAt: string }>;

/**
 * True if an argument `as` asks for a link; false if it is left out.
 *
 * @throws BourseError `invalid_argument` for another value
 */
export function asksForLink(value: unknown): boolean {
  if (value === undefined || value === null || value === LINK_FORMS[0]) return false;
  if (typeof value === "string" && /^csv([-_ ]?link)?$/i.test(value)) return true;
  throw invalidArgument(
    `as must be ${CSV_LINK}, a link to all rows as CSV, or ${LINK_FORMS[0]}, the default; not ${quoteValue(value)}.`,
    { param: "as", allowed: LINK_FORMS },
  );
}

/**
 * What a query parameter `decimal` puts before the decimals of numbers in CSV; a point if it is left out.
 *
 * @throws BourseError `invalid_argument` for another value
 */
export function readDecimal(text: string | null): Decimal {
  if (text === null || text === "") return DECIMALS[0];
  const found = DECIMALS.find((one) => one === text.toLowerCase());
  if (found) return found;
  throw invalidArgument(`decimal must be ${DECIMALS.join(" or ")}, not ${quoteValue(text)}.`, {
    param: "decimal",
    allowed: DECIMALS,
    hint: "decimal=comma writes 0,236 and separates cells by semicolons.",
  });
}

/** Reads a call for all rows; words are read as over MCP. @throws BourseError if the operation refuses the arguments */
export function decodeTableCall(operation: Operation, raw: RawArguments): TableCall {
  const { tableArguments } = operation;
  const route = widestRoute(operation);
  const given = Object.entries(raw).filter(
    ([name, value]) => (value ?? null) !== null && !PAGES.has(name),
  );
  const { limit } = route.input.properties;
  const most = limit?.["maximum"] as number | undefined;
  const all = { ...(most !== undefined && { limit: most }), ...Object.fromEntries(given) };
  const first = decodeRequest(operation, { ...all, ...tableArguments }, route, true);
  const args = Object.fromEntries(given.map(([name]) => [name, String(first.input[name])]));
  return { operation, args, first };
}

/** The text that a link signs: the operation with its arguments, in any order the same. */
export function canonicalCall({ name }: Operation, args: Readonly<Record<string, string>>): string {
  const query = new URLSearchParams(args);
  query.sort();
  return `${name}?${query.toString()}`;
}

/** Answers a call with a link to its CSV, and what the file has. The answer is made for this caller only. */
export async function answerLink(
  executor: Executor,
  call: TableCall,
  makeLink: MakeCsvLink,
  caller: Caller,
  client?: Client,
): Promise<CachedAnswer> {
  const { url, expiresAt } = await makeLink(call);
  const answer = await executor.execute(call.first, withoutToken(caller), client);
  const { data, ...envelope } = JSON.parse(answer.body) as { data: Record<string, unknown> };
  const { columns, rows, total } = pageOf(call, data);
  const { source, understood_as } = data;
  const about = {
    ...(understood_as !== undefined && { understood_as }),
    [CSV_LINK]: url,
    expires_at: expiresAt,
    columns,
    row_count: Math.min(total ?? rows.length, Number(call.args["limit"] ?? Infinity)),
    ...(source !== undefined && { source }),
  };
  const { country, as_of } = envelope as { country?: string; as_of?: string };
  const body = JSON.stringify({ ...(country !== undefined && { country }), data: about, as_of });
  const file = { url, name: `${call.operation.name}.csv` };
  return { ...answer, body, etag: `"${Bun.hash(body).toString(36)}"`, file };
}

/** The caller of a file, which can be read several times. So it is no brief that the token's next one continues. */
function withoutToken(caller: Caller): Caller {
  const { tokenId: _, ...others } = caller;
  return others;
}

/** All rows of a call, and the answer with the first of them. Each page is read in a turn of its own. */
export async function readWholeTable(
  executor: Pick<Executor, "execute">,
  call: TableCall,
  caller?: Caller,
): Promise<{ first: CachedAnswer; table: Table }> {
  const { operation, args } = call;
  const reader = caller && withoutToken(caller);
  const first = await executor.execute(call.first, reader);
  let page = pageOf(call, await readPayload(first));
  const { columns } = page;
  const rows: (readonly Cell[])[] = [...page.rows];
  const limit = Number(args["limit"] ?? Infinity);
  const isSeries = page.next && !Object.hasOwn(page.next, "cursor");
  while (page.next && rows.length < limit) {
    await nextTurn();
    const { input } = call.first;
    const next = decodeRequest(operation, { ...input, ...page.next }, widestRoute(operation), true);
    page = pageOf(call, await readPayload(await executor.execute(next, reader)));
    // The pages of a series lead back in time.
    if (isSeries) rows.unshift(...page.rows);
    else rows.push(...page.rows);
  }
  return { first, table: { columns, rows } };
}

function pageOf({ operation, first }: TableCall, data: Record<string, unknown>): TablePage {
  if (operation.table) return operation.table(data, first.input);
  throw invalidArgument(`${operation.name} has no rows; leave as out.`, { param: "as" });
}
