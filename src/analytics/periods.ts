import { BALANCE_ITEMS, type Statement, type StatementItem } from "#domain/statement.ts";
import { knownStatements, type KnownStatements } from "./ttm.ts";

const BALANCES: ReadonlySet<StatementItem> = new Set(BALANCE_ITEMS);

/**
 * The whole fiscal years, or the single fiscal quarters, that were known on the date `asOf`, newest
 * first.
 *
 * A quarter that was reported only cumulatively is the difference of two spans: year to date less
 * the year to date one quarter before, the fourth quarter the year less three. Balances are those at
 * its end; `sharesDiluted`, an average, is null in a difference.
 */
export function listPeriods(
  statements: readonly Statement[],
  asOf: string,
  period: "annual" | "quarterly",
): Statement[] {
  const known = knownStatements(statements, asOf);
  const numbers = new Set(
    period === "annual"
      ? known.bySpan.year.keys()
      : Object.values(known.bySpan).flatMap((span) => [...span.keys()]),
  );
  return [...numbers]
    .sort((a, b) => b - a)
    .map((number) =>
      period === "annual" ? known.bySpan.year.get(number) : singleQuarter(known, number),
    )
    .filter((statement) => statement !== undefined);
}

function singleQuarter({ bySpan }: KnownStatements, number: number): Statement | undefined {
  const reported = bySpan.quarter.get(number);
  if (reported) return reported;
  const cumulative = bySpan.year_to_date.get(number) ?? bySpan.year.get(number);
  if (!cumulative) return undefined;
  if (cumulative.fiscalQuarter === 1) return { ...cumulative, span: "quarter" };
  const before = bySpan.year_to_date.get(number - 1);
  return (
    before && { ...cumulative, span: "quarter", items: difference(cumulative.items, before.items) }
  );
}

function difference(items: Statement["items"], before: Statement["items"]): Statement["items"] {
  const single = { ...items, sharesDiluted: null };
  for (const item of Object.keys(single) as StatementItem[]) {
    if (BALANCES.has(item) || item === "sharesDiluted") continue;
    const [now, then] = [items[item], before[item]];
    single[item] = now === null || then === null ? null : now - then;
  }
  return single;
}
