import { type AnswerOf, type Call, type Resource, useData } from "#console/app/api.ts";
import { lazyPart } from "#console/app/parts/lazy-part.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Empty } from "#console/app/parts/panel.tsx";
import { type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { Reasoned } from "#console/app/parts/reasons.ts";
import { type Choice, SymbolField } from "#console/app/parts/symbol-field.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { type Sentence, t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import { currenciesOf, FiguresPanel, referenceOf } from "./figures.tsx";
import { chosenCurrency } from "#console/app/parts/currency-choice.tsx";
import { LinesPanel, type Line } from "./lines.tsx";

const MAX_SYMBOLS = 10;

/** The parts of the page, each with its name and its figures; the first one has those that the service chooses. */
const PARTS = {
  price: ["Price", undefined],
  valuation: [
    "Valuation",
    "pe,forward_pe,pe_percentile_5y,pb,ps,ev_ebitda,fcf_yield,dividend_yield,market_cap",
  ],
  growth: [
    "Growth",
    "revenue_growth,eps_growth,dividend_growth_5y,gross_margin,operating_margin,net_margin,roe,roic",
  ],
  history: ["History", "price"],
  risk: [
    "Risk",
    "volatility,beta,below_high_52w,debt_to_equity,current_ratio,payout_ratio,cash_to_debt",
  ],
} as const satisfies Record<string, readonly [Sentence, string | undefined]>;
type Part = keyof typeof PARTS;
const PART_NAMES = Object.keys(PARTS) as Part[];

const readSymbols = () =>
  (place.value.query.get("symbols") ?? "").split(",").filter((one) => one !== "");

const setSymbols = (symbols: readonly string[]) =>
  setQuery({ symbols: [...new Set(symbols)].join(",") || null });

const RiskPart = lazyPart(() => import("./risk.tsx").then((file) => file.RiskPart));
const HistoryPanels = lazyPart(() => import("./history.tsx").then((file) => file.HistoryPanels));

/** Compare: the prices, figures and risk of chosen instruments side by side. */
export default function ComparePage() {
  const { query } = place.value;
  const symbols = readSymbols().slice(0, MAX_SYMBOLS);
  const part = PART_NAMES.find((one) => one === query.get("part")) ?? "price";
  const [, partMetrics] = PARTS[part];
  // The metrics of the address are figures of the past in a history.
  const metrics = part === "history" ? partMetrics : (query.get("metrics") ?? partMetrics);
  const first = useComparison(symbols, metrics, chosenCurrency());
  const data = symbols.length === 0 ? undefined : first.comparison.value?.data;
  // Amounts of several currencies are compared in the first one, unless the reader chooses.
  const [main = "", ...others] = data ? currenciesOf(rowsOf(data)) : [];
  const mixed = others.length > 0 ? main : "";
  const isMixed = part !== "history" && chosenCurrency(mixed) !== chosenCurrency();
  const converted = useComparison(isMixed ? symbols : [], metrics, mixed);
  // A market without exchange rates still shows each amount in its own currency.
  const isConverted = isMixed && !lacksRate(converted.comparison.value?.data);
  const byDefault = isMixed && !isConverted ? "" : mixed;
  const currency = chosenCurrency(byDefault);
  return (
    <>
      <PageTitle title={t("Compare")} />
      <Chips symbols={symbols} data={data} />
      {symbols.length === 0 ? (
        <Empty>
          {t(
            "Add 2 to {count} symbols, such as AAPL, JP:7203 or ^GSPC, or tick companies on this page:",
            { count: MAX_SYMBOLS },
          )}{" "}
          <a href="/console/screen">{t("Screener")}</a>
        </Empty>
      ) : (
        <>
          <PartLinks current={part} />
          {data && data.unknown.length > 0 && <Unknown data={data} symbols={symbols} />}
          <Content
            {...(isConverted ? converted : first)}
            part={part}
            currency={currency || undefined}
            byDefault={byDefault}
            count={symbols.length}
          />
        </>
      )}
    </>
  );
}

/** True for an answer whose amounts are missing because no rate is stored. */
const lacksRate = (data: Reasoned | undefined): boolean => data?.reasons?.no_rate !== undefined;

/** The figures of instruments in a currency, and their call. Without symbols, nothing is called. */
function useComparison(symbols: readonly string[], metrics: string | undefined, currency: string) {
  const call: Call<"compare_stocks"> = {
    operation: "compare_stocks",
    args: { symbols: symbols.join(","), metrics, currency: currency || undefined },
  };
  return { call, comparison: useData(symbols.length === 0 ? null : call) };
}

function Content(props: {
  readonly part: Part;
  /** Undefined for the own currency of each instrument. */
  readonly currency: string | undefined;
  readonly byDefault: string;
  readonly call: Call<"compare_stocks">;
  readonly comparison: Resource<AnswerOf<"compare_stocks">>;
  readonly count: number;
}) {
  const { part, count, currency, ...figures } = props;
  const { comparison } = figures;
  const rows = comparison.value ? rowsOf(comparison.value.data) : [];
  if (part === "history" && comparison.error === null) return <HistoryPanels rows={rows} />;
  const lines = rows.map((row): Line => ({
    country: textIn(row, "country"),
    symbol: textIn(row, "symbol"),
    name: textIn(row, "name"),
  }));
  const hasLines = comparison.error === null;
  if (part === "risk" && hasLines) return <RiskPart {...{ lines, count, currency, ...figures }} />;
  return (
    <>
      {part === "price" && hasLines && <LinesPanel lines={lines} currency={currency} />}
      <FiguresPanel {...figures} />
    </>
  );
}

/** The parts of the page as links. What is compared stays. */
function PartLinks({ current }: { readonly current: Part }) {
  const address = (part: Part) => {
    const query = new URLSearchParams(place.value.query);
    query.delete("metrics");
    query.delete("part");
    query.delete("period");
    if (part !== "price") query.set("part", part);
    return `/console/compare?${query.toString()}`;
  };
  return (
    <nav class="symbol-tabs" aria-label={t("Parts of the page")}>
      {PART_NAMES.map((part) => (
        <a key={part} href={address(part)} aria-current={part === current ? "page" : undefined}>
          {t(PARTS[part][0])}
        </a>
      ))}
    </nav>
  );
}

/** What is compared, each with the colour of its line, and a field that adds an instrument. */
function Chips(props: {
  readonly symbols: readonly string[];
  readonly data: PayloadOf<"compare_stocks"> | undefined;
}) {
  const { symbols, data } = props;
  const chips = chipsOf(symbols, data);
  const isFull = symbols.length >= MAX_SYMBOLS;
  return (
    <div class="compared">
      {chips.map(({ text, name, reference, colour }, i) => (
        <span key={reference} class="compared-chip" title={name}>
          <span class={`swatch ${colour === 0 ? "" : `series-${colour}`}`} aria-hidden="true" />
          <b>{text}</b>
          <button
            type="button"
            class="quiet"
            aria-label={t("Remove {name}", { name: text })}
            onClick={() =>
              setSymbols(chips.filter((_, at) => at !== i).map(({ reference }) => reference))
            }
          >
            ×
          </button>
        </span>
      ))}
      <SymbolField
        label={t("Add a symbol or name")}
        isDisabled={isFull}
        onPick={({ country, symbol }) => setSymbols([...readSymbols(), `${country}:${symbol}`])}
        choicesOf={severalOf}
      />
      {isFull && (
        <span class="muted">
          {t("A comparison has at most {count} symbols.", { count: MAX_SYMBOLS })}
        </span>
      )}
    </div>
  );
}

/** Symbols with commas between them, added at once. The name of an instrument comes first: `Apple, Inc.`. */
function severalOf(text: string): Choice[] {
  const symbols = text
    .split(/[,;、，]/)
    .map((one) => one.trim())
    .filter((one) => one !== "");
  if (symbols.length < 2) return [];
  const run = () => setSymbols([...readSymbols(), ...symbols].slice(0, MAX_SYMBOLS));
  return [{ key: text, title: symbols.join(", "), kind: t("Add all"), run }];
}

interface Chip {
  readonly text: string;
  readonly name: string;
  /** As addresses have it. */
  readonly reference: string;
  /** The number of its line; 0 for one that the market does not have, or before it is known. */
  readonly colour: number;
}

/** The chips in the order of the address. Their texts are there before the answer, so that nothing moves. */
function chipsOf(
  symbols: readonly string[],
  data: PayloadOf<"compare_stocks"> | undefined,
): readonly Chip[] {
  const unknown = new Set(data?.unknown.map(({ symbol }) => symbol));
  const rows = data ? rowsOf(data) : [];
  // A symbol that is named twice has one row. Without a row for each text, only a text that is the symbol has one.
  const known = [...new Set(symbols)].filter((one) => !unknown.has(one));
  const rowOf = (symbol: string): Row | undefined => {
    const upper = symbol.toUpperCase();
    const exact = rows.find((row) => [referenceOf(row), textIn(row, "symbol")].includes(upper));
    return exact ?? (rows.length === known.length ? rows[known.indexOf(symbol)] : undefined);
  };
  const chips = symbols.map((symbol): Chip => {
    const row = unknown.has(symbol) ? undefined : rowOf(symbol);
    return {
      text: symbol.replace(/^[a-z]{2}:/i, "").toUpperCase(),
      name: row ? textIn(row, "name") : "",
      reference: row ? referenceOf(row) : symbol,
      colour: row ? rows.indexOf(row) + 1 : 0,
    };
  });
  return [...new Map(chips.map((chip) => [chip.reference, chip])).values()];
}

/** The symbols that the market does not have. */
function Unknown(props: {
  readonly data: PayloadOf<"compare_stocks">;
  readonly symbols: readonly string[];
}) {
  const { data, symbols } = props;
  return (
    <div class="failure" role="alert">
      {data.unknown.map(({ symbol, reason, closest }) => (
        <p key={symbol}>
          {symbol}: {reason} {closest !== null && t("Did you mean {closest}?", { closest })}{" "}
          <button type="button" onClick={() => setSymbols(symbols.filter((one) => one !== symbol))}>
            {t("Remove")}
          </button>
        </p>
      ))}
    </div>
  );
}
