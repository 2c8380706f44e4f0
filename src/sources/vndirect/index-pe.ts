import { Type } from "@sinclair/typebox";
import type { IndexPe } from "#domain/macro.ts";
import { Nullable } from "#domain/schema.ts";
import { dateOf, isDate } from "#lib/date.ts";
import { answerReader } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { BadRow, finishReading, readList } from "#sources/list.ts";
import { VNDIRECT } from "./source.ts";

const ROWS_PER_PAGE = 1_000;
/** Thirty years of sessions. */
const MAX_PAGES = 8;
/** A ratio that differs from the median of its month by this factor is wrong: no month moved the index so far. */
const FARTHEST = 1.5;

/** The ratios of the VN-Index since 2017, page by page. */
const ADDRESS =
  "https://api-finfo.vndirect.com.vn/v4/ratios?q=code:VNINDEX~ratioCode:PRICE_TO_EARNINGS&sort=reportDate:asc";

const readPage = answerReader(
  VNDIRECT,
  Type.Object({
    data: Type.Array(
      Type.Object({
        code: Type.String(),
        ratioCode: Type.String(),
        reportDate: Type.String(),
        value: Nullable(Type.Number()),
      }),
      { maxItems: ROWS_PER_PAGE },
    ),
  }),
);

/**
 * The P/E of the VN-Index by month, as the broker computes it by day: the last one of each month, and the newest of
 * the current month. A day without earnings has no ratio.
 */
export const vndirectPe = defineFetcher({
  kind: "indexPe",
  source: VNDIRECT,
  countries: ["VN"],
  scope: "country",
  async fetch(_query, client) {
    const rows: ReturnType<typeof readPage>["data"] = [];
    for (let page = 1; page <= MAX_PAGES; page++) {
      const answer = await client.request(`${ADDRESS}&size=${ROWS_PER_PAGE}&page=${page}`);
      const { data } = readPage(await answer.json());
      rows.push(...data);
      if (data.length < ROWS_PER_PAGE) return rows;
    }
    throw VNDIRECT.error("invalid_answer", "the list does not end");
  },
  *transform(rows, { now }) {
    const today = dateOf(now);
    const days = finishReading(
      readList(rows, ({ code, ratioCode, reportDate, value }) => {
        const date = reportDate.slice(0, 10);
        if (code !== "VNINDEX" || ratioCode !== "PRICE_TO_EARNINGS" || !isDate(date))
          throw VNDIRECT.error("invalid_answer", "a row is not a day of the index");
        return { date, pe: value };
      }),
    );
    const months = Map.groupBy(
      days.flatMap(({ date, pe }) => (pe === null || pe <= 0 || date > today ? [] : { date, pe })),
      ({ date }) => date.slice(0, 7),
    );
    const records: IndexPe[] = [];
    for (const [month, all] of months) {
      const usual = all.map(({ pe }) => pe).sort((a, b) => a - b)[Math.floor(all.length / 2)] ?? 0;
      const { pe } = all.reduce((last, one) => (one.date >= last.date ? one : last));
      if (pe < usual * FARTHEST && pe > usual / FARTHEST) {
        records.push({ country: "VN", month, pe });
        continue;
      }
      const reason = `the last ratio of ${month}, ${pe}, is far from its others, ${usual}`;
      yield new BadRow(VNDIRECT.error("invalid_answer", reason), null, false);
    }
    if (records.length === 0) throw VNDIRECT.error("nothing", "no month has a ratio");
    yield* records.sort((a, b) => a.month.localeCompare(b.month));
  },
});
