import { CompanyName } from "#console/app/parts/company-name.tsx";
import { classNameOf } from "#console/app/parts/class-name.ts";
import { t, translate } from "#console/app/words.ts";
import { queryOf, type Resource, useConsole, useData } from "#console/app/api.ts";
import type { AnswerOf, Call } from "#console/app/api.ts";
import { formatDate, formatName, formatNumber } from "#console/app/format.ts";
import { COUNTRY_NAMES, symbolPath } from "#console/app/parts/country.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { showMetric, useVocabulary, type Vocabulary } from "#console/app/parts/metrics.tsx";
import { CsvButton } from "#console/app/parts/csv-button.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { WatchButton } from "#console/app/parts/watch-button.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { homeCountry } from "#console/app/settings.ts";
import type { PayloadOf } from "#operations/index.ts";
import { joinConditions, splitConditions } from "./screen-conditions.ts";
import { ConditionForm, Filters } from "./screen-filters.tsx";
import { Preview } from "./screen-preview.tsx";
import { type Screen, ScreenActions } from "./screen-actions.tsx";
import { ScreenLinks, titleOf } from "./screen-saved.tsx";

const ROWS = 50;
/** The rows of a page of the file. */
const PAGE_OF_FILE = 1_000;
/** The most symbols of a comparison. */
const MAX_PICKED = 10;
const DEFAULT_COLUMNS =
  "price,change_percent,market_cap,pe,revenue_growth,net_margin,dividend_yield,return_1y";

type Metrics = Vocabulary["metrics"];

/** What the user chose; it is in the query of the page. */
interface Choice {
  readonly country: string;
  readonly sector: string | null;
  readonly industry: string | null;
  readonly conditions: readonly string[];
  readonly columns: readonly string[];
  readonly sort: string;
  readonly cursor: string | null;
  /** The number of the page, for its label. */
  readonly page: number;
  /** The symbols to compare, with their country. */
  readonly picked: readonly string[];
}

const HEAD = ["symbol", "name"];
/** The columns of text, by which companies cannot be ordered. */
const TEXTS = ["country", "sector", "industry"];

const listOf = (text: string | null) => (text ?? "").split(",").filter((one) => one !== "");

function readChoice(query: URLSearchParams): Choice {
  return {
    country: query.get("country") ?? homeCountry(),
    sector: query.get("sector"),
    industry: query.get("industry"),
    conditions: splitConditions(query.get("where") ?? ""),
    columns: listOf(query.get("metrics") ?? DEFAULT_COLUMNS),
    sort: query.get("sort") ?? "-market_cap",
    cursor: query.get("cursor"),
    page: Number(query.get("page") ?? 1),
    picked: listOf(query.get("pick")),
  };
}

/** Changes a filter, and goes back to the first page of companies. The way back removes the filter. */
function choose(changes: Readonly<Record<string, string | null>>): void {
  setQuery({ ...changes, cursor: null, page: null }, { replace: false });
}

/** Of the conditions in the address, because two changes can come before the page is drawn. */
function changeConditions(change: (current: readonly string[]) => readonly string[]): void {
  const { conditions } = readChoice(place.value.query);
  choose({ where: joinConditions(change(conditions)) || null });
}

/** Shows or hides a column. The last one stays, because without columns the defaults would be shown. */
function toggleColumn(name: string): void {
  const { columns } = readChoice(place.value.query);
  const others = columns.filter((one) => one !== name);
  const next = others.length < columns.length ? others : [...columns, name];
  if (next.length > 0) setQuery({ metrics: next.join(",") });
}

function callOf(choice: Choice): Call<"screen_stocks"> {
  return {
    operation: "screen_stocks",
    args: {
      country: choice.country,
      sector: choice.sector ?? undefined,
      industry: choice.industry ?? undefined,
      where: joinConditions(choice.conditions) || undefined,
      sort: choice.sort,
      metrics: choice.columns.join(",") || undefined,
      limit: ROWS,
      cursor: choice.cursor ?? undefined,
    },
  };
}

/** The parts of the choice that are saved. */
function screenOf(choice: Choice): Screen {
  const { country, sector, industry, conditions, sort, columns } = choice;
  const countries = country === "all" ? Object.keys(COUNTRY_NAMES) : listOf(country);
  return {
    // The service checks what is in the address.
    countries: countries as Screen["countries"],
    where: joinConditions(conditions),
    ...(sector !== null && { sector }),
    ...(industry !== null && { industry }),
    sort,
    columns: [...columns],
  };
}

/** Screener: the companies of one country or of all that meet conditions. */
export default function ScreenPage() {
  const choice = readChoice(place.value.query);
  const vocabulary = useVocabulary();
  const where = joinConditions(choice.conditions);
  const saved = place.value.query.get("saved");
  const own = useConsole("GET screens");
  return (
    <>
      <PageTitle title={titleOf(saved, where)}>
        <ScreenActions saved={saved} screen={screenOf(choice)} own={own} />
      </PageTitle>
      <ScreenLinks country={choice.country} where={where} saved={saved} own={own} />
      <Panel title="Filters">
        <div class={`filters ${where || choice.industry ? "with-chips" : ""}`}>
          <Loaded of={vocabulary} lines={3}>
            {(words) => <FilterPanel choice={choice} vocabulary={words} />}
          </Loaded>
        </div>
      </Panel>
      <Companies choice={choice} metrics={vocabulary.value?.metrics} />
    </>
  );
}

function FilterPanel(props: { readonly choice: Choice; readonly vocabulary: Vocabulary }) {
  const { choice, vocabulary } = props;
  return (
    <>
      <div class="filter-row">
        <Tabs
          label="Country"
          tabs={[...Object.keys(COUNTRY_NAMES), "all"]}
          current={choice.country}
          textOf={(code) => COUNTRY_NAMES[code] ?? "All three"}
          onChange={(country) => choose({ country })}
        />
        <label>
          {t("Sector")}
          <select
            value={choice.sector ?? ""}
            onChange={(event) => choose({ sector: event.currentTarget.value || null })}
          >
            <option value="">{t("All sectors")}</option>
            {vocabulary.sectors.map((slug) => (
              <option key={slug} value={slug}>
                {classNameOf(slug)}
              </option>
            ))}
          </select>
        </label>
        <label>
          {t("Industry")}
          <input
            name="industry"
            size={14}
            placeholder="bank"
            value={choice.industry ?? ""}
            onChange={(event) => choose({ industry: event.currentTarget.value.trim() || null })}
          />
        </label>
        <ConditionForm metrics={vocabulary.metrics} onChange={changeConditions} />
      </div>
      <Filters
        {...choice}
        metrics={vocabulary.metrics}
        onChange={changeConditions}
        onRemoveIndustry={() => choose({ industry: null })}
      />
      <ColumnChoice columns={choice.columns} metrics={vocabulary.metrics} />
    </>
  );
}

/** Sets of columns that belong together; all begin with the price. */
const COLUMN_SETS: Readonly<Record<string, string>> = {
  Overview: DEFAULT_COLUMNS,
  Valuation: "price,pe,forward_pe,peg,pb,ps,ev_ebitda,fcf_yield,pe_percentile_5y",
  Profitability: "price,gross_margin,operating_margin,net_margin,fcf_margin,roe,roa,roic",
  Growth: "price,revenue,revenue_growth,net_income,eps,eps_growth,eps_surprise_last",
  Dividends:
    "price,dividend_yield,payout_ratio,dividend_per_share,dividend_growth_5y,dividend_years_raised,next_ex_date",
  Health: "price,debt_to_equity,net_debt,current_ratio,quick_ratio,free_cash_flow",
  Performance: "price,change_percent,return_1w,return_1m,return_6m,return_ytd,return_1y,return_5y",
  Technicals: "price,rsi,macd,beta,volatility,below_high_52w,above_low_52w",
};

/** Chooses a set of columns; none is chosen with columns of one's own. */
function ColumnSets({ columns }: { readonly columns: readonly string[] }) {
  const names = Object.keys(COLUMN_SETS);
  const current = names.find((name) => COLUMN_SETS[name] === columns.join(",")) ?? "";
  return (
    <Tabs
      label="Columns"
      tabs={names}
      current={current}
      onChange={(name) =>
        setQuery({ metrics: name === "Overview" ? null : (COLUMN_SETS[name] ?? null) })
      }
    />
  );
}

function ColumnChoice(props: { readonly columns: readonly string[]; readonly metrics: Metrics }) {
  const { columns, metrics } = props;
  return (
    <details class="column-choice">
      <summary>
        {t("Columns")} ({columns.length})
      </summary>
      <div class="column-list">
        {[...metrics.values()].map(({ name, title, description }) => (
          <label key={name} class="tick" title={description}>
            <input
              type="checkbox"
              checked={columns.includes(name)}
              disabled={columns.length === 1 && columns.includes(name)}
              onChange={() => toggleColumn(name)}
            />
            {translate(title)}
          </label>
        ))}
      </div>
    </details>
  );
}

function Companies(props: { readonly choice: Choice; readonly metrics: Metrics | undefined }) {
  const { choice, metrics } = props;
  const call = callOf(choice);
  const screen = useData(call);
  return (
    <Panel
      title="Companies"
      calls={[call]}
      answer={screen.value}
      actions={
        <>
          <CompareLink picked={choice.picked} />
          <CsvButton
            call={{ ...call, args: { ...call.args, limit: PAGE_OF_FILE } }}
            file="screen.csv"
          />
        </>
      }
    >
      <ColumnSets columns={choice.columns} />
      <Result screen={screen} choice={choice} metrics={metrics} />
    </Panel>
  );
}

function Result(props: {
  readonly screen: Resource<AnswerOf<"screen_stocks">>;
  readonly choice: Choice;
  readonly metrics: Metrics | undefined;
}) {
  const { screen, choice, metrics } = props;
  // Without the units of the metrics, raw figures would be shown for a moment.
  const ready = metrics === undefined ? { ...screen, value: null } : screen;
  return (
    <Loaded of={ready} lines={16}>
      {({ data }) => (
        <div class={`companies ${screen.isLoading ? "reloading" : ""}`}>
          <p class="muted" role="status">
            {t("{shown} of {all} companies. Amounts in {currency}", {
              shown: formatNumber(data.total, 0),
              all: formatNumber(data.of, 0),
              currency: data.currency,
            })}
            {data.session !== null &&
              `, ${t("close of {date}", { date: formatDate(data.session) })}`}
            .{data.note !== undefined && ` ${data.note}.`}
          </p>
          {data.rows.length === 0 ? (
            <Empty>
              {data.emptied_by === null
                ? "No company is stored for this country."
                : `No company meets ${data.emptied_by}. Remove it, or choose another limit.`}
            </Empty>
          ) : (
            <CompanyTable data={data} choice={choice} metrics={metrics} />
          )}
          <PageLinks choice={choice} next={data.next_cursor} />
        </div>
      )}
    </Loaded>
  );
}

function CompanyTable(props: {
  readonly data: PayloadOf<"screen_stocks">;
  readonly choice: Choice;
  readonly metrics: Metrics | undefined;
}) {
  const { data, choice, metrics } = props;
  const { country, picked } = choice;
  // The rows of several countries name theirs.
  const countryOf = (row: Row) => textIn(row, "country") || country;
  const symbolOf = (row: Row) => `${countryOf(row)}:${row["symbol"]}`;
  const titleOf = (column: string) => metrics?.get(column)?.title ?? formatName(column);
  const figures = data.columns
    .filter((column) => !HEAD.includes(column))
    .map((column): Column<Row> => {
      const isText = TEXTS.includes(column);
      return {
        title: titleOf(column),
        isNumber: !isText,
        cell: (row) => showMetric(metrics?.get(column), row[column], data.currency),
        // The server orders by metrics; the median of an industry, `industry.pe_median`, is none.
        ...(!isText && !column.includes(".") && { sortBy: () => null }),
      };
    });
  const columns = [...headColumns(picked, countryOf, symbolOf), ...figures];
  const sorted = choice.sort.replace(/^-/, "");
  const rows = rowsOf(data);
  const selected = place.value.query.get("at");
  const shown = rows.find((row) => symbolOf(row) === selected);
  return (
    <div class="with-preview">
      <DataTable
        label="Companies that meet all conditions"
        columns={columns}
        rows={rows}
        keyOf={symbolOf}
        selected={selected}
        onSelect={(key) => setQuery({ at: String(key) })}
        order={{ title: titleOf(sorted), isDescending: choice.sort.startsWith("-") }}
        onOrder={({ title, isDescending }) => {
          const column = data.columns.find((one) => titleOf(one) === title);
          if (column) choose({ sort: isDescending ? `-${column}` : column });
        }}
      />
      <Preview row={shown} country={shown ? countryOf(shown) : country} columns={figures} />
    </div>
  );
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
        <input
          type="checkbox"
          aria-label={`Compare ${row["symbol"]}`}
          checked={picked.includes(symbolOf(row))}
          onChange={() => togglePicked(symbolOf(row))}
        />
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

/** Picks a symbol for a comparison, or drops it. */
function togglePicked(symbol: string): void {
  const current = readChoice(place.value.query).picked;
  const next = current.includes(symbol)
    ? current.filter((one) => one !== symbol)
    : [...current, symbol];
  setQuery({ pick: next.join(",") || null });
}

function CompareLink({ picked }: { readonly picked: readonly string[] }) {
  const isPossible = picked.length >= 2 && picked.length <= MAX_PICKED;
  if (!isPossible) {
    return (
      <span class="muted">
        {picked.length > MAX_PICKED
          ? `Tick at most ${MAX_PICKED} to compare`
          : `Tick 2 to ${MAX_PICKED} to compare`}
      </span>
    );
  }
  return (
    <a class="button primary" href={`/console/compare?${queryOf({ symbols: picked.join(",") })}`}>
      {t("Compare")} {picked.length}
    </a>
  );
}

function PageLinks({ choice, next }: { readonly choice: Choice; readonly next: string | null }) {
  const link = (cursor: string | null, page: number) => {
    const query = new URLSearchParams(place.value.query);
    query.delete("cursor");
    query.delete("page");
    if (cursor !== null) {
      query.set("cursor", cursor);
      query.set("page", String(page));
    }
    const text = query.toString();
    return `/console/screen${text && `?${text}`}`;
  };
  if (next === null && choice.cursor === null) return null;
  return (
    <nav class="page-links" aria-label="Pages of companies">
      {choice.cursor !== null && <a href={link(null, 1)}>{t("First page")}</a>}
      <span class="muted">{t("Page {page}", { page: choice.page })}</span>
      {next !== null && <a href={link(next, choice.page + 1)}>{t("Next page")}</a>}
    </nav>
  );
}
