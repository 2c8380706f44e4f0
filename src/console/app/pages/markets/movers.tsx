import { CompanyName } from "#console/app/company-names.tsx";
import { t, translate, valueAt } from "#console/app/words.ts";
import { type Call, useData } from "#console/app/api.ts";
import {
  currencyUnit,
  formatDayOfMonth,
  formatNumber,
  formatPrice,
  formatShort,
  formatText,
} from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { countryInText, symbolPath } from "#console/app/parts/country.tsx";
import { ORDINARY } from "#console/app/parts/ordinary.ts";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { Loaded, NoFigures, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { PayloadOf } from "#operations/index.ts";
import { DAY, sectorsCall, windowOf, WINDOWS } from "./windows.ts";

const COUNT = 12;

/** The market cap of an ordinary company of a country: `2B`. */
const ordinaryOf = (country: string) => ORDINARY[country] ?? "0";

/** The ordinary companies with the largest changes, gains first. */
function useMovers(country: string, window: string) {
  const metric = WINDOWS[window]?.metric ?? window;
  const hasLimits = window === DAY && country !== "US";
  const call: Call<"screen_stocks"> = {
    operation: "screen_stocks",
    args: {
      country,
      where: `market_cap>=${ordinaryOf(country)}`,
      sort: `both:${metric}`,
      metrics: `price,${metric}${hasLimits ? ",below_ceiling,above_floor" : ""}`,
      limit: 2 * COUNT,
    },
  };
  const screen = useData(call);
  const data = screen.value?.data;
  return {
    call,
    screen,
    rows: data ? rowsOf(data) : [],
    metric: (data && windowOf(data)?.metric) ?? metric,
    over:
      window === DAY && data?.session
        ? formatDayOfMonth(data.session)
        : translate(valueAt(WINDOWS, window)?.name ?? window),
  };
}

/** The largest gains and losses of a country's ordinary companies. */
export function Movers({ country, window }: { readonly country: string; readonly window: string }) {
  const { call, screen, rows, metric, over } = useMovers(country, window);
  const sectors = useData(sectorsCall(country));
  const breadth = window === DAY ? sectors.value?.data.breadth : undefined;
  const gains = rows.filter((row) => (numberIn(row, metric) ?? 0) > 0).slice(0, COUNT);
  const losses = rows.filter((row) => (numberIn(row, metric) ?? 0) < 0).slice(-COUNT);
  return (
    <>
      {[
        {
          sentence: "Gains in {country}, {window}",
          title: "Gains",
          rows: gains,
          metric: "volume",
          note: breadth && breadthText(breadth),
        } as const,
        {
          sentence: "Losses in {country}, {window}",
          title: "Losses",
          rows: losses.toReversed(),
          metric: "traded_value",
          note: breadth && tradedText(breadth, screen.value?.data.currency ?? ""),
        } as const,
      ].map((one) => (
        <Panel
          key={one.title}
          title={t(one.sentence, { country: countryInText(country), window: over })}
          calls={[call]}
          answer={screen.value}
          actions={
            <a
              href={`/console/screen?country=${country}&where=${one.metric}>0&sort=-${one.metric}`}
            >
              {t(one.metric === "volume" ? "Largest volume" : "Largest traded value")}
            </a>
          }
        >
          <div class="movers">
            <Loaded of={screen} lines={COUNT + 1}>
              {({ data }) => (
                <MoverTable
                  label={one.title}
                  rows={one.rows}
                  country={country}
                  metric={metric}
                  currency={data.currency}
                />
              )}
            </Loaded>
          </div>
          {/* While it is loaded, so that nothing moves. */}
          {!screen.error && (screen.value === null || one.rows.length > 0) && (
            <p class="muted">
              {t("Companies with a market cap of {amount} or more.", {
                amount:
                  formatText(ordinaryOf(country).replace(/(?=[BT])/, " ")) +
                  currencyUnit(screen.value?.data.currency ?? "").trimEnd(),
              })}{" "}
              {one.note}
            </p>
          )}
        </Panel>
      ))}
    </>
  );
}

type Breadth = NonNullable<PayloadOf<"get_sectors">["breadth"]>;

/** `210 rose, 150 fell, 40 unchanged.` and, where there are limits, how many ended at them. */
function breadthText({ advancers, decliners, unchanged, at_ceiling, at_floor }: Breadth): string {
  const moves = t("{rose} rose, {fell} fell, {same} unchanged.", {
    rose: formatNumber(advancers, 0),
    fell: formatNumber(decliners, 0),
    same: formatNumber(unchanged, 0),
  });
  if (at_ceiling === undefined || at_floor === undefined) return moves;
  const limits = t("{up} limit up, {down} limit down.", {
    up: formatNumber(at_ceiling, 0),
    down: formatNumber(at_floor, 0),
  });
  return `${moves} ${limits}`;
}

/** The value of all trades and how many companies it has; empty if it is unknown. */
function tradedText({ traded_value: value, traded_value_of: count }: Breadth, currency: string) {
  return value === null
    ? ""
    : t("Traded value {amount} of {count} companies.", {
        amount: formatShort(value) + currencyUnit(currency).trimEnd(),
        count: formatNumber(count, 0),
      });
}

const limitOf = (row: Row) =>
  row["below_ceiling"] === 0 ? "ceiling" : row["above_floor"] === 0 ? "floor" : undefined;

function MoverTable(props: {
  readonly label: "Gains" | "Losses";
  readonly rows: readonly Row[];
  readonly country: string;
  readonly metric: string;
  readonly currency: string;
}) {
  const { label, rows, country, metric, currency } = props;
  if (rows.length === 0)
    return (
      <NoFigures>
        {t(
          label === "Gains"
            ? "No company with a known change rose."
            : "No company with a known change fell.",
        )}
      </NoFigures>
    );
  const columns: readonly Column<Row>[] = [
    {
      title: "Symbol",
      cell: (row) => (
        <a href={symbolPath(country, textIn(row, "symbol"))}>{textIn(row, "symbol")}</a>
      ),
    },
    {
      title: "Name",
      cell: (row) => <CompanyName row={row} country={country} class="short-name" />,
    },
    {
      title: translate(`Price, ${currency}`),
      cell: (row) => formatPrice(numberIn(row, "price"), currency),
      isNumber: true,
    },
    {
      title: "Change",
      cell: (row) => <Change value={numberIn(row, metric)} limit={limitOf(row)} />,
      isNumber: true,
    },
  ];
  return (
    <DataTable label={label} columns={columns} rows={rows} keyOf={(row) => textIn(row, "symbol")} />
  );
}
