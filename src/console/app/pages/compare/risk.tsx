import { type AnswerOf, type Call, type Resource, useData } from "#console/app/api.ts";
import { formatNumber } from "#console/app/format.ts";
import { readRange } from "#console/app/parts/chart-range.ts";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { place } from "#console/app/router.ts";
import { t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import { FiguresPanel } from "./figures.tsx";
import { type Line, RangeTabs } from "./lines.tsx";

/** The correlations, and the figures of risk. */
export function RiskPart(props: {
  readonly lines: readonly Line[];
  /** How many lines there will be. */
  readonly count: number;
  readonly currency: string | undefined;
  readonly byDefault: string;
  readonly call: Call<"compare_stocks">;
  readonly comparison: Resource<AnswerOf<"compare_stocks">>;
}) {
  const { lines, count, currency, ...figures } = props;
  return (
    <>
      <CorrelationPanel lines={lines} count={count} currency={currency} />
      <FiguresPanel {...figures} />
    </>
  );
}

/** The correlations of the daily returns of all instruments with each other. Without lines they are being loaded. */
function CorrelationPanel(props: {
  readonly lines: readonly Line[];
  /** How many lines there will be. */
  readonly count: number;
  readonly currency: string | undefined;
}) {
  const { lines, count, currency } = props;
  const call: Call<"get_price_statistics"> = {
    operation: "get_price_statistics",
    args: {
      symbols: lines.map(({ country, symbol }) => `${country}:${symbol}`).join(","),
      range: readRange(place.value.query).toLowerCase(),
      currency,
    },
  };
  const statistics = useData(lines.length === 0 ? null : call);
  const hasSeveralCountries = new Set(lines.map(({ country }) => country)).size > 1;
  return (
    <Panel
      title="Correlation of daily returns"
      calls={[call]}
      answer={statistics.value}
      actions={<RangeTabs />}
    >
      <div class="correlation-body" style={{ "--rows": count + 1 }}>
        <Loaded of={statistics} lines={count + 1}>
          {({ data: { correlation } }) =>
            correlation === null ? (
              <Empty>{t("A correlation needs two symbols with prices. Add another one.")}</Empty>
            ) : (
              <>
                <Grid correlation={correlation} />
                <p class="muted">
                  {t("Of {count} sessions on which all have a close.", {
                    count: formatNumber(correlation.sessions, 0),
                  })}{" "}
                  {t("1: they rise and fall together. 0: no linear relation. −1: opposite.")}{" "}
                  {hasSeveralCountries &&
                    t(
                      "Countries trade at different hours, so their daily returns correlate less than returns over longer periods.",
                    )}
                </p>
              </>
            )
          }
        </Loaded>
      </div>
    </Panel>
  );
}

/** The matrix, shaded by the size of each value. */
function Grid(props: {
  readonly correlation: NonNullable<PayloadOf<"get_price_statistics">["correlation"]>;
}) {
  const { symbols, matrix } = props.correlation;
  const names = symbols.map((one) => one.replace(/^\w+:/, ""));
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label={t("Correlations")}>
      <table class="correlations">
        <thead>
          <tr>
            <td />
            {names.map((name, i) => (
              <th key={symbols[i]} scope="col" class="number">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {matrix.map((values, row) => (
            <tr key={symbols[row]}>
              <th scope="row">
                <span class={`swatch series-${row + 1}`} aria-hidden="true" /> {names[row]}
              </th>
              {values.map((value, column) => (
                <td
                  key={symbols[column]}
                  {...(row === column ? { class: "number muted" } : shadeOf(value))}
                >
                  {formatNumber(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The percent of the colour of a correlation of 1. */
const FULL_SHADE = 35;

/** The colour of a cell: stronger for a value further from 0. */
function shadeOf(value: number | null) {
  if (value === null) return { class: "number" };
  const share = `${Math.round(Math.abs(value) * FULL_SHADE)}%`;
  return { class: `number ${value < 0 ? "opposite" : "together"}`, style: { "--share": share } };
}
