import { BourseError } from "#domain/errors.ts";
import { formatCsv } from "#lib/csv.ts";
import type { CachedAnswer } from "#operations/execute.ts";
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
  throw new BourseError(
    "invalid_argument",
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

/** A cached answer as CSV, which cannot say in its rows how many there are. */
interface CsvAnswer extends CachedAnswer, Pick<TablePage, "total" | "next"> {}

const csvAnswers = new WeakMap<CachedAnswer, CsvAnswer>();

/** The cached answer with its table as CSV. It is formatted once. */
export function toCsv(cached: CachedAnswer, table: NonNullable<Operation["table"]>): CsvAnswer {
  const known = csvAnswers.get(cached);
  if (known) return known;
  const { data } = JSON.parse(cached.body) as { data: unknown };
  const { total, next = null, ...rows } = table(data);
  const csv = {
    ...cached,
    total,
    next,
    body: formatCsv(rows),
    etag: cached.etag.replace(/"$/, '.csv"'),
  };
  csvAnswers.set(cached, csv);
  return csv;
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
