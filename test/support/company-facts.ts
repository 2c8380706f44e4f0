import type { Split } from "#domain/split.ts";
import type { Statement } from "#domain/statement.ts";
import type { LiveQuery } from "#sources/fetcher.ts";
import { secStatements } from "#sources/sec/statements.ts";
import { transformed } from "./fetcher.ts";
import { instrument } from "./market.ts";

/** A query of the SEC for a company, or for all if the symbol is null. */
export const secQuery = (symbol: string | null, now = Date.UTC(2026, 2, 21)): LiveQuery => ({
  now,
  after: null,
  country: "US",
  instrument:
    symbol === null ? null : instrument("US", symbol, { name: symbol, exchange: "NASDAQ" }),
});

/** What else is known of a company. */
interface Known {
  readonly splits?: readonly Split[];
  readonly predecessor?: unknown;
}

/** The statements from a company's facts. */
export function statementsOf(
  own: unknown,
  symbol = "FAKE",
  { splits, predecessor = null }: Known = {},
): Statement[] {
  const query = { ...secQuery(symbol), ...(splits && { splitsOf: () => splits }) };
  return transformed("statements", secStatements, { own, predecessor }, query);
}

/** The statement of a span and a fiscal quarter. @throws if there is none */
export function findStatement(
  statements: readonly Statement[],
  span: Statement["span"],
  year: number,
  quarter = 4,
): Statement {
  const found = statements.find(
    (one) => one.span === span && one.fiscalYear === year && one.fiscalQuarter === quarter,
  );
  if (!found) throw new Error(`no ${span} ${year} Q${quarter}`);
  return found;
}

/** A fact of one tag: start (or null), end, value, filed, form, fy, fp. */
export type FakeFact = [string | null, string, number, string, string?, number?, string?];

/** The year 2024 and its first two quarters, of one tag. */
export const year2024 = (year: number, first?: number, second?: number): FakeFact[] => [
  ["2024-01-01", "2024-12-31", year, "2025-02-20", "10-K", 2024],
  ...(first === undefined
    ? []
    : [["2024-01-01", "2024-03-31", first, "2024-05-01", "10-Q", 2024, "Q1"] as FakeFact]),
  ...(second === undefined
    ? []
    : [["2024-04-01", "2024-06-30", second, "2024-08-01", "10-Q", 2024, "Q2"] as FakeFact]),
];

/** The year 2024, its first quarter and its first half, of a tag of the cash flow statement. */
export const cashFlow2024 = (year: number, first: number, half: number): FakeFact[] => [
  ...year2024(year, first),
  ["2024-01-01", "2024-06-30", half, "2024-08-01", "10-Q", 2024, "Q2"],
];

/** Companyfacts of an invented company; `filer` begins the accession numbers. */
export function fakeFacts(
  tags: Record<string, FakeFact[]>,
  { taxonomy = "us-gaap", currency = "USD", filer = "0000000001" } = {},
) {
  const unitOf = (tag: string) => {
    if (/PerShare/.test(tag)) return `${currency}/shares`;
    return /Shares/.test(tag) ? "shares" : currency;
  };
  const rows = (facts: FakeFact[]) =>
    facts.map(([start, end, val, filed, form = "10-K", fy = 0, fp = "FY"]) => ({
      ...(start !== null && { start }),
      end,
      val,
      accn: `${filer}-${filed}-${form}`,
      fy,
      fp,
      form,
      filed,
    }));
  const facts: Record<
    string,
    Record<string, { label: string; units: Record<string, ReturnType<typeof rows>> }>
  > = {};
  for (const [tag, list] of Object.entries(tags)) {
    const name = tag.startsWith("Entity") ? "dei" : taxonomy;
    facts[name] = { ...facts[name], [tag]: { label: tag, units: { [unitOf(tag)]: rows(list) } } };
  }
  return { cik: 1, entityName: "Fake", facts };
}
