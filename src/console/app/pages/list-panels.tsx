import { type AnswerOf, type Call, type Resource, useData } from "#console/app/api.ts";
import { formatDate, formatNumber, formatPlainPercent, formatPrice } from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { symbolPath } from "#console/app/parts/country.tsx";
import { DataTable } from "#console/app/parts/data-table.tsx";
import { Figures } from "#console/app/parts/figures.tsx";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { settings } from "#console/app/settings.ts";
import { t, translate } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";

const WEEK_MS = 7 * 86_400_000;

/** The next reports of the companies of the list, first those of the next seven days. */
export function ReportsPanel(props: {
  readonly call: Call<"get_earnings_calendar">;
  readonly calendar: Resource<AnswerOf<"get_earnings_calendar">>;
}) {
  const { call, calendar } = props;
  return (
    <Panel title="Next reports" calls={[call]} answer={calendar.value}>
      <Loaded of={calendar} lines={4}>
        {({ data: { earnings, not_covered: notCovered }, asOf }) => {
          const end = Date.parse(asOf) + WEEK_MS;
          const soon = earnings.filter(({ date }) => Date.parse(date) <= end);
          return (
            <>
              <p class="reports-week">
                {soon.length === 0
                  ? t("No company of the list reports within seven days.")
                  : t("Within seven days: {companies}.", {
                      companies: soon.map(({ symbol }) => symbol).join(", "),
                    })}
                {notCovered.length > 0 &&
                  ` ${t("Report dates of {companies} are not known: no source gives those of Japan and Viet Nam.", { companies: notCovered.join(", ") })}`}
              </p>
              {earnings.length > 0 && (
                <DataTable
                  label="Dates of the reports"
                  rows={earnings}
                  keyOf={({ symbol }) => symbol}
                  columns={[
                    {
                      title: "Company",
                      cell: ({ symbol, name: company }) => (
                        <a href={symbolPath("US", symbol)}>
                          <b>{symbol}</b> <span class="cut">{company}</span>
                        </a>
                      ),
                    },
                    { title: "Date", cell: ({ date }) => formatDate(date) },
                    {
                      title: "Time",
                      cell: ({ session }) => translate(session.replaceAll("_", " ")),
                    },
                    {
                      title: "EPS estimate, USD",
                      isNumber: true,
                      cell: ({ eps_estimate: eps }) => formatPrice(eps),
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

/** The sums of a list with shares or weights. */
export function PortfolioPanel({ name }: { readonly name: string }) {
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
          [t("Value, {currency}", { currency }), formatNumber(value)],
          [t("Return, 1 year"), <Change key="return" value={performance?.return} />],
          [t("With dividends"), <Change key="total" value={performance?.total_return} />],
          [
            t("Dividends of 12 months, {currency}", { currency }),
            formatNumber(income?.last_12_months),
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
