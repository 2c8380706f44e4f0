import { useEffect, useRef } from "preact/hooks";
import { CompanyName, nameInLanguage } from "#console/app/company-names.tsx";
import { type AnswerOf, type Call, type Resource, useData } from "#console/app/api.ts";
import {
  formatDay,
  formatList,
  formatNumber,
  formatPlainPercent,
  formatPrice,
  localeNow,
} from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { currencyOf } from "#console/app/parts/country-currency.ts";
import { INDEX_NAMES, INDICES, symbolPath } from "#console/app/parts/country.tsx";
import { homeCountry } from "#console/app/user-settings.ts";
import { chosenCurrency, ratesText } from "#console/app/parts/currency-choice.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { sessionText } from "#console/app/parts/events.tsx";
import { Figures } from "#console/app/parts/figures.tsx";
import { lazyPart } from "#console/app/parts/lazy-part.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { reportsWeek } from "./reports-week.ts";
import type { ListItem } from "#console/app/user-lists.ts";
import { t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import { hasOnlyWeights } from "./item.tsx";

const CourseChart = lazyPart(() => import("./course-chart.tsx").then((file) => file.CourseChart));

/** The next reports of the companies of the list, first the next seven days. */
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
        {({ data }) => {
          const { earnings } = data;
          return (
            <>
              <p class="reports-week">{summaryOf(data, rows)}</p>
              {earnings.length > 0 && (
                <DataTable
                  label="Dates of the reports"
                  rows={earnings}
                  keyOf={({ symbol, date }) => `${symbol} ${date}`}
                  columns={[
                    {
                      title: "Company",
                      cell: (report) => (
                        <a href={symbolPath("US", report.symbol)}>
                          <b>{report.symbol}</b> <CompanyName row={report} country="US" />
                        </a>
                      ),
                    },
                    {
                      title: "Date in New York",
                      cell: ({ date }) => <time dateTime={date}>{formatDay(date)}</time>,
                    },
                    {
                      title: "Time",
                      cell: ({ session }) => <span class="session">{sessionText(session)}</span>,
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

/** Who reports within seven days, and whose dates are not known. */
function summaryOf(data: PayloadOf<"get_earnings_calendar">, rows: readonly Row[]): string {
  const { without_date: undated, not_covered: notCovered } = data;
  const keys = undated.map((symbol) => `US:${symbol}`);
  const sentences = [
    reportsWeek(data),
    undated.length > 0 &&
      t("Report dates of {companies} are not known.", { companies: namesOf(keys, rows) }),
    notCovered.length > 0 &&
      t("Report dates of {companies} are not known: no source gives dates of Japan and Viet Nam.", {
        companies: namesOf(notCovered, rows),
      }),
  ];
  return sentences.filter(Boolean).join(" ");
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

/** The most companies that a sentence names. */
const NAMED = 5;

const amountOf = ({ shares, weight }: ListItem) => shares ?? weight;

/** Items as holdings: `US:AAPL=3 shares,JP:7203=100 shares`, or `US:AAPL=40%`. */
const holdingsOf = (items: readonly ListItem[]) =>
  items
    .map(({ country, symbol, shares, weight, cost }) =>
      shares === undefined
        ? `${country}:${symbol}=${weight}%`
        : `${country}:${symbol}=${shares} shares${cost ? paidText(cost) : ""}`,
    )
    .join(",");

const paidText = ({ price, currency, date }: NonNullable<ListItem["cost"]>) =>
  ` @${price}${currency}${date === undefined ? "" : `@${date}`}`;

/** What the items with shares or weights are worth together, which items are left out, and how to include them. */
export function PortfolioPanel(props: {
  readonly name: string;
  readonly items: readonly ListItem[];
  /** The items, which have the names of companies. */
  readonly rows: readonly Row[];
}) {
  const { name, items, rows } = props;
  const held = items.filter((item) => amountOf(item) !== undefined);
  const hasValue = held.some((item) => amountOf(item) !== 0);
  if (hasValue && held.length <= MAX_HOLDINGS)
    return <Portfolio name={name} items={items} held={held} rows={rows} />;
  return (
    <Panel title="As a portfolio">
      <Empty>
        {hasValue
          ? t("A portfolio has at most {most} companies, and the list has {count}.", {
              most: MAX_HOLDINGS,
              count: held.length,
            })
          : t(
              "Press Edit at a company and enter your shares, to see the value, return and risk of your portfolio.",
            )}
      </Empty>
    </Panel>
  );
}

function Portfolio(props: {
  readonly name: string;
  readonly items: readonly ListItem[];
  readonly held: readonly ListItem[];
  readonly rows: readonly Row[];
}) {
  const { name, items, held, rows } = props;
  const isWhole = held.length === items.length;
  const holdings = holdingsOf(held);
  const home = homeCountry();
  // Of several currencies, the service takes the dollar.
  const ofHome = held.some(({ country }) => country === home);
  const call: Call<"analyze_portfolio"> = {
    operation: "analyze_portfolio",
    args: {
      holdings: isWhole ? `list:${name}` : holdings,
      currency: chosenCurrency(ofHome ? currencyOf(home) : "") || undefined,
      columns: "symbol,name,value,weight,contribution",
      parts: "performance,risk,income,ratios,rates,course",
    },
  };
  const portfolio = useData(call);
  const shown = useRef(holdings);
  // The call names the list, which has changed.
  useEffect(() => {
    if (shown.current !== holdings && isWhole) portfolio.reload();
    shown.current = holdings;
  }, [holdings]);
  return (
    <Panel title="As a portfolio" calls={[call]} answer={portfolio.value}>
      {!isWhole && <LeftOut items={items} rows={rows} />}
      <Loaded of={portfolio} lines={6}>
        {({ data }) => <PortfolioFigures data={data} />}
      </Loaded>
    </Panel>
  );
}

/** Which companies are no part of the portfolio, and how to include them. */
function LeftOut(props: { readonly items: readonly ListItem[]; readonly rows: readonly Row[] }) {
  const { items, rows } = props;
  const missing = items
    .filter((item) => amountOf(item) === undefined)
    .map(({ country, symbol }) => `${country}:${symbol}`);
  const rest = missing.length - NAMED;
  const more = rest > 0 ? ` ${t("and {count} more", { count: rest })}` : "";
  const companies =
    rest > 0
      ? formatList(missing.slice(0, NAMED).map((one) => namesOf([one], rows))) + more
      : namesOf(missing, rows);
  return (
    <p class="left-out">
      {hasOnlyWeights(items)
        ? t("Not included: {companies}. To include them, press Edit and enter their weights.", {
            companies,
          })
        : t("Not included: {companies}. To include them, press Edit and enter their shares.", {
            companies,
          })}
    </p>
  );
}

/**
 * The decimals of all amounts of a portfolio: its currency's, and none if one of them is 1,000 or more, because
 * the service gives such amounts in whole units.
 */
function decimalsOf(data: PayloadOf<"analyze_portfolio">): number {
  const amounts = [data.value ?? 0, ...rowsOf(data).map((row) => numberIn(row, "value") ?? 0)];
  if (amounts.some((amount) => Math.abs(amount) >= 1_000)) return 0;
  const options = { style: "currency", currency: data.currency } as const;
  return new Intl.NumberFormat("en", options).resolvedOptions().maximumFractionDigits ?? 2;
}

/** The name of an index: `S&P 500`. @param key `US:^GSPC` */
function indexName(key: string): string {
  const [country = "", symbol = ""] = key.split(":");
  return nameInLanguage(
    { country, symbol },
    INDICES[country] === symbol ? (INDEX_NAMES[country] ?? key) : key,
  );
}

/** What was gained on the prices paid, and which companies have none. */
function gainFigure(
  {
    gain,
    gain_percent: percent,
    without_cost: without,
  }: NonNullable<PayloadOf<"analyze_portfolio">["gain"]>,
  currency: string,
  decimals: number,
) {
  const text = t("Value less cost of the companies with a price paid, before dividends.");
  return [
    t("Gain, {currency}", { currency }),
    <>
      {formatNumber(gain, decimals)} <Change value={percent} />
    </>,
    without.length === 0
      ? text
      : `${text} ${t("Without a price paid: {companies}.", { companies: without.join(", ") })}`,
  ] as const;
}

function PortfolioFigures({ data }: { readonly data: PayloadOf<"analyze_portfolio"> }) {
  const { currency, value, performance, risk, income, ratios, rates = [], gain, course } = data;
  const decimals = decimalsOf(data);
  const index = risk?.benchmark ? indexName(risk.benchmark) : t("the index");
  return (
    <>
      <div class="columns">
        <Figures
          rows={[
            [t("Value, {currency}", { currency }), formatNumber(value, decimals)],
            ...(gain ? [gainFigure(gain, currency, decimals)] : []),
            [
              t("Return, 1 year"),
              <Change key="return" value={performance?.return} />,
              t("Today's holdings, held for 1 year. When you bought and sold is not known."),
            ],
            [
              t("Return with dividends"),
              <Change key="total" value={performance?.total_return} />,
              t("Today's holdings, held for 1 year, with dividends reinvested."),
            ],
            [
              t("Dividends of 12 months, {currency}", { currency }),
              formatNumber(income?.last_12_months, decimals),
              t("Of today's holdings, each dividend at the exchange rate of its ex-date."),
            ],
            [
              t("Yield"),
              formatPlainPercent(income?.yield),
              t("Dividends of 12 months / price of each holding, weighted by value."),
            ],
          ]}
        />
        <Figures
          rows={[
            [
              t("Volatility, 1 year"),
              formatPlainPercent(risk?.volatility),
              t("Annual standard deviation of the daily returns of today's holdings over 1 year."),
            ],
            [
              t("Deepest fall, 1 year"),
              <Change key="fall" value={risk?.max_drawdown} />,
              t("Deepest fall of the value of today's holdings within 1 year."),
            ],
            [
              t("Beta to {index}", { index }),
              formatNumber(risk?.beta),
              t("Of the daily returns of today's holdings over 1 year."),
            ],
            [t("P/E"), formatNumber(ratios?.pe)],
            [t("P/B"), formatNumber(ratios?.pb)],
          ]}
        />
      </div>
      {course && (
        <div class="course">
          <CourseChart course={course} currency={currency} index={index} isValue={value !== null} />
        </div>
      )}
      <Holdings data={data} decimals={decimals} />
      {rates.length > 0 && <p class="muted">{ratesText(rates)}</p>}
    </>
  );
}

/** The holdings with their values, weights and contributions to the return. */
function Holdings(props: {
  readonly data: PayloadOf<"analyze_portfolio">;
  /** Of amounts. */
  readonly decimals: number;
}) {
  const { data, decimals } = props;
  const { currency, value } = data;
  const ofValue: Column<Row> = {
    title: t("Value, {currency}", { currency }),
    isNumber: true,
    cell: (row) => formatNumber(numberIn(row, "value"), decimals),
    sortBy: (row) => numberIn(row, "value"),
  };
  return (
    <div class="holdings">
      <DataTable
        label="Weights and contributions"
        rows={rowsOf(data)}
        keyOf={(row) => textIn(row, "symbol")}
        columns={[
          {
            title: "Company",
            cell: (row) => <HoldingName row={row} />,
            sortBy: (row) => textIn(row, "symbol"),
          },
          ...(value === null ? [] : [ofValue]),
          {
            title: "Weight",
            isNumber: true,
            cell: (row) => formatPlainPercent(numberIn(row, "weight")),
            sortBy: (row) => numberIn(row, "weight"),
          },
          {
            title: "Contribution",
            isNumber: true,
            cell: (row) => <Change value={numberIn(row, "contribution")} />,
            sortBy: (row) => numberIn(row, "contribution"),
          },
        ]}
      />
    </div>
  );
}

/** The company of a holding; cash, which fills weights up to 100 %, as it is. */
function HoldingName({ row }: { readonly row: Row }) {
  const [country = "", symbol = ""] = textIn(row, "symbol").split(":");
  if (country === "CASH") {
    return (
      <>
        <b>{t("Cash")}</b> {symbol}
      </>
    );
  }
  return (
    <a href={symbolPath(country, symbol)}>
      <b>{symbol}</b> <CompanyName row={{ ...row, symbol }} country={country} />
    </a>
  );
}
