import { today } from "#console/app/days.ts";
import { type AnswerOf, type Call, isSettled, type Resource, useData } from "#console/app/api.ts";
import {
  formatDate,
  formatMonth,
  formatNumber,
  formatPerShare,
  formatPlainPercent,
  MISSING,
} from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { BarGroups } from "#console/app/parts/bar-groups.tsx";
import { FIRST_DATE } from "#console/app/parts/chart-range.ts";
import { DataTable } from "#console/app/parts/data-table.tsx";
import { dividendYears, isSinceFirstYear } from "./dividend-years.ts";
import { Figures } from "#console/app/parts/figures.tsx";
import { useMeanings } from "#console/app/parts/meanings.tsx";
import { NoRecord, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import { t, translate } from "#console/app/words.ts";
import { figuresCall, rowOf } from "./figures.tsx";

/** The dividends that are listed. */
const LISTED = 12;

/** The cash dividends by year, with what they yield and when the next one comes. */
export function DividendsPanel(props: {
  readonly subject: Subject;
  readonly figures: Resource<AnswerOf<"compare_stocks">>;
}) {
  const { subject, figures } = props;
  const call: Call<"get_stock_price_history"> = {
    operation: "get_stock_price_history",
    args: { ...subject, from: FIRST_DATE, limit: 1, dividends: true },
  };
  const history = useData(call);
  // Drawn when all is there, so that nothing moves.
  const drawn = isSettled(figures) ? history : { ...history, value: null };
  return (
    <Panel title="Dividends" calls={[call, figuresCall(subject)]} answer={history.value}>
      <Loaded of={drawn} lines={8}>
        {({ data: { name, currency, dividends, begins } }) => {
          const rows = (dividends ? rowsOf(dividends) : []).map((row) => ({
            date: textIn(row, "ex_date"),
            amount: numberIn(row, "amount"),
          }));
          if (!dividends)
            return <NoRecord>{t("The dividends of {name} are not known.", { name })}</NoRecord>;
          if (rows.length === 0)
            return <NoRecord>{t("{name} has paid no dividend.", { name })}</NoRecord>;
          return (
            <div class="dividends">
              <div class="figures-wide">
                <DividendFigures row={rowOf(figures)} begins={begins} asOf={today()} />
                <DividendYears years={dividendYears(rows, begins)} currency={currency} />
              </div>
              <DataTable
                label="Newest dividends"
                rows={rows.slice(-LISTED).toReversed()}
                keyOf={({ date }) => date}
                columns={[
                  {
                    title: "Ex-date",
                    cell: ({ date }) => <time dateTime={date}>{formatDate(date)}</time>,
                  },
                  {
                    title: translate(`Amount, ${currency}`),
                    isNumber: true,
                    cell: ({ amount }) => formatPerShare(amount, currency),
                  },
                ]}
              />
            </div>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function DividendYears(props: {
  readonly years: ReturnType<typeof dividendYears>;
  readonly currency: string;
}) {
  const { years, currency } = props;
  if (years.length === 0) return null;
  return (
    <BarGroups
      label={t("Dividends per share by year")}
      groups={years.map(({ year }, i) => ({
        name: year,
        // A phone has no room for every year.
        label: (years.length - 1 - i) % 2 === 0 ? year : "",
      }))}
      series={[
        {
          name: t("Per share and calendar year, {currency}; the current year so far", { currency }),
          values: years.map(({ sum }) => sum),
        },
      ]}
      format={(value) => formatPerShare(value, currency)}
    />
  );
}

/** The years of raises in a row: `9 or more` if the stored history begins with them. */
function raisedText(raised: number | null, begins: string | undefined, asOf: string): string {
  if (raised === null) return MISSING;
  if (!isSinceFirstYear(raised, begins, asOf)) return formatNumber(raised, 0);
  return raised === 0 ? MISSING : t("{count} or more", { count: raised });
}

function DividendFigures(props: {
  readonly row: Row;
  /** The first stored date. */
  readonly begins: string | undefined;
  readonly asOf: string;
}) {
  const { row, begins, asOf } = props;
  const meaningOf = useMeanings();
  const since =
    begins && t("Prices and dividends are known since {month}.", { month: formatMonth(begins) });
  const exDate = textIn(row, "next_ex_date");
  const percent = (name: string) => formatPlainPercent(numberIn(row, name));
  const growth = (name: string) => <Change value={numberIn(row, name)} isGrowth />;
  const rows = [
    ["Yield", percent("dividend_yield"), "dividend_yield"],
    [
      "Per share, 12 months",
      formatPerShare(numberIn(row, "dividend_per_share"), textIn(row, "currency")),
      "dividend_per_share",
    ],
    ["Growth, last full year", growth("dividend_growth_1y"), "dividend_growth_1y"],
    ["Growth a year, last 5 full years", growth("dividend_growth_5y"), "dividend_growth_5y"],
    [
      "Raised in a row, years",
      raisedText(numberIn(row, "dividend_years_raised"), begins, asOf),
      "dividend_years_raised",
    ],
    ["Payout ratio", percent("payout_ratio"), "payout_ratio"],
    ["Next ex-date", exDate === "" ? MISSING : formatDate(exDate), "next_ex_date"],
  ] as const;
  const tipOf = (name: string) =>
    [meaningOf(name), name === "dividend_years_raised" && since].filter(Boolean).join(" ");
  return <Figures rows={rows.map(([label, value, name]) => [label, value, tipOf(name)])} />;
}
