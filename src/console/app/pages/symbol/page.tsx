import { asIs, t } from "#console/app/words.ts";
import { useEffect, useRef } from "preact/hooks";
import { useData } from "#console/app/api.ts";
import { symbolPath } from "#console/app/parts/country.tsx";
import { SearchButton } from "#console/app/parts/search-button.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { LoadFailure } from "#console/app/parts/panel.tsx";
import { numberIn } from "#console/app/parts/rows.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import { COMPANY_TYPES, SYMBOL_TABS, type SymbolTab, TABS_OF_ALL, TABS_OF_FUNDS } from "./tabs.ts";
import { useSymbols } from "#console/app/parts/symbol-field.tsx";
import { rememberSymbol } from "#console/app/recent-symbols.ts";
import { place } from "#console/app/router.ts";
import { figuresCall, rowOf, StatStrip } from "./figures.tsx";
import { Head } from "./head.tsx";
import { TabContent } from "./tab.tsx";

/** The parts with the chart, which keep its settings from one to the other. */
const WITH_CHART: readonly SymbolTab[] = ["overview", "chart"];
/** The figures of one instrument. */
export default function SymbolPage({
  params,
}: {
  readonly params: Readonly<Record<string, string>>;
}) {
  const subject = { country: params["country"] ?? "", symbol: params["symbol"] ?? "" };
  // Older addresses have the statement, and no tab.
  const byDefault = place.value.query.has("statement") ? "financials" : "overview";
  const tab = (params["tab"] ?? byDefault) as SymbolTab;
  return <Instrument key={`${subject.country} ${subject.symbol}`} subject={subject} tab={tab} />;
}

function Instrument({ subject, tab }: { readonly subject: Subject; readonly tab: SymbolTab }) {
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
        <PageTitle title={asIs(symbol)} />
        <LoadFailure error={overview.error} />
        {!overview.error.lack && <CloseSymbols symbol={symbol} />}
      </>
    );
  }
  const found = listed.value?.data.symbols.find(
    (one) => one.country === country && one.symbol === symbol.toUpperCase(),
  );
  const isFound = listed.value !== null || listed.error?.isOutage === false;
  const wasCompany = useStatements(isFound && !found ? subject : null);
  const isKnown = isFound && (found !== undefined || wasCompany !== null);
  const isCompany = isKnown ? (found ? COMPANY_TYPES.includes(found.type) : wasCompany) : null;
  const paysDividends = numberIn(rowOf(figures), "dividend_per_share") !== null;
  const others = found?.type === "etf" || paysDividends ? TABS_OF_FUNDS : TABS_OF_ALL;
  const tabs = (Object.keys(SYMBOL_TABS) as SymbolTab[]).filter(
    (one) => isCompany || others.includes(one),
  );
  return (
    <>
      <Head subject={found ?? subject} type={found?.type} data={data} />
      <StatStrip
        subject={subject}
        figures={figures}
        performance={data?.performance}
        isCompany={isCompany}
        isFolded={tab !== "overview"}
      />
      <TabLinks subject={subject} tabs={isKnown ? tabs : []} current={tab} />
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

/**
 * True if the service has statements of an instrument, which it refuses for what is no company. A delisted
 * instrument is in no list, which would have its type. Null until it is known.
 */
function useStatements(subject: Subject | null): boolean | null {
  const statements = useData(
    subject && {
      operation: "get_stock_statements",
      args: { ...subject, type: "income", limit: 1 },
    },
  );
  if (statements.value !== null) return true;
  return statements.error?.status === 404 ? false : null;
}

function TabLinks(props: {
  readonly subject: Subject;
  readonly tabs: readonly SymbolTab[];
  readonly current: SymbolTab;
}) {
  const path = symbolPath(props.subject.country, props.subject.symbol);
  const query = place.value.query.toString();
  const hasChart = (tab: SymbolTab) => WITH_CHART.includes(tab);
  const addressOf = (tab: SymbolTab) =>
    (tab === "overview" ? path : `${path}/${tab}`) +
    (query !== "" && hasChart(tab) && hasChart(props.current) ? `?${query}` : "");
  const links = useRef<HTMLElement>(null);
  // On a phone, the tab of the address can be beyond the edge.
  useEffect(() => {
    const current = links.current?.querySelector<HTMLElement>("[aria-current]");
    if (links.current && current) links.current.scrollLeft = current.offsetLeft - 16;
  }, [props.current, props.tabs.length]);
  return (
    <nav class="symbol-tabs" ref={links} aria-label={t("Parts of the page")}>
      {props.tabs.map((tab) => (
        <a
          key={tab}
          href={addressOf(tab)}
          aria-current={tab === props.current ? "page" : undefined}
        >
          {t(SYMBOL_TABS[tab])}
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
