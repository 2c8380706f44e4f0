import { type Call, useData } from "#console/app/api.ts";
import { formatDate, formatPrice, formatShort, MISSING } from "#console/app/format.ts";
import { BarGroups } from "#console/app/parts/bar-groups.tsx";
import { DataTable } from "#console/app/parts/data-table.tsx";
import { Figures } from "#console/app/parts/figures.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { Subject } from "#console/app/parts/subject.ts";

/** The dividends that are drawn, and those that are listed. */
const DRAWN = 16;
const LISTED = 6;

/** The cash dividends of ten years. An instrument without dividends has no such panel. */
export function DividendsPanel({ subject }: { readonly subject: Subject }) {
  const call: Call<"get_stock_price_history"> = {
    operation: "get_stock_price_history",
    args: { ...subject, range: "10y", limit: 1, snapshot: false, dividends: true },
  };
  const history = useData(call);
  const paid = history.value?.data.dividends;
  if (history.error || (history.value && !paid?.rows.length)) return null;
  return (
    <Panel title="Dividends" calls={[call]} answer={history.value}>
      <Loaded of={history} lines={8}>
        {({ data: { currency, dividends } }) => {
          const rows = (dividends ? rowsOf(dividends) : []).map((row) => ({
            date: textIn(row, "ex_date"),
            amount: numberIn(row, "amount"),
          }));
          const drawn = rows.slice(-DRAWN);
          return (
            <div class="dividends">
              <BarGroups
                label="Dividends per share"
                groups={drawn.map(({ date }, i) => {
                  const year = date.slice(0, 4);
                  const isFirst = drawn[i - 1]?.date.slice(0, 4) !== year;
                  // The oldest year may be incomplete, without place for its label.
                  const hasPlace = i > 0 || drawn[1]?.date.slice(0, 4) === year;
                  return { name: formatDate(date), label: isFirst && hasPlace ? year : "" };
                })}
                series={[
                  {
                    name: `Per share, ${currency}`,
                    values: drawn.map(({ amount }) => amount),
                  },
                ]}
                format={formatPrice}
              />
              <DataTable
                label="Newest dividends"
                rows={rows.slice(-LISTED).toReversed()}
                keyOf={({ date }) => date}
                columns={[
                  { title: "Ex-date", cell: ({ date }) => formatDate(date) },
                  {
                    title: `Amount, ${currency}`,
                    isNumber: true,
                    cell: ({ amount }) => formatPrice(amount),
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

/** The next earnings report of a US company. */
export function EarningsPanel({ symbol }: { readonly symbol: string }) {
  const call: Call<"get_earnings_calendar"> = {
    operation: "get_earnings_calendar",
    args: { tickers: symbol },
  };
  const calendar = useData(call);
  return (
    <Panel title="Next earnings" calls={[call]} answer={calendar.value}>
      <Loaded of={calendar} lines={5}>
        {({ data: { earnings } }) => {
          const [next] = earnings;
          if (!next) return <Empty>The date of the next report is not known.</Empty>;
          return (
            <Figures
              rows={[
                ["Date", formatDate(next.date)],
                ["Time", next.session.replaceAll("_", " ")],
                ["Quarter", next.fiscal_period ?? MISSING],
                ["EPS estimate, USD", formatPrice(next.eps_estimate)],
                ["Revenue estimate, USD", formatShort(next.revenue_estimate)],
              ]}
            />
          );
        }}
      </Loaded>
    </Panel>
  );
}
