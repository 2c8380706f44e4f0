import type { EarningsResult } from "#domain/earnings-results.ts";
import { dateOf } from "#lib/date.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { figureOf, isIn } from "./answer.ts";
import { monthOfEnd } from "./fiscal-period.ts";
import { parseQuoteSummary, requestQuoteSummary } from "./quote-summary.ts";
import { YAHOO } from "./source.ts";
import { companyOf } from "./symbol.ts";

/** The results of the last four quarters of a company, without report dates. The analysts' answer has them. */
export const yahooResults = defineFetcher({
  kind: "earningsResults",
  source: YAHOO,
  countries: ["US", "JP", "VN"],
  scope: "instrument",
  fetch: async (query, client) => requestQuoteSummary(client, companyOf(query)),
  transform(answer: unknown, query) {
    const company = companyOf(query);
    const { country, symbol, currency } = company;
    const { earningsHistory, financialData } = parseQuoteSummary(answer, company);
    const results = new Map<string, EarningsResult>();
    for (const row of earningsHistory?.history ?? []) {
      const [end, epsActual] = [figureOf(row.quarter), figureOf(row.epsActual)];
      if (end === null || epsActual === null) continue;
      if (!isIn(currency, row.currency ?? financialData?.financialCurrency)) continue;
      const { year, month } = monthOfEnd(dateOf(end * 1000));
      const quarterEnd = `${year}-${String(month).padStart(2, "0")}`;
      const epsEstimate = figureOf(row.epsEstimate);
      results.set(quarterEnd, { quarterEnd, reportedOn: null, epsActual, epsEstimate });
    }
    if (results.size === 0) throw YAHOO.error("nothing", "it has no past results of the company");
    const ordered = [...results.values()].sort((a, b) => a.quarterEnd.localeCompare(b.quarterEnd));
    return [{ country, symbol, results: ordered }];
  },
});
