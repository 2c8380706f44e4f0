import { t, translate } from "#console/app/words.ts";
import type { ComponentChildren } from "preact";
import { type AnswerOf, type Call, type Resource, useData } from "#console/app/api.ts";
import {
  formatDate,
  formatNumber,
  formatPrice,
  formatPlainPercent,
  formatShort,
  MISSING,
} from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { type Metric, showMetric, useVocabulary } from "#console/app/parts/metrics.tsx";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import { numberIn, type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { Subject } from "#console/app/parts/subject.ts";

/** The key figures, in groups: as many as can be ranked in one call. */
const GROUPS = {
  Valuation: ["pe", "pb", "ev_ebitda", "fcf_yield"],
  Profitability: ["net_margin", "roe", "roic"],
  "Growth, a year": ["revenue_growth", "eps_growth"],
  Health: ["debt_to_equity"],
} as const;

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

/** The call for the key figures and their ranks. */
function rankedCall({ country, symbol }: Subject): Call<"compare_stocks"> {
  const metrics = Object.values(GROUPS).flat().join(",");
  const args = { symbols: `${country}:${symbol}`, metrics, rank: true };
  return { operation: "compare_stocks", args };
}

type Figures = Resource<AnswerOf<"compare_stocks">>;

/** The row of the instrument; without a figure if it has none. */
export const rowOf = (figures: Figures): Row =>
  (figures.value && rowsOf(figures.value.data)[0]) ?? {};

/** The six figures that one looks at first, and where the price is in its year. */
export function StatStrip({ figures }: { readonly figures: Figures }) {
  const row = rowOf(figures);
  const analysts = numberIn(row, "analyst_count");
  const exDate = textIn(row, "next_ex_date");
  const cells: readonly (readonly [string, ComponentChildren, boolean])[] = [
    ["Market cap", formatShort(numberIn(row, "market_cap")), numberIn(row, "market_cap") !== null],
    ["P/E · forward", pairOf(row, "pe", "forward_pe"), numberIn(row, "pe") !== null],
    ["Dividend yield", percentOf(row, "dividend_yield"), numberIn(row, "dividend_yield") !== null],
    [
      "Beta · volatility",
      `${formatNumber(numberIn(row, "beta"))} · ${percentOf(row, "volatility", 0)}`,
      numberIn(row, "volatility") !== null,
    ],
    [
      t("Target ({count} analysts)", { count: analysts ?? 0 }),
      <Change key="target" value={numberIn(row, "target_upside")} />,
      numberIn(row, "target_upside") !== null,
    ],
    ["Next ex-date", exDate === "" ? MISSING : formatDate(exDate), exDate !== ""],
  ];
  return (
    <dl class="stat-strip" aria-label="Figures at a glance">
      {cells
        .filter(([, , isKnown]) => isKnown)
        .map(([label, value]) => (
          <div key={label}>
            <dt>{translate(label)}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      <YearBar row={row} />
    </dl>
  );
}

const percentOf = (row: Row, metric: string, digits = 2) =>
  formatPlainPercent(numberIn(row, metric), digits);
const pairOf = (row: Row, ...metrics: readonly string[]) =>
  metrics.map((metric) => formatNumber(numberIn(row, metric))).join(" · ");

/** The price between the lowest and the highest of 52 weeks. */
function YearBar({ row }: { readonly row: Row }) {
  const [price, low, high] = ["price", "low_52w", "high_52w"].map((one) => numberIn(row, one));
  if (!price || !low || !high || high <= low) return null;
  const percent = Math.min(100, Math.max(0, (100 * (price - low)) / (high - low)));
  const text = t("{percent}% of the range", { percent: formatNumber(percent, 0) });
  return (
    <div class="year-bar">
      <dt>{t("52 weeks")}</dt>
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
function Track({ percent, label }: { readonly percent: number; readonly label: string }) {
  return (
    <span class="track" role="img" aria-label={label} title={label}>
      <span style={{ left: `${percent}%` }} />
    </span>
  );
}

/** The key figures, each with its rank in the sector of the country. */
export function KeyFigures({ subject }: { readonly subject: Subject }) {
  const call = rankedCall(subject);
  const figures = useData(call);
  const vocabulary = useVocabulary();
  const metrics = vocabulary.value?.metrics;
  return (
    <Panel title="Key figures" calls={[call]} answer={figures.value}>
      <Loaded of={metrics ? figures : { ...figures, value: null }} lines={13}>
        {() => (
          <>
            {Object.entries(GROUPS).map(([group, names]) => (
              <div key={group}>
                <h3 class="muted">{translate(group)}</h3>
                <dl class="key-figures">
                  {names.map((name) => (
                    <KeyFigure
                      key={name}
                      name={name}
                      row={rowOf(figures)}
                      metric={metrics?.get(name)}
                    />
                  ))}
                </dl>
              </div>
            ))}
            <p class="muted">
              {t("The bar is the rank in the sector of the country, from lowest to highest.")}
            </p>
          </>
        )}
      </Loaded>
    </Panel>
  );
}

function KeyFigure(props: {
  readonly name: string;
  readonly row: Row;
  readonly metric: Metric | undefined;
}) {
  const { name, row, metric } = props;
  const rank = numberIn(row, `${name}_rank`);
  return (
    <div title={metric?.description}>
      <dt>{translate(metric?.title ?? name)}</dt>
      <dd>{showMetric(metric, row[name], textIn(row, "currency"))}</dd>
      <dd>
        {rank !== null && (
          <Track percent={rank} label={`Higher than ${formatNumber(rank, 0)}% of the sector`} />
        )}
      </dd>
    </div>
  );
}
