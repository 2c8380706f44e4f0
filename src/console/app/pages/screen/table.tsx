import { useEffect } from "preact/hooks";
import { formatName } from "#console/app/format.ts";
import { CompanyName } from "#console/app/company-names.tsx";
import { classNameOf, LOCAL_CLASSES } from "#console/app/parts/class-name.ts";
import { countryName, symbolPath } from "#console/app/parts/country.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { meaningOf } from "#console/app/parts/metric-meaning.ts";
import { metricColumn } from "#console/app/parts/metric-column.ts";
import type { Metric, Vocabulary } from "#console/app/parts/metrics.tsx";
import { figureOr } from "#console/app/parts/missing.tsx";
import { useMedia } from "#console/app/parts/media.ts";
import { type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { WatchButton } from "#console/app/parts/watch-button.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { type Caption, t, translate } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import { type Choice, choose, togglePicked } from "./choice.ts";
import { filtersOf } from "./conditions.ts";
import { nameOfFigure } from "./filters.tsx";
import { Preview } from "./preview.tsx";

const HEAD = ["symbol", "name"];
/** The columns of text, by which companies cannot be ordered. */
const TEXTS: Readonly<Record<string, (value: string) => string>> = {
  country: countryName,
  sector: classNameOf,
  industry: classNameOf,
  exchange: translate,
  local_sector: classNameOf,
};

/** What the columns beside the figures are called. */
const TITLES: Readonly<Record<string, string>> = {
  to_session: "Session",
  local_sector: "Local sector",
};

/** What a column is called, without its unit. */
const titleOf = (column: string, country: string, metrics: Vocabulary["metrics"] | undefined) =>
  translate(
    (column.includes(".") && metrics && nameOfFigure(column, metrics)) ||
      (metrics?.get(column)?.title ??
        (column === "local_sector" ? LOCAL_CLASSES[country] : undefined) ??
        TITLES[column] ??
        formatName(column)),
  );

/** The title of a figure with its unit, and the form of its values; a dash has its reason. */
function figureColumn(
  data: PayloadOf<"screen_stocks">,
  metric: Metric | undefined,
  column: string,
  title: Caption,
) {
  const { rates, currency } = data;
  const values = rowsOf(data).map((row) => row[column]);
  const { title: titled, show } = metricColumn(
    metric,
    title,
    values,
    currency,
    rates !== undefined,
  );
  return {
    title: titled,
    cell: (row: Row) => figureOr(data, row, column, show(row[column], currency)),
  };
}

/** A page of companies, and the selected one beside it. */
export function CompanyTable(props: {
  readonly data: PayloadOf<"screen_stocks">;
  readonly choice: Choice;
  readonly metrics: Vocabulary["metrics"] | undefined;
}) {
  const { data, choice, metrics } = props;
  const { country, picked } = choice;
  // The rows of several countries name theirs.
  const countryOf = (row: Row) => textIn(row, "country") || country;
  const symbolOf = (row: Row) => `${countryOf(row)}:${row["symbol"]}`;
  const sorted = choice.sort.replace(/^-/, "");
  useKeysOfPage();
  const shownFigures = useFigures(data.columns, choice.conditions, sorted);
  const titles = new Map<string, string>();
  const figures = shownFigures.map((column): Column<Row> => {
    const nameOf = TEXTS[column];
    const isText = nameOf !== undefined;
    const metric = metrics?.get(column);
    const { title, cell } = figureColumn(data, metric, column, titleOf(column, country, metrics));
    titles.set(column, title);
    return {
      title,
      meaning: metric && meaningOf(metric),
      isNumber: !isText,
      isLowFirst: metric?.better === "low",
      cell: (row) => (nameOf && typeof row[column] === "string" ? nameOf(row[column]) : cell(row)),
      // The server orders by metrics; the median of an industry, `industry.pe_median`, is none.
      ...(!isText && !column.includes(".") && { sortBy: () => null }),
    };
  });
  const columns = [...headColumns(picked, countryOf, symbolOf), ...figures];
  const rows = rowsOf(data);
  const selected = place.value.query.get("at");
  const shown = rows.find((row) => symbolOf(row) === selected);
  return (
    <div
      class="with-preview"
      onKeyDown={({ key }) => {
        if (key === "Escape" && selected !== null) setQuery({ at: null });
      }}
    >
      <DataTable
        label="Companies that meet all conditions"
        columns={columns}
        rows={rows}
        keyOf={symbolOf}
        selected={selected}
        onSelect={(key) => setQuery({ at: String(key) })}
        order={{ title: titles.get(sorted) ?? "", isDescending: choice.sort.startsWith("-") }}
        onOrder={({ title, isDescending }) => {
          const column = shownFigures.find((one) => titles.get(one) === title);
          if (column) choose({ sort: isDescending ? `-${column}` : column });
        }}
      />
      <Preview
        row={shown}
        country={shown ? countryOf(shown) : country}
        columns={figures}
        names={shownFigures}
        metrics={metrics}
      />
    </div>
  );
}

/**
 * The columns of figures. A phone has room for few: the first are the one that orders the companies and the
 * filters'.
 */
function useFigures(
  columns: readonly string[],
  conditions: Choice["conditions"],
  sorted: string,
): readonly string[] {
  const isNarrow = useMedia("(max-width: 640px)");
  useEffect(() => {
    // The figure of a new order is the first one there.
    if (isNarrow) document.querySelector(".companies .table-frame")?.scrollTo({ left: 0 });
  }, [isNarrow, sorted]);
  const names = columns.filter((column) => !HEAD.includes(column));
  if (!isNarrow) return names;
  const filtered = filtersOf(conditions).flatMap(({ bounds }) => bounds?.metric ?? []);
  const asked = [sorted, ...filtered].filter((one) => names.includes(one));
  return [...new Set([...asked, ...names])];
}

/** What has a use of its own for letters, and the companies themselves. */
const TAKES_LETTERS = "input:not([type=checkbox]), textarea, select, dialog *, .companies *";

/** Gives the companies the focus. */
function focusCompanies(): HTMLElement | null {
  const frame = document.querySelector<HTMLElement>(".companies .table-frame");
  frame?.focus({ preventScroll: true });
  return frame;
}

/**
 * J and K move in the companies from wherever no letters are written. Escape leaves a filter for them, and so does the
 * mouse that chooses a class: the arrow keys of a keyboard try one class after the other.
 */
function useKeysOfPage(): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const { key, ctrlKey, metaKey, altKey } = event;
      const focused = document.activeElement;
      if (key === "Escape" && focused?.matches(".filters :is(input, select):not(dialog *)")) {
        event.preventDefault();
        focusCompanies();
      }
      const isFree = focused?.matches(TAKES_LETTERS) !== true;
      if (!isFree || !["j", "k"].includes(key) || ctrlKey || metaKey || altKey) return;
      focusCompanies()?.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
    };
    const onChoice = ({ target }: Event) => {
      const isClass = target instanceof Element && target.matches(".filters select:not(form *)");
      if (isClass && !target.matches(":focus-visible")) focusCompanies();
    };
    document.addEventListener("keydown", onKey);
    document.addEventListener("change", onChoice);
    return () => {
      document.removeEventListener("keydown", onKey);
      document.removeEventListener("change", onChoice);
    };
  }, []);
}

/** The columns before the figures: the box, the symbol and the name. */
function headColumns(
  picked: readonly string[],
  countryOf: (row: Row) => string,
  symbolOf: (row: Row) => string,
): Column<Row>[] {
  return [
    {
      title: "Compare",
      cell: (row) => (
        <label>
          <input
            type="checkbox"
            aria-label={t("Compare {symbol}", { symbol: textIn(row, "symbol") })}
            checked={picked.includes(symbolOf(row))}
            onChange={() => togglePicked(symbolOf(row))}
          />
        </label>
      ),
    },
    {
      title: "Symbol",
      cell: (row) => (
        <>
          <WatchButton
            isSmall
            subject={{ country: countryOf(row), symbol: textIn(row, "symbol") }}
          />{" "}
          <a href={symbolPath(countryOf(row), textIn(row, "symbol"))}>{row["symbol"]}</a>
          <CompanyName row={row} country={countryOf(row)} class="narrow-only muted name-below" />
        </>
      ),
    },
    {
      title: "Name",
      isExtra: true,
      cell: (row) => <CompanyName row={row} country={countryOf(row)} />,
    },
  ];
}
