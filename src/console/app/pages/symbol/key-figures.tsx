import { type Call, useData } from "#console/app/api.ts";
import { formatNumber } from "#console/app/format.ts";
import { countryInText } from "#console/app/parts/country.tsx";
import { meaningOf } from "#console/app/parts/metric-meaning.ts";
import { type Metric, showMetric, useVocabulary } from "#console/app/parts/metrics.tsx";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import { rankMeaning } from "./rank-meaning.ts";
import { numberIn, type Row, textIn } from "#console/app/parts/rows.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import { Tip } from "#console/app/parts/tip.tsx";
import { type Sentence, type Shown, t, translate } from "#console/app/words.ts";
import { rowOf, Track } from "./figures.tsx";

/** The key figures, in groups. */
const GROUPS = {
  Valuation: ["pe", "peg", "pb", "ev_ebitda", "fcf_yield"],
  Profitability: ["net_margin", "roe", "roic"],
  "Growth, a year": ["revenue_growth", "eps_growth"],
  Health: ["debt_to_equity", "current_ratio", "payout_ratio"],
} as const satisfies Partial<Record<Sentence, unknown>>;

/** The most metrics that one call ranks. */
const RANKED = 10;
const NAMES = Object.values(GROUPS).flat();
const PARTS = [NAMES.slice(0, RANKED), NAMES.slice(RANKED)];

/** The call for some of the key figures and their ranks. */
function rankedCall(
  { country, symbol }: Subject,
  names: readonly string[] = [],
): Call<"compare_stocks"> {
  const args = { symbols: `${country}:${symbol}`, metrics: names.join(","), rank: true };
  return { operation: "compare_stocks", args };
}

/** The key figures, each with its rank in the sector of the country. */
export function KeyFigures(props: {
  readonly subject: Subject;
  /** In English; undefined until it is known. */
  readonly sector: string | undefined;
}) {
  const { subject, sector } = props;
  const [call, otherCall] = [rankedCall(subject, PARTS[0]), rankedCall(subject, PARTS[1])];
  const [figures, others] = [useData(call), useData(otherCall)];
  const vocabulary = useVocabulary();
  const metrics = vocabulary.value?.metrics;
  const row = { ...rowOf(figures), ...rowOf(others) };
  const peers = { sector: translate(sector ?? ""), country: countryInText(subject.country) };
  const placeOf = (rank: number | null) =>
    rank === null || sector === undefined
      ? null
      : t("Higher than {percent}% of {sector} in {country}.", {
          ...peers,
          percent: formatNumber(rank, 0),
        });
  return (
    <Panel title="Key figures" calls={[call, otherCall]} answer={figures.value}>
      <Loaded
        of={
          metrics && others.value ? figures : { ...(figures.error ? figures : others), value: null }
        }
        lines={17}
      >
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
                      row={row}
                      metric={metrics?.get(name)}
                      placeOf={placeOf}
                      kind={group === "Valuation" ? "valuation" : "other"}
                    />
                  ))}
                </dl>
              </div>
            ))}
            <p class="muted">
              {t(
                "The bar is the rank in the sector, from lowest to highest. Press one to see which end is better.",
              )}
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
  /** A rank as a sentence; null until it is known. */
  readonly placeOf: (rank: number | null) => Shown | null;
  readonly kind: Parameters<typeof rankMeaning>[2];
}) {
  const { name, row, metric, placeOf, kind } = props;
  const rank = numberIn(row, `${name}_rank`);
  const place = placeOf(rank);
  return (
    <div>
      <dt>
        <Tip text={metric && [meaningOf(metric), place ?? ""].join(" ").trim()}>
          {translate(metric?.title ?? name)}
        </Tip>
      </dt>
      <dd>{showMetric(metric, row[name], textIn(row, "currency"))}</dd>
      <dd>
        {rank !== null && place !== null && metric && (
          <Tip text={rankMeaning(place, metric, kind)}>
            <Track percent={rank} label={place} />
          </Tip>
        )}
      </dd>
    </div>
  );
}
