import { type Shown, t, translate } from "#console/app/words.ts";
import type { ComponentChildren } from "preact";
import { type AnswerOf, type Call, type Resource, useData } from "#console/app/api.ts";
import {
  formatDate,
  formatNumber,
  formatPrice,
  formatPlainPercent,
  formatShort,
} from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import {
  CountryVerdict,
  INDICES,
  symbolPath,
  valuationCall,
  verdictText,
} from "#console/app/parts/country.tsx";
import { useMeanings } from "#console/app/parts/meanings.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { Tip } from "#console/app/parts/tip.tsx";
import type { Subject } from "#console/app/parts/subject.ts";
import type { PayloadOf } from "#operations/index.ts";

/** What the strip and the dividends show. */
const OF_STRIP = [
  "price",
  "market_cap",
  "pe",
  "forward_pe",
  "dividend_yield",
  "beta",
  "volatility",
  "analyst_count",
  "target_upside",
  "next_ex_date",
  "high_52w",
  "low_52w",
  "return_1m",
  "return_1y",
  "return_5y",
  "dividend_per_share",
  "dividend_growth_1y",
  "dividend_growth_5y",
  "dividend_years_raised",
  "payout_ratio",
];

/** The call for the strip. */
export function figuresCall({ country, symbol }: Subject): Call<"compare_stocks"> {
  const args = { symbols: `${country}:${symbol}`, metrics: OF_STRIP.join(",") };
  return { operation: "compare_stocks", args };
}

/** The call for some years of a multiple, by month ends or, with `interval`, by week ends. */
export function ownHistoryCall(
  subject: Subject,
  metric: string,
  range: "5y" | "10y" = "10y",
  interval?: "1wk",
): Call<"get_valuation_history"> {
  return { operation: "get_valuation_history", args: { ...subject, metric, range, interval } };
}

/** Keeps the height of a line. */
const NOTHING = "\u00a0";

type Figures = Resource<AnswerOf<"compare_stocks">>;

/** The row of the instrument; without a figure if it has none. */
export const rowOf = (figures: Figures): Row =>
  (figures.value && rowsOf(figures.value.data)[0]) ?? {};

/**
 * The six figures that one looks at first, and where the price is in its year. It has the same rows for every
 * instrument and before they are known, so that nothing below it moves.
 */
export function StatStrip(props: {
  readonly subject: Subject;
  readonly figures: Figures;
  /** The changes over windows, by their labels in the overview. */
  readonly performance: Readonly<Record<string, string>> | undefined;
  /** Null until it is known. */
  readonly isCompany: boolean | null;
  /** True if a phone leaves it out, to have room for what is below. */
  readonly isFolded: boolean;
}) {
  const row = rowOf(props.figures);
  const meaningOf = useMeanings();
  const { country, symbol } = props.subject;
  const isIndex = INDICES[country] === symbol;
  const valuation = useData(isIndex ? valuationCall(country) : null);
  const data = valuation.value?.data ?? null;
  const isKnown =
    props.figures.value !== null &&
    props.isCompany !== null &&
    (!isIndex || data !== null || valuation.error !== null);
  const cells = props.isCompany ? companyCells(row) : otherCells(row, data, props.performance);
  return (
    <dl
      class={props.isFolded ? "stat-strip folded" : "stat-strip"}
      aria-label={t("Figures at a glance")}
    >
      {cells.map(([label, value, ...metrics], place) => (
        <div key={place}>
          <dt>{isKnown ? <Tip text={meaningOf(...metrics)}>{translate(label)}</Tip> : NOTHING}</dt>
          <dd>{isKnown ? value : NOTHING}</dd>
          {place === VERDICT_PLACE && (
            <dd class="stat-verdict">
              {props.isCompany ? (
                <Verdict subject={props.subject} />
              ) : isKnown && data ? (
                <>
                  <CountryVerdict country={country} data={data} /> {t("5Y")}
                </>
              ) : (
                NOTHING
              )}
            </dd>
          )}
        </div>
      ))}
      <YearBar row={row} />
    </dl>
  );
}

/** The cell of the P/E. It has a line for its verdict in every strip. */
const VERDICT_PLACE = 1;

/** The verdict on the P/E against the company's own past, which the Valuation tab shows. */
function Verdict({ subject }: { readonly subject: Subject }) {
  const data = useData(ownHistoryCall(subject, "pe")).value?.data;
  const verdict = data?.verdicts["pe"] ?? null;
  if (!data || verdict === null) return <>{NOTHING}</>;
  return (
    <a href={`${symbolPath(subject.country, subject.symbol)}/valuation`}>
      {verdictText(verdict, data.verdict_window)}
    </a>
  );
}

type Cells = readonly (readonly [
  label: string,
  value: ComponentChildren,
  ...metrics: readonly string[],
])[];

function companyCells(row: Row): Cells {
  return [
    [
      `Market cap, ${textIn(row, "currency")}`,
      formatShort(numberIn(row, "market_cap")),
      "market_cap",
    ],
    ["P/E · forward", pairOf(row, "pe", "forward_pe"), "pe", "forward_pe"],
    yieldCell(row),
    ["Beta · volatility", riskOf(row), "beta", "volatility"],
    [
      "Target upside",
      <Change key="target" value={numberIn(row, "target_upside")} />,
      "target_upside",
    ],
    // Most days have no announced one.
    textIn(row, "next_ex_date") === ""
      ? ["Change, 1 year", <Change key="year" value={numberIn(row, "return_1y")} />, "return_1y"]
      : exDateCell(row),
  ];
}

/** Of an instrument that is no company. The index of a country has a P/E, a fund can have dividends. */
function otherCells(
  row: Row,
  valuation: PayloadOf<"get_sectors"> | null,
  performance: Readonly<Record<string, string>> = {},
): Cells {
  const change = (label: string, metric: string, value: number | string | null = null) =>
    [label, <Change key={metric} value={value ?? numberIn(row, metric)} />, metric] as const;
  return [
    numberIn(row, "dividend_yield") === null ? change("1 month", "return_1m") : yieldCell(row),
    valuation
      ? ["P/E", formatNumber(valuation.country_pe), "pe"]
      : textIn(row, "next_ex_date") === ""
        ? change("This year", "return_ytd", performance["Perf %YTD"])
        : exDateCell(row),
    change("Change, 1 year", "return_1y"),
    change("5 years", "return_5y"),
    ["Volatility", percentOf(row, "volatility", 0), "volatility"],
    ["Beta", formatNumber(numberIn(row, "beta")), "beta"],
  ];
}

const yieldCell = (row: Row) =>
  ["Dividend yield", percentOf(row, "dividend_yield"), "dividend_yield"] as const;
const exDateCell = (row: Row) =>
  ["Next ex-date", formatDate(textIn(row, "next_ex_date")), "next_ex_date"] as const;

const riskOf = (row: Row) =>
  `${formatNumber(numberIn(row, "beta"))} · ${percentOf(row, "volatility", 0)}`;

const percentOf = (row: Row, metric: string, digits = 2) =>
  formatPlainPercent(numberIn(row, metric), digits);
const pairOf = (row: Row, ...metrics: readonly string[]) =>
  metrics.map((metric) => formatNumber(numberIn(row, metric))).join(" · ");

/** The price between the lowest and the highest of 52 weeks. */
function YearBar({ row }: { readonly row: Row }) {
  const [price, low, high] = ["price", "low_52w", "high_52w"].map((one) => numberIn(row, one));
  if (!price || !low || !high || high <= low) return <div class="year-bar" />;
  const percent = Math.min(100, Math.max(0, (100 * (price - low)) / (high - low)));
  const text = t("{percent}% of the range", { percent: formatNumber(percent, 0) });
  return (
    <div class="year-bar">
      <dt>
        <Tip
          text={t(
            "Where the newest close is between the lowest and the highest price of the last year: 0% is the lowest, 100% the highest.",
          )}
        >
          {t("52 weeks")}
        </Tip>
      </dt>
      <dd>
        <Track percent={percent} label={text} />
        <span class="year-bar-ends">
          <span>{formatPrice(low, textIn(row, "currency"))}</span>
          <span class="muted">{text}</span>
          <span>{formatPrice(high, textIn(row, "currency"))}</span>
        </span>
      </dd>
    </div>
  );
}

/** A mark on a line from 0 to 100. */
export function Track({ percent, label }: { readonly percent: number; readonly label: Shown }) {
  return (
    <span class="track" role="img" aria-label={label}>
      <span style={{ left: `${percent}%` }} />
    </span>
  );
}
