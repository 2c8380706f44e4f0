import type { BarHistory } from "#domain/daily-bar.ts";
import type { DividendHistory } from "#domain/dividend.ts";
import { type Adjustment, splitRatio } from "#domain/split.ts";
import type { Statement } from "#domain/statement.ts";
import type { ClosesFact, DividendFact, PublishedFact, StatementFact } from "./facts.ts";

/** What a source says today about a published figure. */
export interface FactResult {
  /** The figure: `AAPL epsDiluted 2019-09-28`. */
  readonly fact: string;
  /** As it was published, and in today's shares. */
  readonly published: number;
  readonly adjusted: number;
  /** Null if the source's answer does not reach back to it. */
  readonly found: number | null;
  /** Null without a figure, for a wrong figure, and for one that no split or dividend changes. */
  readonly adjustment: Adjustment | null;
  readonly origin: string;
  /** What is wrong; null if the figure is right, or not in the answer. */
  readonly fault: string | null;
}

/** EPS have two decimals, so 0.2 % covers the rounding of 2.97. Amounts are exact. */
const TOLERANCE = 0.002;
/** Below the effect of one dividend; covers the rounding of prices. */
const CLOSE_TOLERANCE = 0.0005;
/** An adjustment for cash dividends since the second close leaves at least this part of that close. */
const LEAST_AFTER_DIVIDENDS = 0.3;
/** After any session. */
const TODAY = "9999-12-31";

const isNear = (found: number, wanted: number, tolerance = TOLERANCE) =>
  Math.abs(found / wanted - 1) <= tolerance;

/** Compares a published figure with the records of its kind and symbol. */
export function checkFact(fact: PublishedFact, records: readonly unknown[]): FactResult {
  switch (fact.kind) {
    case "statements":
      return checkStatement(fact, records as readonly Statement[]);
    case "bars":
      return checkCloses(fact, records as readonly BarHistory[]);
    case "dividends":
      return checkDividend(fact, records as readonly DividendHistory[]);
  }
}

function resultOf(
  { symbol, origin }: PublishedFact,
  figure: string,
  values: Pick<FactResult, "published" | "adjusted" | "found">,
  verdict: Partial<Pick<FactResult, "adjustment" | "fault">>,
): FactResult {
  return {
    fact: `${symbol} ${figure}`,
    ...values,
    adjustment: verdict.adjustment ?? null,
    origin,
    fault: verdict.fault ?? null,
  };
}

/** The adjustment of a figure per share; null if it is wrong, or if no split changed it. */
function adjustmentOf(found: number, published: number, adjusted: number): "none" | "split" | null {
  if (published === adjusted) return null;
  return isNear(found, adjusted) ? "split" : isNear(found, published) ? "none" : null;
}

function wrong(found: number, { published, adjusted }: Pick<FactResult, "published" | "adjusted">) {
  const both =
    published === adjusted ? "" : ` and ${ratioText(found / adjusted)} times the adjusted`;
  return `it is ${ratioText(found / published)} times the published figure${both}`;
}

const ratioText = (ratio: number) => String(Number(ratio.toPrecision(4)));

function checkStatement(fact: StatementFact, records: readonly Statement[]): FactResult {
  const { item, periodEnd, splits, filed: published } = fact;
  const year = records.find(
    (one) => one.span === "year" && one.periodEnd.slice(0, 7) === periodEnd.slice(0, 7),
  );
  const found = year?.items[item] ?? null;
  const ratio = item === "epsDiluted" ? splitRatio(splits, periodEnd, TODAY) : 1;
  const values = { published, adjusted: published / ratio, found };
  const result = (verdict: Partial<FactResult>) =>
    resultOf(fact, `${item} ${periodEnd}`, values, verdict);
  if (!year || found === null) return result({});
  if (!isNear(found, published) && !isNear(found, values.adjusted))
    return result({ fault: wrong(found, values) });
  const adjustment = adjustmentOf(found, published, values.adjusted);
  // The store adjusts by the splits after this day.
  const left = splitRatio(splits, year.sharesAsOf ?? TODAY, TODAY);
  const served = adjustment === null ? values.adjusted : found / left;
  if (isNear(served, values.adjusted)) return result({ adjustment });
  const asOf = year.sharesAsOf ?? "today";
  return result({
    adjustment,
    fault: `the record names the shares of ${asOf}, so it would be served as ${ratioText(served)}`,
  });
}

function checkCloses(fact: ClosesFact, records: readonly BarHistory[]): FactResult {
  const [first, second] = fact.closes.map(({ date, close }) => {
    const found = records[0]?.bars.find((bar) => bar.date === date)?.close ?? null;
    return { date, close, found, adjusted: close / splitRatio(fact.splits, date, TODAY) };
  });
  if (!first || !second) throw new Error("a fact about prices has two closes");
  const values = { published: first.close, adjusted: first.adjusted, found: first.found };
  const result = (verdict: Partial<FactResult>) =>
    resultOf(fact, `close ${first.date}`, values, verdict);
  if (first.found === null || second.found === null) return result({});
  const parts = [first.found / first.adjusted, second.found / second.adjusted] as const;
  if (parts.every((part) => isNear(part, 1, CLOSE_TOLERANCE)))
    return result({ adjustment: "split" });
  if (isNear(first.found, first.close) && isNear(second.found, second.close))
    return result({ adjustment: "none", fault: "it is not adjusted for the split" });
  const [earlier, later] = parts;
  const isPlausible = later >= LEAST_AFTER_DIVIDENDS && later <= 1 + CLOSE_TOLERANCE;
  if (isPlausible && isNear(earlier / later, fact.afterDividends, fact.tolerance))
    return result({ adjustment: "total", fault: "it is adjusted for cash dividends too" });
  const fault = wrong(first.found, values);
  return result({
    fault: isNear(earlier, later)
      ? `${fault}, and so is the close of ${second.date}: is there a newer split?`
      : fault,
  });
}

function checkDividend(fact: DividendFact, records: readonly DividendHistory[]): FactResult {
  const { exDate, declared: published, splits } = fact;
  const paid = records[0]?.dividends.find((one) => one.exDate === exDate);
  const found = paid?.amount ?? null;
  // Splits on the day itself come first.
  const values = { published, adjusted: published / splitRatio(splits, exDate, TODAY), found };
  const result = (verdict: Partial<FactResult>) =>
    resultOf(fact, `dividend ${exDate}`, values, verdict);
  if (found === null) return result({});
  const adjustment = adjustmentOf(found, published, values.adjusted);
  if (adjustment === "none")
    return result({ adjustment, fault: "it is not adjusted for the split" });
  if (isNear(found, values.adjusted)) return result({ adjustment });
  return result({ fault: wrong(found, values) });
}
