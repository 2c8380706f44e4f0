import { BALANCE_ITEMS, type Statement, type StatementItem } from "#domain/statement.ts";
import type { FiscalQuarter } from "./fiscal-quarters.ts";
import type { SampleListing } from "./universe.ts";

const BALANCES: ReadonlySet<StatementItem> = new Set([...BALANCE_ITEMS, "sharesDiluted"]);

/**
 * The statements that the company had filed by the date: its quarters and years, oldest first.
 * Japanese companies report cumulatively: they have years to date instead of quarters.
 */
export function* filedStatements(
  listing: SampleListing,
  quarters: readonly FiscalQuarter[],
  today: string,
): Generator<Statement> {
  const { country, symbol, currency } = listing;
  let year: Statement["items"] | null = null;
  for (const quarter of quarters) {
    if (quarter.filedOn > today) return;
    year = quarter.fiscalQuarter === 1 || year === null ? quarter.items : sum(year, quarter.items);
    const { items, ...period } = quarter;
    const statement = { country, symbol, currency, ...period };
    if (country !== "JP") yield { ...statement, span: "quarter", items };
    else if (quarter.fiscalQuarter < 4) yield { ...statement, span: "year_to_date", items: year };
    if (quarter.fiscalQuarter === 4) yield { ...statement, span: "year", items: year };
  }
}

/** The sum of the flows of both periods, with the balances of the later one. */
function sum(earlier: Statement["items"], later: Statement["items"]): Statement["items"] {
  const total = { ...later };
  for (const item of Object.keys(later) as StatementItem[]) {
    const [a, b] = [earlier[item], later[item]];
    if (BALANCES.has(item) || a === null || b === null) continue;
    // Amounts are whole and add up exactly; earnings per share are rounded to hundredths.
    total[item] = item === "epsDiluted" ? Math.round(100 * (a + b)) / 100 : a + b;
  }
  return total;
}
