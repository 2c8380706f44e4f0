import {
  formatList,
  formatNumber,
  formatPercent,
  formatText,
  MISSING,
} from "#console/app/format.ts";
import { columnInOneUnit } from "#console/app/one-unit.ts";
import { classNameOf } from "#console/app/parts/class-name.ts";
import { Change } from "#console/app/parts/change.tsx";
import { type Column, DataTable, sortRows } from "#console/app/parts/data-table.tsx";
import { numberOfText } from "#console/app/parts/figure-text.ts";
import { useMeanings } from "#console/app/parts/meanings.tsx";
import { NoFigures } from "#console/app/parts/panel.tsx";
import type { PayloadOf } from "#operations/index.ts";
import { place, setQuery } from "#console/app/router.ts";
import { type Sentence, t, translate, translateTerm } from "#console/app/words.ts";
import { RangePlot, type Scale, scaleOf } from "./range.tsx";

type SectorAnswer = PayloadOf<"get_sectors">;
type Stats = SectorRow["stats"];

/** A sector or an industry. */
export type SectorRow = SectorAnswer["sectors"][string];

/** A column, with the metric that explains it. */
type ClassColumn = Column<SectorRow> & { readonly metric?: string };

/** Columns that belong together. */
interface ColumnSet {
  readonly title: Sentence;
  readonly columnsOf: (data: SectorAnswer) => readonly ClassColumn[];
  /** A row is shown if it has one of these medians; without them, all are. */
  readonly medians?: readonly Stat[];
}

/** The sectors or industries with a set of columns. The argument of its name has its order: `-7` is the seventh column, the highest first. */
export function ClassTable(props: {
  readonly data: SectorAnswer;
  /** `Sector` or `Industry`. */
  readonly of: Sentence;
  readonly set: ColumnSetName;
  readonly linkOf: (row: SectorRow) => string;
}) {
  const { data, of, linkOf, set } = props;
  const { title: label, columnsOf, medians }: ColumnSet = COLUMN_SETS[set];
  const meaningOf = useMeanings();
  const all = Object.values(data.sectors);
  if (all.length === 0)
    return <NoFigures>{t("No company with a market cap is known here.")}</NoFigures>;
  const [rows = [], without = []] = medians ? partition(all, medians) : [all];
  if (rows.length === 0)
    return <NoFigures>{t("No median: each needs 5 companies with the figure.")}</NoFigures>;
  const columns: readonly ClassColumn[] = [
    {
      title: of,
      cell: (row) => (
        <span class="sector-name">
          <a href={linkOf(row)}>{nameOf(row)}</a>
        </span>
      ),
      sortBy: ({ name }) => name,
    },
    ...columnsOf(data).map((one) => ({
      ...one, // The room of its mark is kept until it is known.
      meaning: one.metric && (meaningOf(one.metric) ?? t("Loading")),
    })),
  ];
  const written = place.value.query.get(set) ?? "";
  const title = columns[Math.abs(Number(written)) - 1]?.title;
  const order = title === undefined ? null : { title, isDescending: written.startsWith("-") };
  return (
    <>
      <DataTable
        label={label}
        columns={columns}
        rows={sortRows(rows, columns, order)}
        keyOf={({ slug }) => slug}
        order={order}
        onOrder={({ title: chosen, isDescending }) => {
          const number = columns.findIndex((column) => column.title === chosen) + 1;
          setQuery({ [set]: `${isDescending ? "-" : ""}${number}` });
        }}
      />
      {without.length > 0 && (
        <p class="muted">
          {t("Not shown: {names}. A median needs 5 companies with the figure.", {
            names: formatList(without.map(nameOf)),
          })}
        </p>
      )}
      {set === "valuation" && <ScaleNote scale={scaleFor(data)} />}
    </>
  );
}

const nameOf = ({ slug, name }: SectorRow) =>
  slug.includes(":") ? classNameOf(slug) : translateTerm(translate(name));

/** The rows that have one of the medians, and the others. */
function partition(rows: readonly SectorRow[], medians: readonly Stat[]): readonly SectorRow[][] {
  const has = ({ stats }: SectorRow) => medians.some((name) => stats[name] !== null);
  return [rows.filter(has), rows.filter((row) => !has(row))];
}

/** A figure that the service gives as text. */
function textColumn(
  title: Sentence,
  read: (row: SectorRow) => string | undefined,
  more: Partial<ClassColumn> = {},
): ClassColumn {
  return {
    title,
    cell: (row) => formatText(read(row) ?? MISSING),
    sortBy: (row) => numberOfText(read(row)),
    isNumber: true,
    ...more,
  };
}

const CHANGES = [
  ["1 day", "Chg %", "change_percent"],
  ["1 week", "Perf %1W", "return_1w"],
  ["1 month", "Perf %1M", "return_1m"],
  ["This year", "Perf %YTD", "return_ytd"],
  ["1 year", "Perf %1Y", "return_1y"],
] as const;

/** Shades a change by its part of the column's largest, and a figure by its distance from the column's median. */
function shadesOf(
  rows: readonly SectorRow[],
  read: (row: SectorRow) => number | null | undefined,
  isChange = false,
): (row: SectorRow) => number | null {
  const values = rows.flatMap((row) => read(row) ?? []).sort((a, b) => a - b);
  const middle = isChange ? 0 : (values[Math.floor(values.length / 2)] ?? 0);
  const farthest = Math.max(...values.map((value) => Math.abs(value - middle)));
  return (row) => {
    const value = read(row) ?? null;
    return value === null || farthest === 0 ? null : (value - middle) / farthest;
  };
}

/** Size, and change over each window. */
function sizeColumns({ sectors }: SectorAnswer): readonly ClassColumn[] {
  const rows = Object.values(sectors);
  const changes = CHANGES.map(([title, label, metric]) => {
    const read = ({ performance }: SectorRow) => numberOfText(performance[label]);
    return textColumn(title, ({ performance }) => performance[label], {
      cell: ({ performance }) => <Change value={performance[label]} />,
      shadeOf: shadesOf(rows, read, true),
      metric,
    });
  });
  const sizeOf = ({ overview }: SectorRow) => numberOfText(overview["Mkt cap"]);
  const [currency = ""] = rows.flatMap(
    ({ overview }) => /[A-Z]{3}$/.exec(overview["Mkt cap"] ?? "") ?? [],
  );
  const { title, format } = columnInOneUnit("Market cap", rows.map(sizeOf), currency, 1);
  return [
    textColumn("Companies", ({ overview }) => overview["Stocks"], { isExtra: true }),
    {
      title,
      cell: (row) => format(sizeOf(row)),
      sortBy: sizeOf,
      isNumber: true,
      metric: "market_cap",
    },
    ...changes,
  ];
}

/** The names of the medians and quartiles. */
type Stat = { [K in keyof Stats]: null extends Stats[K] ? K : never }[keyof Stats];

function statColumn(
  title: Sentence,
  name: Stat,
  format: (value: number | null) => string = formatNumber,
): ClassColumn {
  return {
    title,
    cell: ({ stats }) => format(stats[name]),
    sortBy: ({ stats }) => stats[name],
    isNumber: true,
    // Of the multiples, the cheapest is the first.
    isLowFirst: /^(?:pe|pb|ps|ev_ebitda)_/.test(name),
    metric: name.replace(/_(?:median|p25|p75)$/, ""),
  };
}

const MULTIPLES = ["pe_median", "pb_median", "ps_median", "ev_ebitda_median"] as const;

/** The scale of the plots. */
const scaleFor = ({ country_pe: pe, sectors }: SectorAnswer): Scale =>
  scaleOf([pe, ...Object.values(sectors).flatMap(({ stats }) => [stats.pe_p75, stats.pe_median])]);

/** The distribution of the P/E, and medians of other multiples. */
function valuationColumns(data: SectorAnswer): readonly ClassColumn[] {
  const scale = scaleFor(data);
  return [
    {
      title: t("P/E quartiles, 0 to {end}", { end: scale.end }),
      cell: ({ stats }) => <RangePlot of={stats} scale={scale} compared={data.country_pe} />,
      sortBy: ({ stats }) => stats.pe_median,
    },
    statColumn("P/E, lower quartile", "pe_p25"),
    statColumn("P/E, median", "pe_median"),
    statColumn("P/E, upper quartile", "pe_p75"),
    statColumn("P/B", "pb_median"),
    statColumn("P/S", "ps_median"),
    statColumn("EV/EBITDA", "ev_ebitda_median"),
    {
      title: "Number of companies",
      cell: ({ stats }) => (
        <>
          {stats.sample_size}
          {!stats.reliable && <span class="muted"> {t("small")}</span>}
        </>
      ),
      sortBy: ({ stats }) => stats.sample_size,
      isNumber: true,
      isExtra: true,
    },
  ];
}

function ScaleNote({ scale: { end, step } }: { readonly scale: Scale }) {
  return (
    <p class="muted">
      {t(
        "The plot is from 0 to {end}, with a line at every {step}. The bar holds the middle half of the companies, the mark is the median. P/B, P/S and EV/EBITDA are medians. A median needs 5 companies, quartiles need 8. A sample is small below 10 companies or 70% of the market cap.",
        { end, step },
      )}
    </p>
  );
}

const percent = (value: number | null) => formatPercent(value).replace("+", "");
const growth = (value: number | null) => formatPercent(value);

const EARNINGS = ["revenue_growth_median", "net_margin_median", "roe_median"] as const;

/** Medians of growth, margins and returns. */
function growthColumns({ sectors }: SectorAnswer): readonly ClassColumn[] {
  const rows = Object.values(sectors);
  const shaded = (title: Sentence, name: Stat, format: (value: number | null) => string) => ({
    ...statColumn(title, name, format),
    shadeOf: shadesOf(rows, ({ stats }) => stats[name]),
  });
  return [
    shaded("Revenue growth", "revenue_growth_median", growth),
    shaded("EPS growth", "eps_growth_median", growth),
    shaded("Gross margin", "gross_margin_median", percent),
    shaded("Operating margin", "operating_margin_median", percent),
    shaded("Net margin", "net_margin_median", percent),
    shaded("FCF margin", "fcf_margin_median", percent),
    shaded("ROE", "roe_median", percent),
    shaded("ROIC", "roic_median", percent),
  ];
}

/** The sets of columns, by the name that the address has. */
export const COLUMN_SETS = {
  size: { title: "Size and change", columnsOf: sizeColumns },
  valuation: { title: "Valuation", columnsOf: valuationColumns, medians: MULTIPLES },
  growth: { title: "Growth and margins", columnsOf: growthColumns, medians: EARNINGS },
} satisfies Readonly<Record<string, ColumnSet>>;

/** The name of a set of columns. */
export type ColumnSetName = keyof typeof COLUMN_SETS;
