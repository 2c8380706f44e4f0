import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Call, queryOf, TOOL_ROWS, useData } from "#console/app/api.ts";
import { t } from "#console/app/words.ts";
import { formatNumber, formatPercent, formatPrice, MISSING } from "#console/app/format.ts";
import { columnInOneUnit } from "#console/app/one-unit.ts";
import { Change } from "#console/app/parts/change.tsx";
import { CompanyName } from "#console/app/company-names.tsx";
import { symbolPath } from "#console/app/parts/country.tsx";
import { type Column, DataTable, type Order } from "#console/app/parts/data-table.tsx";
import { useMeanings } from "#console/app/parts/meanings.tsx";
import { NoRecord, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { place, setQuery } from "#console/app/router.ts";

const PAGE = 50;
/** The most rows of one screen. */
const MAX_ROWS = 1_000;

/** The columns with their metrics, in order. */
const METRICS = {
  "Market cap": "market_cap",
  Price: "price",
  "1 day": "return_1d",
  "This year": "return_ytd",
  "1 year": "return_1y",
  "P/E": "pe",
  "P/B": "pb",
  Yield: "dividend_yield",
  ROE: "roe",
} as const;

/** The largest first. */
const BY_SIZE = "-market_cap";

/** The sorted column of a sort. @param sort `-pe` @param size the title of the market cap */
function orderOf(sort: string, size: string): Order {
  const metric = sort.replace(/^-/, "");
  const title = Object.entries(METRICS).find(([, one]) => one === metric)?.[0] ?? "";
  return { title: metric === "market_cap" ? size : title, isDescending: sort.startsWith("-") };
}

/** The sort of an order. The title of the market cap has a unit, so it is not in `METRICS`. */
function sortOf({ title, isDescending }: Order): string {
  const metric = Object.entries(METRICS).find(([one]) => one === title)?.[1] ?? "market_cap";
  return `${isDescending ? "-" : ""}${metric}`;
}

/** The companies of a sector or an industry, which the service sorts. */
export function SectorCompanies(props: {
  readonly country: string;
  readonly sector: string;
  readonly industry: string | null;
  readonly name: string;
}) {
  const { country, sector, industry, name } = props;
  const [limit, setLimit] = useState(PAGE);
  const sort = place.value.query.get("sort") ?? BY_SIZE;
  const screened = {
    country,
    sector,
    industry: industry ?? undefined,
    sort,
  };
  const call: Call<"screen_stocks"> = {
    operation: "screen_stocks",
    args: {
      ...screened,
      metrics: ["industry", ...Object.values(METRICS)].join(","),
      limit,
    },
    toolArgs: { limit: Math.min(limit, TOOL_ROWS) },
  };
  const screen = useData(call);
  const meaningOf = useMeanings();
  return (
    <Panel
      title={t("Companies of {country}", { country: name })}
      calls={[call]}
      answer={screen.value}
      actions={<a href={`/console/screen?${queryOf(screened)}`}>{t("Open in the screener")}</a>}
    >
      <Loaded of={screen} lines={10}>
        {({ data }) => {
          const rows = rowsOf(data);
          const sizes = columnInOneUnit(
            "Market cap",
            rows.map((row) => row["market_cap"]),
            data.currency,
          );
          return rows.length === 0 ? (
            <NoRecord>
              {t("No company of this class is known. Choose another country or sector.")}
            </NoRecord>
          ) : (
            <>
              <DataTable
                label="Companies"
                columns={columnsFor(country, data.currency, sizes, meaningOf)}
                rows={rows}
                keyOf={(row) => textIn(row, "symbol")}
                order={orderOf(sort, sizes.title)}
                onOrder={(order) => {
                  const chosen = sortOf(order);
                  setQuery({ sort: chosen === BY_SIZE ? null : chosen }, { replace: false });
                }}
              />
              <More
                shown={data.rows.length}
                total={data.total}
                onMore={() => setLimit(Math.min(MAX_ROWS, 4 * limit))}
              />
            </>
          );
        }}
      </Loaded>
    </Panel>
  );
}

function More(props: {
  readonly shown: number;
  readonly total: number;
  readonly onMore: () => void;
}) {
  const { shown, total, onMore } = props;
  if (shown >= total) return null;
  return (
    <p class="muted">
      {t("{shown} of {total} companies.", { shown, total })}{" "}
      {shown < MAX_ROWS && (
        <button type="button" onClick={onMore}>
          {t("Show more")}
        </button>
      )}
    </p>
  );
}

function columnsFor(
  country: string,
  currency: string,
  sizes: ReturnType<typeof columnInOneUnit>,
  meaningOf: ReturnType<typeof useMeanings>,
): readonly Column<Row>[] {
  const number = (
    title: keyof typeof METRICS,
    show: (value: number | null) => ComponentChildren,
  ): Column<Row> => ({
    title,
    // The room of its mark is kept until it is known.
    meaning: meaningOf(METRICS[title]) ?? t("Loading"),
    cell: (row) => show(numberIn(row, METRICS[title])),
    // The service sorts by the metric.
    sortBy: (row) => numberIn(row, METRICS[title]),
    isNumber: true,
  });
  const price = (value: number | null) => formatPrice(value, currency);
  const percent = (value: number | null) =>
    value === null ? MISSING : formatPercent(value).replace("+", "");
  return [
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
    { ...number("Market cap", sizes.format), title: sizes.title },
    number("Price", price),
    number("1 day", (value) => <Change value={value} />),
    number("This year", (value) => <Change value={value} />),
    number("1 year", (value) => <Change value={value} />),
    number("P/E", (value) => formatNumber(value)),
    number("P/B", (value) => formatNumber(value)),
    number("Yield", percent),
    number("ROE", percent),
  ];
}
