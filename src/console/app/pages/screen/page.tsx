import { type Sentence, t } from "#console/app/words.ts";
import { queryOf, type Resource, useConsole, useData } from "#console/app/api.ts";
import type { AnswerOf } from "#console/app/api.ts";
import { formatDate, formatList, formatNumber } from "#console/app/format.ts";
import { currencyOf } from "#console/app/parts/country-currency.ts";
import { COUNTRY_NAMES } from "#console/app/parts/country.tsx";
import { useVocabulary, type Vocabulary } from "#console/app/parts/metrics.tsx";
import { CsvButton } from "#console/app/parts/csv-button.tsx";
import { DraftInput } from "#console/app/parts/draft-input.tsx";
import { useMedia } from "#console/app/parts/media.ts";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { rowsOf, textIn } from "#console/app/parts/rows.ts";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { joinConditions } from "./conditions.ts";
import {
  callOf,
  changeConditions,
  type Choice,
  choose,
  DEFAULT_COLUMNS,
  readChoice,
  screenOf,
} from "./choice.ts";
import { ColumnChoice } from "./columns.tsx";
import { ClassFilters, withoutLocal } from "./class-filters.tsx";
import { ConditionForm, CurrencyNote, Filters } from "./filters.tsx";
import { ScreenActions } from "./actions.tsx";
import { fileOf, ScreenLinks, titleOf } from "./saved.tsx";
import { CompanyTable } from "./table.tsx";
import { nameFilter, WithoutFilters } from "./empty.tsx";

/** The rows of a page of the file. */
const PAGE_OF_FILE = 1_000;
type Metrics = Vocabulary["metrics"];

/** Screener: the companies of one country or of all that meet conditions. */
export default function ScreenPage() {
  const choice = readChoice(place.value.query);
  const vocabulary = useVocabulary();
  const where = joinConditions(choice.conditions);
  const saved = place.value.query.get("saved");
  const own = useConsole("GET screens");
  return (
    <>
      <a
        class="skip"
        href="#companies"
        onClick={(event) => {
          event.preventDefault();
          document.querySelector<HTMLElement>("#companies .table-frame")?.focus();
        }}
      >
        {t("Skip to the companies")}
      </a>
      <PageTitle title={titleOf(saved, where, own)}>
        <ScreenActions saved={saved} screen={screenOf(choice)} own={own} />
      </PageTitle>
      <ScreenLinks country={choice.country} where={where} saved={saved} own={own} />
      <section class="filters" aria-label={t("Filters")}>
        <Loaded of={vocabulary} lines={2}>
          {(words) => <FilterBar choice={choice} vocabulary={words} />}
        </Loaded>
      </section>
      <Companies choice={choice} metrics={vocabulary.value?.metrics} />
    </>
  );
}

/** The market, its parts, a form for a condition, and the conditions. */
function FilterBar(props: { readonly choice: Choice; readonly vocabulary: Vocabulary }) {
  const { choice, vocabulary } = props;
  const currency = currencyOf(choice.country);
  const isNarrow = useMedia("(max-width: 640px)");
  const fields = (
    <>
      <ClassFilters choice={choice} vocabulary={vocabulary} />
      <DraftInput
        isSearch
        name="industry"
        label={t("Industry")}
        size={16}
        placeholder={t("Industry: bank")}
        value={choice.industry ?? ""}
        // While it is typed, the way back does not go through its letters.
        onDone={(text) => setQuery({ industry: text.trim() || null, cursor: null, page: null })}
      />
      <ConditionForm metrics={vocabulary.metrics} currency={currency} onChange={changeConditions} />
    </>
  );
  return (
    <>
      <div class="filter-row">
        <Tabs
          label="Country"
          tabs={[...Object.keys(COUNTRY_NAMES), "all"]}
          current={choice.country}
          textOf={(code) => COUNTRY_NAMES[code] ?? "All three"}
          onChange={(country) => choose({ country, ...withoutLocal(choice) })}
        />
        {!isNarrow && fields}
      </div>
      {/* On a phone, the companies come first. */}
      {isNarrow && (
        <details class="more-filters">
          <summary>+ {t("Filters")}</summary>
          <div class="filter-row">{fields}</div>
        </details>
      )}
      <div class="filter-line">
        <ColumnChoice choice={choice} metrics={vocabulary.metrics} />
        <Filters
          {...choice}
          currency={currency}
          metrics={vocabulary.metrics}
          onChange={changeConditions}
          onRemoveIndustry={() => choose({ industry: null })}
        />
        <CurrencyNote
          conditions={choice.conditions}
          metrics={vocabulary.metrics}
          currency={currency}
        />
      </div>
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
    "price,dividend_yield,payout_ratio,dividend_per_share,dividend_growth_5y,dividend_years_raised,last_cum_date,next_ex_date",
  Health: "price,equity_ratio,debt_to_equity,net_debt,current_ratio,quick_ratio,free_cash_flow",
  Performance: "price,change_percent,return_1w,return_1m,return_6m,return_ytd,return_1y,return_5y",
  Trading:
    "price,change_percent,volume,traded_value,min_investment,high_ytd,low_ytd,below_high_ytd",
  Technicals: "price,rsi,macd,beta,volatility,below_high_52w,above_low_52w",
} satisfies Partial<Record<Sentence, string>>;

/** Chooses a set of columns; none is chosen with columns of one's own. */
function ColumnSets({ columns }: { readonly columns: readonly string[] }) {
  const names = Object.keys(COLUMN_SETS);
  const current = names.find((name) => COLUMN_SETS[name] === columns.join(",")) ?? "";
  return (
    <div class="column-sets">
      <Tabs
        label="Columns"
        tabs={names}
        current={current}
        onChange={(name) =>
          setQuery({ metrics: name === "Overview" ? null : (COLUMN_SETS[name] ?? null) })
        }
      />
    </div>
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
          <ColumnSets columns={choice.columns} />
          <CompareLink picked={choice.picked} />
          <CsvButton
            call={{ ...call, args: { ...call.args, limit: PAGE_OF_FILE } }}
            file={fileOf(place.value.query.get("saved"), joinConditions(choice.conditions))}
          />
        </>
      }
    >
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
        <div id="companies" class={`companies ${screen.isLoading ? "reloading" : ""}`}>
          <div class="companies-line">
            <p class="muted" role="status">
              {noteOf(data)}
              {data.note !== undefined && ` ${data.note}.`}
            </p>
            <p class="muted">
              {t(
                choice.picked.length > MAX_PICKED
                  ? "Tick at most {most} to compare."
                  : "Tick 2 to {most} to compare.",
                { most: MAX_PICKED },
              )}{" "}
              <span class="wide-only">
                {t("Keys: J and K move, Enter opens, W watches, C ticks to compare, ? shows all.")}
              </span>
            </p>
          </div>
          {data.rows.length === 0 ? (
            <>
              <Empty>
                {data.emptied_by === null
                  ? t("No company is stored for this country.")
                  : t("No company meets {filter}. Remove it, or choose another limit.", {
                      filter: nameFilter(data.emptied_by, choice, metrics),
                    })}
              </Empty>
              {data.emptied_by !== null && <WithoutFilters choice={choice} metrics={metrics} />}
            </>
          ) : (
            <CompanyTable data={data} choice={choice} metrics={metrics} />
          )}
          <PageLinks choice={choice} next={data.next_cursor} />
        </div>
      )}
    </Loaded>
  );
}

type Data = AnswerOf<"screen_stocks">["data"];

/** How many companies there are, and the currency, the days and the exchange rates of their figures. */
function noteOf(data: Data): string {
  const { session, rates, total, of, currency } = data;
  const amounts = t(
    rates
      ? "{shown} of {all} companies. Prices, amounts and returns in {currency}"
      : "{shown} of {all} companies. Amounts in {currency}",
    {
      shown: formatNumber(total, 0),
      all: formatNumber(of, 0),
      currency,
    },
  );
  const days = session === null ? [] : [closesOf(data, session), ...oldRatesOf(data, session)];
  return t("{sentence}.", { sentence: formatList([amounts, ...days]) });
}

/** The days of the newest rates, if one is older than the session: the newest prices have it too. */
function oldRatesOf({ rates = [] }: Data, session: string): string[] {
  const dates = rates.flatMap(({ date }) => date ?? []).toSorted();
  const [from = session, to = from] = [dates[0], dates.at(-1)];
  if (from >= session) return [];
  return [
    from === to
      ? t("newest rates of {date}", { date: formatDate(from) })
      : t("newest rates of {from} to {to}", {
          from: formatDate(from),
          to: formatDate(to),
        }),
  ];
}

/** The session of the closes, or the first and the last session of the rows. @param newest session of all */
function closesOf(data: Data, newest: string): string {
  const sessions = rowsOf(data).flatMap((row) => textIn(row, "to_session") || []);
  const [first = newest] = sessions.toSorted();
  return first < newest
    ? t("closes of {from} to {to}", { from: formatDate(first), to: formatDate(newest) })
    : t("close of {date}", { date: formatDate(newest) });
}

/** The most symbols of a comparison. */
const MAX_PICKED = 10;
function CompareLink({ picked }: { readonly picked: readonly string[] }) {
  if (picked.length < 2 || picked.length > MAX_PICKED) {
    return (
      <button type="button" disabled>
        {t("Compare")}
      </button>
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
    <nav class="page-links" aria-label={t("Pages of companies")}>
      {choice.cursor !== null && <a href={link(null, 1)}>{t("First page")}</a>}
      <span class="muted">{t("Page {page}", { page: choice.page })}</span>
      {next !== null && <a href={link(next, choice.page + 1)}>{t("Next page")}</a>}
    </nav>
  );
}
