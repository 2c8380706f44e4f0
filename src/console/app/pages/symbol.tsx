import { languageOfName, t, translate } from "#console/app/words.ts";
import { useEffect } from "preact/hooks";
import { useData } from "#console/app/api.ts";
import { formatDate, formatText } from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { symbolPath } from "#console/app/parts/country.tsx";
import { SearchButton } from "#console/app/parts/search-button.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { LoadFailure } from "#console/app/parts/panel.tsx";
import type { Subject } from "#console/app/parts/subject.ts";
import { useSymbols } from "#console/app/parts/symbol-field.tsx";
import { WatchButton } from "#console/app/parts/watch-button.tsx";
import { rememberSymbol } from "#console/app/recent-symbols.ts";
import { place } from "#console/app/router.ts";
import type { PayloadOf } from "#operations/index.ts";
import { figuresCall, StatStrip } from "./symbol-figures.tsx";
import { TabContent, type TabName } from "./symbol-tab.tsx";

/** The parts of the page, each with an address. */
const TABS = {
  overview: "Overview",
  chart: "Chart",
  financials: "Financials",
  valuation: "Valuation",
  forecast: "Forecast",
  dividends: "Dividends",
  technicals: "Technicals",
  peers: "Peers",
} as const satisfies Readonly<Record<TabName, string>>;
/** The parts with the chart, which keep its settings from one to the other. */
const WITH_CHART: readonly TabName[] = ["overview", "chart"];
/** What other instruments than companies have too; of these, only funds pay dividends. */
const OF_ALL: readonly TabName[] = ["overview", "chart", "technicals"];
const OF_FUNDS: readonly TabName[] = [...OF_ALL, "dividends"];

/** The figures of one instrument. */
export default function SymbolPage({
  params,
}: {
  readonly params: Readonly<Record<string, string>>;
}) {
  const subject = { country: params["country"] ?? "", symbol: params["symbol"] ?? "" };
  // Older addresses have the statement, and no tab.
  const byDefault = place.value.query.has("statement") ? "financials" : "overview";
  const tab = (params["tab"] ?? byDefault) as TabName;
  return <Instrument key={`${subject.country} ${subject.symbol}`} subject={subject} tab={tab} />;
}

function Instrument({ subject, tab }: { readonly subject: Subject; readonly tab: TabName }) {
  const { country, symbol } = subject;
  const overview = useData({ operation: "get_stock_overview", args: subject });
  const figures = useData(figuresCall(subject));
  const listed = useData({
    operation: "list_symbols",
    args: { country, query: symbol, limit: 10 },
  });
  const data = overview.value?.data;
  const name = data?.overview["Name"];
  useEffect(() => {
    if (name !== undefined) rememberSymbol({ country, symbol, name });
  }, [name]);
  if (overview.error && !overview.error.isOutage) {
    return (
      <>
        <PageTitle title={symbol} />
        <LoadFailure of={overview} error={overview.error} />
        <CloseSymbols symbol={symbol} />
      </>
    );
  }
  const found = listed.value?.data.symbols.find(
    (one) => one.country === country && one.symbol === symbol.toUpperCase(),
  );
  // A delisted instrument is in no list. Its panels say what they lack.
  const isFound = listed.value !== null || listed.error?.isOutage === false;
  const isCompany = isFound ? !found || ["stock", "reit"].includes(found.type) : null;
  const others = found?.type === "etf" ? OF_FUNDS : OF_ALL;
  const tabs = (Object.keys(TABS) as TabName[]).filter((one) => isCompany || others.includes(one));
  return (
    <>
      <Head subject={found ?? subject} type={found?.type} data={data} />
      <StatStrip figures={figures} isCompany={isCompany} />
      <TabLinks subject={subject} tabs={isFound ? tabs : []} current={tab} />
      <TabContent
        subject={subject}
        tab={tab}
        overview={overview}
        figures={figures}
        isCompany={isCompany}
      />
    </>
  );
}

function TabLinks(props: {
  readonly subject: Subject;
  readonly tabs: readonly TabName[];
  readonly current: TabName;
}) {
  const path = symbolPath(props.subject.country, props.subject.symbol);
  const query = place.value.query.toString();
  const hasChart = (tab: TabName) => WITH_CHART.includes(tab);
  const addressOf = (tab: TabName) =>
    (tab === "overview" ? path : `${path}/${tab}`) +
    (query !== "" && hasChart(tab) && hasChart(props.current) ? `?${query}` : "");
  return (
    <nav class="symbol-tabs" aria-label="Parts of the page">
      {props.tabs.map((tab) => (
        <a
          key={tab}
          href={addressOf(tab)}
          aria-current={tab === props.current ? "page" : undefined}
        >
          {t(TABS[tab])}
        </a>
      ))}
    </nav>
  );
}

/** The instruments of all countries whose symbol or name is close to an unknown one. */
function CloseSymbols({ symbol }: { readonly symbol: string }) {
  const found = useSymbols(symbol, true);
  const list = found.value?.symbols ?? [];
  if (list.length === 0) return <SearchButton text={symbol} />;
  return (
    <>
      <p>{t("Did you mean:")}</p>
      <ul class="page-list">
        {list.map((one) => (
          <li key={`${one.country} ${one.symbol}`}>
            <a href={symbolPath(one.country, one.symbol)}>
              {one.country}:{one.symbol}
            </a>{" "}
            {one.name}
          </li>
        ))}
      </ul>
    </>
  );
}

/** Name, price, change and date. */
function Head(props: {
  readonly subject: Subject;
  readonly type: string | undefined;
  readonly data: PayloadOf<"get_stock_overview"> | undefined;
}) {
  const { subject, type, data } = props;
  const { sector = "—", industry = "—" } = data?.business_model ?? {};
  const about = [subject.country, type, sector, industry].filter((one) => one && one !== "—");
  const reference = `${subject.country}:${subject.symbol}`;
  const name = data?.overview["Name"] ?? subject.symbol;
  const [amount = "", currency = ""] = (data?.overview["Price"] ?? "").split(" ");
  return (
    <div class="symbol-head">
      <PageTitle title={name} lang={languageOfName(name, subject.country)}>
        <div class="panel-actions">
          <WatchButton subject={subject} />
          <a class="button" href={`/console/compare?symbols=${encodeURIComponent(reference)}`}>
            {t("Compare")}
          </a>
        </div>
      </PageTitle>
      <p class="muted symbol-about">
        <b>{subject.symbol}</b> {about.map((one) => `· ${translate(one ?? "")}`).join(" ")}
      </p>
      <p class="symbol-price">
        {data && (
          <>
            <b>{formatText(amount)}</b> <span class="muted">{currency}</span>{" "}
            <Change value={data.overview["Chg %"] ?? null} />{" "}
            <span class="muted">{priceDate(data)}</span>
          </>
        )}
      </p>
    </div>
  );
}

function priceDate({ overview }: PayloadOf<"get_stock_overview">): string {
  const date = overview["Price date"] ?? "";
  const close = /^\d/.test(date)
    ? t("Close of {date}", { date: formatDate(date) })
    : t("No price yet");
  const delisted = overview["Delisted"];
  return delisted === undefined
    ? close
    : `${close}. ${t("Delisted on {date}.", { date: formatDate(delisted) })}`;
}
