import { invalidArgument } from "#domain/errors.ts";
import { type Awaitable, whenKnown } from "#lib/awaitable.ts";
import { type Decimal, formatCsv } from "#lib/csv.ts";
import { type CachedAnswer, type DecodedRequest, readPayload } from "#operations/execute.ts";
import type { Operation, TablePage } from "#operations/operation.ts";
import { qualitiesOf } from "./headers.ts";

/** The formats of a REST answer, the default first. */
export const FORMATS = ["json", "csv"] as const;

/** The format of a REST answer. Only operations with a table have CSV. */
export type Format = (typeof FORMATS)[number];

/**
 * The format of a query parameter `format`; null if it is left out.
 *
 * @throws BourseError `invalid_argument` if the operation does not have that format
 */
export function readFormat({ name, table }: Operation, text: string | null): Format | null {
  if (text === null || text === "json" || (text === "csv" && table)) return text;
  throw invalidArgument(
    text === "csv"
      ? `format must be json, because ${name} has no table.`
      : `format must be ${table ? "json or csv" : "json"}, not ${JSON.stringify(text.slice(0, 40))}.`,
    { param: "format", allowed: table ? FORMATS : ["json"] },
  );
}

/** True if an `Accept` header names CSV, and does not prefer JSON. */
export function prefersCsv(accept: string): boolean {
  if (!accept.toLowerCase().includes("text/csv")) return false;
  const qualities = qualitiesOf(accept);
  const csv = qualities.get("text/csv") ?? 0;
  return csv > 0 && csv >= (qualities.get("application/json") ?? 0);
}

/** How tables in a JSON answer are written: `columns` and `rows` of lists, or `rows` of objects. */
export const ROW_FORMS = ["lists", "objects"] as const;

/** True if the answers of the operation can have `columns` and `rows`. */
export function hasRows({ output }: Pick<Operation, "output">): boolean {
  return JSON.stringify(output).includes('"columns":');
}

/**
 * True if a query parameter `rows` asks for objects; false if it is left out.
 *
 * @throws BourseError `invalid_argument` for another value
 */
export function readRowForm(text: string | null): boolean {
  if (text === null || text === "lists" || text === "objects") return text === "objects";
  throw invalidArgument(
    `rows must be lists or objects, not ${JSON.stringify(text.slice(0, 40))}.`,
    { param: "rows", allowed: ROW_FORMS },
  );
}

const objectAnswers = new WeakMap<CachedAnswer, CachedAnswer>();

/** The cached answer with an object for each row of its tables. It is written once. */
export function withRowObjects(cached: CachedAnswer): CachedAnswer {
  const known = objectAnswers.get(cached);
  if (known) return known;
  const answer = {
    ...cached,
    body: JSON.stringify(toObjects(JSON.parse(cached.body))),
    etag: cached.etag.replace(/"$/, '.rows"'),
  };
  objectAnswers.set(cached, answer);
  return answer;
}

/** The value with each table, at any depth, as `rows` of objects by column. `columns` stays. */
function toObjects(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toObjects);
  const { columns, rows } = value as { columns?: unknown; rows?: unknown };
  const fields = Object.entries(value).map(([name, inner]) => [name, toObjects(inner)] as const);
  if (!Array.isArray(columns) || !Array.isArray(rows)) return Object.fromEntries(fields);
  const objects = (rows as unknown[][]).map((row) =>
    Object.fromEntries(columns.map((column, i) => [String(column), row[i]])),
  );
  return { ...Object.fromEntries(fields), rows: objects };
}

/** A cached answer as CSV, which cannot say in its rows how many there are. */
interface CsvAnswer extends CachedAnswer, Pick<TablePage, "total" | "next"> {}

const csvAnswers: Readonly<Record<Decimal, WeakMap<CachedAnswer, CsvAnswer>>> = {
  point: new WeakMap(),
  comma: new WeakMap(),
};

/** The cached answer with its table as CSV. It is formatted once with each decimal mark. */
export function toCsv(
  cached: CachedAnswer,
  table: NonNullable<Operation["table"]>,
  input: DecodedRequest["input"],
  decimal: Decimal,
): Awaitable<CsvAnswer> {
  const known = csvAnswers[decimal].get(cached);
  if (known) return known;
  return whenKnown(readPayload(cached), (data) => {
    const { total, next = null, ...rows } = table(data, input);
    const body = formatCsv(rows, decimal);
    const etag = cached.etag.replace(/"$/, decimal === "comma" ? '.comma.csv"' : '.csv"');
    const csv = { ...cached, total, next, body, etag };
    csvAnswers[decimal].set(cached, csv);
    return csv;
  });
}

/** Adds how many rows there are on all pages, and the address of the next page (RFC 8288). */
export function addPageHeaders(headers: Headers, url: string, { total, next }: CsvAnswer): void {
  if (total !== undefined) headers.set("X-Total-Count", String(total));
  if (!next) return;
  const [path = "", query] = url.replace(/^https?:\/\/[^/?#]*/, "").split("?", 2);
  const parameters = new URLSearchParams(query);
  for (const [name, value] of Object.entries(next)) parameters.set(name, value);
  headers.append("Link", `<${path}?${parameters.toString()}>; rel="next"`);
}
