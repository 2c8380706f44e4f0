import { invalidArgument } from "#domain/errors.ts";
import type { CompanyMetrics } from "#rollups/companies.ts";
import { formatSort, type Sort } from "./reading/metric-query.ts";

/** A place in a screen: by key, then by the company. */
interface Position {
  /** The value, negated for a descending order; infinite if it is unknown, so that it comes last. */
  readonly key: number;
  /** Its symbol. If several countries are screened, with its country: `US:AAPL`. */
  readonly id: string;
}

interface Ranked extends Position {
  readonly company: CompanyMetrics;
  readonly value: number | null;
}

/** Negative if `a` comes before `b`, for a sort. */
function compare(a: Position, b: Position): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.id < b.id ? -1 : a.id > b.id ? 1 : 0;
}

const keyOf = (value: number | null, order: Sort["order"]): number =>
  value === null ? Infinity : order === "ascending" ? value : -value;

/** The first companies in order. Sorts only as many companies as needed: a screen shows ten of 10,000. */
function takeFirst(ranked: readonly Ranked[], count: number): Ranked[] {
  const last = Float64Array.from(ranked, ({ key }) => key).sort()[count - 1] ?? Infinity;
  return ranked
    .filter(({ key }) => key <= last)
    .sort(compare)
    .slice(0, count);
}

/** At most `limit` companies after a position; with `both` half of them from each end. */
export function takePage(
  companies: readonly CompanyMetrics[],
  { order }: Sort,
  valueOf: (company: CompanyMetrics) => number | null,
  idOf: (company: CompanyMetrics) => string,
  limit: number,
  after: Position | null,
): { rows: readonly Ranked[]; hasMore: boolean } {
  const ranked = companies.map((company): Ranked => {
    const value = valueOf(company);
    return { company, value, key: keyOf(value, order), id: idOf(company) };
  });
  if (order === "both") return { rows: takeEnds(ranked, limit), hasMore: false };
  const left = after ? ranked.filter((one) => compare(one, after) > 0) : ranked;
  return { rows: takeFirst(left, limit), hasMore: left.length > limit };
}

/** The companies at both ends of a descending order. Those without a value are left out. */
function takeEnds(ranked: readonly Ranked[], limit: number): Ranked[] {
  const known = ranked.filter(({ value }) => value !== null);
  if (known.length <= limit) return takeFirst(known, limit);
  const bottom = Math.floor(limit / 2);
  const ascending = known.map((one) => ({ ...one, key: -one.key }));
  return [
    ...takeFirst(known, limit - bottom),
    ...(bottom > 0 ? takeFirst(ascending, bottom).toReversed() : []),
  ];
}

/** A cursor is opaque to callers. It names the sort and the last company of its page. */
export function formatCursor({ value, id }: Ranked, sort: Sort): string {
  return Buffer.from(JSON.stringify([formatSort(sort), value, id])).toString("base64url");
}

export function parseCursor(cursor: string, sort: Sort): Position {
  const [written, value, id] = decodeCursor(cursor);
  const isValue = value === null || typeof value === "number";
  if (written === formatSort(sort) && isValue && typeof id === "string") {
    return { key: keyOf(value, sort.order), id };
  }
  throw invalidArgument(
    "cursor must be the next_cursor of a previous answer with the same sort; omit it for the first page.",
    { param: "cursor" },
  );
}

function decodeCursor(cursor: string): unknown[] {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(decoded) ? decoded : [];
  } catch {
    return [];
  }
}
