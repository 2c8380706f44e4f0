import { CompanyName } from "#console/app/parts/company-name.tsx";
import { t, translate } from "#console/app/words.ts";
import { type Call, useData } from "#console/app/api.ts";
import { formatDayOfMonth, formatPrice, formatText } from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { countryInText, symbolPath } from "#console/app/parts/country.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { DAY, windowOf, WINDOWS } from "./market-windows.ts";

/** The market cap of an ordinary company, in the country's currency, as in a condition of a screen. */
const ORDINARY: Readonly<Record<string, string>> = { US: "2B", JP: "200B", VN: "5T" };
const COUNT = 12;

/** The largest gains and losses of a country's ordinary companies. */
export function Movers({ country, window }: { readonly country: string; readonly window: string }) {
  const metric = WINDOWS[window]?.metric ?? window;
  const smallest = ORDINARY[country] ?? "0";
  const call: Call<"screen_stocks"> = {
    operation: "screen_stocks",
    args: {
      country,
      where: `market_cap>=${smallest}`,
      sort: `both:${metric}`,
      metrics: `price,${metric}`,
      limit: 2 * COUNT,
    },
  };
  const screen = useData(call);
  const rows = screen.value ? rowsOf(screen.value.data) : [];
  const shown = (screen.value && windowOf(screen.value.data)?.metric) ?? metric;
  const gains = rows.filter((row) => (numberIn(row, shown) ?? 0) > 0).slice(0, COUNT);
  const losses = rows.filter((row) => (numberIn(row, shown) ?? 0) < 0).slice(-COUNT);
  const session = screen.value?.data.session;
  const over =
    window === DAY && session
      ? formatDayOfMonth(session)
      : translate(WINDOWS[window]?.name ?? window);
  return (
    <>
      {[
        { sentence: "Gains in {country}, {window}", title: "Gains", rows: gains } as const,
        {
          sentence: "Losses in {country}, {window}",
          title: "Losses",
          rows: losses.toReversed(),
        } as const,
      ].map((one) => (
        <Panel
          key={one.title}
          title={t(one.sentence, { country: countryInText(country), window: over })}
          calls={[call]}
          answer={screen.value}
        >
          <div class="movers">
            <Loaded of={screen} lines={COUNT + 1}>
              {({ data }) => (
                <MoverTable
                  label={one.title}
                  rows={one.rows}
                  country={country}
                  metric={shown}
                  currency={data.currency}
                />
              )}
            </Loaded>
          </div>
          <p class="muted">
            {t("Companies with a market cap of {amount} or more.", {
              amount:
                `${formatText(smallest.replace(/(?=[BT])/, " "))} ${screen.value?.data.currency ?? ""}`.trim(),
            })}
          </p>
        </Panel>
      ))}
    </>
  );
}

function MoverTable(props: {
  readonly label: string;
  readonly rows: readonly Row[];
  readonly country: string;
  readonly metric: string;
  readonly currency: string;
}) {
  const { label, rows, country, metric, currency } = props;
  if (rows.length === 0)
    return <Empty>No company with a known change moved in this direction.</Empty>;
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
      title: `Price, ${currency}`,
      cell: (row) => formatPrice(numberIn(row, "price"), currency),
      isNumber: true,
    },
    { title: "Change", cell: (row) => <Change value={numberIn(row, metric)} />, isNumber: true },
  ];
  return (
    <DataTable label={label} columns={columns} rows={rows} keyOf={(row) => textIn(row, "symbol")} />
  );
}
