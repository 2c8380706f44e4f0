import { useEffect } from "preact/hooks";
import { useData } from "#console/app/api.ts";
import { formatDate } from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { LoadFailure } from "#console/app/parts/panel.tsx";
import { useSymbols } from "#console/app/parts/symbol-field.tsx";
import { symbolPath } from "#console/app/parts/country.tsx";
import type { Subject } from "#console/app/parts/subject.ts";
import { rememberSymbol } from "#console/app/recent-symbols.ts";
import { place } from "#console/app/router.ts";
import type { PayloadOf } from "#operations/index.ts";
import { AnalystPanels } from "./symbol-analysts.tsx";
import { PricePanel } from "./symbol-chart.tsx";
import { DividendsPanel, EarningsPanel } from "./symbol-events.tsx";
import { BusinessPanel, FiguresPanels } from "./symbol-overview.tsx";
import { RatingsPanel } from "./symbol-ratings.tsx";
import { StatementsPanel } from "./symbol-statements.tsx";

/** The figures of one instrument. */
export default function SymbolPage({
  params,
}: {
  readonly params: Readonly<Record<string, string>>;
}) {
  const subject = { country: params["country"] ?? "", symbol: params["symbol"] ?? "" };
  return <Instrument key={`${subject.country} ${subject.symbol}`} subject={subject} />;
}

function Instrument({ subject }: { readonly subject: Subject }) {
  const { country, symbol } = subject;
  const overview = useData({ operation: "get_stock_overview", args: subject });
  const listed = useData({
    operation: "list_symbols",
    args: { country, query: symbol, limit: 10 },
  });
  const found = listed.value?.data.symbols.find(
    (one) => one.country === country && one.symbol === symbol.toUpperCase(),
  );
  const isKnown = !listed.isLoading;
  // A delisted instrument is in no list. Its panels say what they lack.
  const isCompany = isKnown && (!found || found.type === "stock" || found.type === "reit");
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
  const asksForStatement = place.value.query.has("statement");
  return (
    <>
      <Head subject={found ?? subject} type={found?.type} data={data} />
      <div class="symbol-top">
        <PricePanel subject={subject} performance={data?.performance} />
        <div class="symbol-side">
          <FiguresPanels subject={subject} overview={overview} isCompany={isCompany} />
          <BusinessPanel subject={subject} overview={overview} />
        </div>
      </div>
      {(isCompany || asksForStatement) && <StatementsPanel subject={subject} />}
      <RatingsPanel subject={subject} />
      <div class="columns wide">
        {isCompany && <AnalystPanels subject={subject} />}
        {isCompany && country === "US" && <EarningsPanel symbol={symbol} />}
        <DividendsPanel subject={subject} />
      </div>
    </>
  );
}

/** The instruments of all countries whose symbol or name is close to an unknown one. */
function CloseSymbols({ symbol }: { readonly symbol: string }) {
  const found = useSymbols(symbol, true);
  const list = found.value?.symbols ?? [];
  if (list.length === 0) return null;
  return (
    <>
      <p>Did you mean:</p>
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
  const place = [subject.country, type, sector, industry].filter((one) => one && one !== "—");
  const reference = `${subject.country}:${subject.symbol}`;
  const [amount = "", currency = ""] = (data?.overview["Price"] ?? "").split(" ");
  return (
    <div class="symbol-head">
      <PageTitle title={data?.overview["Name"] ?? subject.symbol} />
      <p class="muted">
        <b>{subject.symbol}</b> {place.map((one) => `· ${one}`).join(" ")} ·{" "}
        <a href={`/console/compare?symbols=${encodeURIComponent(reference)}`}>Compare</a>
      </p>
      <p class="symbol-price">
        {data && (
          <>
            <b>{amount}</b> <span class="muted">{currency}</span>{" "}
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
  const close = /^\d/.test(date) ? `Close of ${formatDate(date)}` : "No price yet";
  const delisted = overview["Delisted"];
  return delisted === undefined ? close : `${close}. Delisted on ${formatDate(delisted)}.`;
}
