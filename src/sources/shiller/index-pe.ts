import type { IndexPe } from "#domain/macro.ts";
import { CsvError, csvRows } from "#lib/csv.ts";
import { checkLastLine } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { SHILLER } from "./source.ts";

/**
 * The S&P 500's price/earnings ratio by month: the month's average price over reported earnings of
 * twelve months. Later months have a price but zero earnings: these are not published yet.
 */
export const shillerPe = defineFetcher({
  kind: "indexPe",
  source: SHILLER,
  countries: ["US"],
  scope: "country",
  async fetch(_query, client): Promise<string> {
    const answer = await client.request(
      "https://raw.githubusercontent.com/datasets/s-and-p-500/main/data/data.csv",
      { form: "lines" },
    );
    return answer.text();
  },
  transform(csv): IndexPe[] {
    const months: IndexPe[] = [];
    try {
      const [header, ...rows] = csvRows(csv);
      const [date, price, earnings] = ["Date", "SP500", "Earnings"].map(
        (name) => header?.cells.indexOf(name) ?? -1,
      );
      if (date === undefined || price === undefined || earnings === undefined)
        throw SHILLER.error("invalid_answer", "it has other columns than documented");
      if (date < 0 || price < 0 || earnings < 0)
        throw SHILLER.error("invalid_answer", "it has other columns than documented");
      checkLastLine(SHILLER, csv);
      for (const { cells, line } of rows) {
        const month = /^(\d{4}-(?:0[1-9]|1[0-2]))-\d{2}$/.exec(cells[date] ?? "")?.[1];
        const [level, earned] = [Number(cells[price] || 0), Number(cells[earnings] || 0)];
        if (month === undefined || !Number.isFinite(level) || !Number.isFinite(earned))
          throw SHILLER.error("invalid_answer", `line ${line} is not a month with its figures`);
        if (level > 0 && earned > 0) months.push({ country: "US", month, pe: level / earned });
      }
    } catch (error) {
      if (error instanceof CsvError)
        throw SHILLER.error("invalid_answer", `line ${error.line}: ${error.message}`);
      throw error;
    }
    if (months.length === 0) throw SHILLER.error("nothing", "no month has earnings");
    return months;
  },
});
