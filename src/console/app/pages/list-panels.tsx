import { nameInLanguage } from "#console/app/company-names.ts";
import { type AnswerOf, type Call, type Resource, useData } from "#console/app/api.ts";
import {
  formatDay,
  formatNumber,
  formatPlainPercent,
  formatPrice,
  localeNow,
} from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { symbolPath } from "#console/app/parts/country.tsx";
import { DataTable } from "#console/app/parts/data-table.tsx";
import { sessionText } from "#console/app/parts/events.tsx";
import { Figures } from "#console/app/parts/figures.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { ReportsWeek } from "#console/app/parts/reports-week.tsx";
import { settings } from "#console/app/settings.ts";
import type { ListItem } from "#console/app/user-lists.ts";
import { t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";

/** The next reports of the companies of the list, first those of the next seven days. */
export function ReportsPanel(props: {
  readonly call: Call<"get_earnings_calendar">;
  readonly calendar: Resource<AnswerOf<"get_earnings_calendar">>;
  /** The items, which have the names of companies. */
  readonly rows: readonly Row[];
}) {
  const { call, calendar, rows } = props;
  return (
    <Panel title="Next reports" calls={[call]} answer={calendar.value}>
      <Loaded of={calendar} lines={4}>
        {({ data, asOf }) => {
          const { earnings, not_covered: notCovered } = data;
          return (
            <>
              <p class="reports-week">
                <ReportsWeek data={data} asOf={asOf} />
                {notCovered.length > 0 &&
                  ` ${t("Report dates of {companies} are not known: no source gives those of Japan and Viet Nam.", { companies: namesOf(notCovered, rows) })}`}
              </p>
              {earnings.length > 0 && (
                <DataTable
                  label="Dates of the reports"
                  rows={earnings}
                  keyOf={({ symbol, date }) => `${symbol} ${date}`}
                  columns={[
                    {
                      title: "Company",
                      cell: ({ symbol, name: company }) => (
                        <a href={symbolPath("US", symbol)}>
                          <b>{symbol}</b> <span class="cut">{company}</span>
                        </a>
                      ),
                    },
                    {
                      title: "Date in New York",
                      cell: ({ date }) => <time dateTime={date}>{formatDay(date)}</time>,
                    },
                    {
                      title: "Time",
                      cell: ({ session }) => sessionText(session),
                    },
                    {
                      title: "EPS estimate, USD",
                      isNumber: true,
                      cell: ({ eps_estimate: eps }) => formatPrice(eps),
                    },
                    {
                      title: "EPS, USD",
                      isNumber: true,
                      cell: ({ eps_actual: eps }) => formatPrice(eps),
                    },
                  ]}
                />
              )}
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

/** The names of symbols such as `JP:7203`: `Toyota Motor Corporation and FPT Corporation`. */
function namesOf(symbols: readonly string[], rows: readonly Row[]): string {
  const names = symbols.map((symbol) => {
    const row = rows.find((one) => `${textIn(one, "country")}:${textIn(one, "symbol")}` === symbol);
    const [country = "", own = ""] = symbol.split(":");
    return nameInLanguage({ country, symbol: own }, (row && textIn(row, "name")) || symbol);
  });
  return new Intl.ListFormat(localeNow(), { type: "conjunction" }).format(names);
}

/** The most holdings of a portfolio. */
const MAX_HOLDINGS = 50;

/** The sums of a list with shares or weights, or what is missing for them. */
export function PortfolioPanel(props: {
  readonly name: string;
  readonly items: readonly ListItem[];
}) {
  const { name, items } = props;
  const count = items.length;
  const missing = items.filter(({ shares, weight }) => (shares ?? weight) === undefined).length;
  if (missing === 0 && count <= MAX_HOLDINGS) return <Portfolio name={name} />;
  return (
    <Panel title="As a portfolio">
      <Empty>
        {missing > 0
          ? t(
              "Press Edit and enter the shares of every company, to see the value, return and risk of the portfolio. {missing} of {count} are missing.",
              { missing, count },
            )
          : t("A portfolio has at most {most} companies, and the list has {count}.", {
              most: MAX_HOLDINGS,
              count,
            })}
      </Empty>
    </Panel>
  );
}

function Portfolio({ name }: { readonly name: string }) {
  const call: Call<"analyze_portfolio"> = {
    operation: "analyze_portfolio",
    args: { holdings: `list:${name}`, currency: settings.value.currency },
  };
  const portfolio = useData(call);
  return (
    <Panel title="As a portfolio" calls={[call]} answer={portfolio.value}>
      <Loaded of={portfolio} lines={6}>
        {({ data }) => <PortfolioFigures data={data} />}
      </Loaded>
    </Panel>
  );
}

function PortfolioFigures({ data }: { readonly data: PayloadOf<"analyze_portfolio"> }) {
  const { currency, value, performance, risk, income, ratios } = data;
  return (
    <div class="columns">
      <Figures
        rows={[
          [t("Value, {currency}", { currency }), formatPrice(value, currency)],
          [t("Return, 1 year"), <Change key="return" value={performance?.return} />],
          [t("With dividends"), <Change key="total" value={performance?.total_return} />],
          [
            t("Dividends of 12 months, {currency}", { currency }),
            formatPrice(income?.last_12_months, currency),
          ],
          [t("Yield"), formatPlainPercent(income?.yield)],
        ]}
      />
      <Figures
        rows={[
          [t("Volatility"), formatPlainPercent(risk?.volatility)],
          [t("Deepest fall"), <Change key="fall" value={risk?.max_drawdown} />],
          [
            t("Beta to {index}", { index: risk?.benchmark ?? t("the index") }),
            formatNumber(risk?.beta),
          ],
          [t("P/E"), formatNumber(ratios?.pe)],
          [t("P/B"), formatNumber(ratios?.pb)],
        ]}
      />
      <DataTable
        label="Weights and contributions"
        rows={rowsOf(data)}
        keyOf={(row) => textIn(row, "symbol")}
        columns={[
          { title: "Symbol", cell: (row) => row["symbol"] },
          {
            title: "Weight",
            isNumber: true,
            cell: (row) => formatPlainPercent(numberIn(row, "weight")),
          },
          {
            title: "Contribution",
            isNumber: true,
            cell: (row) => <Change value={numberIn(row, "contribution")} />,
          },
        ]}
      />
    </div>
  );
}
