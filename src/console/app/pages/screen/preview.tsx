import { type Call, useData } from "#console/app/api.ts";
import { CompanyName } from "#console/app/company-names.tsx";
import { symbolPath } from "#console/app/parts/country.tsx";
import { useLater } from "#console/app/parts/later.ts";
import { useMedia } from "#console/app/parts/media.ts";
import { MetricName } from "#console/app/parts/metric-name.tsx";
import { showMetric, type Vocabulary } from "#console/app/parts/metrics.tsx";
import { type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import { WatchButton } from "#console/app/parts/watch-button.tsx";
import { YearLine } from "#console/app/parts/year-line.tsx";
import { setQuery } from "#console/app/router.ts";
import { t, translate } from "#console/app/words.ts";
import type { Column } from "#console/app/parts/data-table.tsx";

/** What a reader asks next of a company that a screen has found. */
const OTHERS =
  "pe,pe_percentile_5y,dividend_yield,roe,debt_to_equity,below_high_52w,target_upside,return_5y";

/** Below this width, the table has the whole page, and nothing is loaded for a preview. */
const WIDE = "(min-width: 1280px)";
/** The line of a company that the keys pass is not loaded. */
const REST_MS = 150;

/** The selected company beside the table: the line of a year and the figures of its row. */
export function Preview(props: {
  readonly row: Row | undefined;
  readonly country: string;
  readonly columns: readonly Column<Row>[];
  /** The figures of the columns. */
  readonly names: readonly string[];
  readonly metrics: Vocabulary["metrics"] | undefined;
}) {
  const { row, country, columns, names, metrics } = props;
  const isWide = useMedia(WIDE);
  const key = row && `${country}:${textIn(row, "symbol")}`;
  const rested = useLater(key, REST_MS);
  const subject = row && { country, symbol: textIn(row, "symbol") };
  return (
    <aside class="preview" aria-label={t("Preview")}>
      {row && subject && isWide && (
        <>
          <header class="preview-head">
            <h3>
              <CompanyName row={row} country={country} />
            </h3>
            <button
              type="button"
              class="quiet"
              aria-label={t("Close the preview")}
              onClick={() => setQuery({ at: null })}
            >
              ×
            </button>
          </header>
          {rested === key ? (
            <YearLine
              key={key}
              call={{ operation: "get_stock_price_history", args: { ...subject, range: "1y" } }}
            />
          ) : (
            <div class="year-line" />
          )}
          {/* Above the figures, whose lines can wrap. */}
          <div class="buttons">
            <a class="button" href={symbolPath(country, subject.symbol)}>
              {t("Open {symbol}", { symbol: subject.symbol })}
            </a>
            <WatchButton subject={subject} />
          </div>
          <dl>
            {columns.map(({ title, cell }) => (
              <div key={title}>
                <dt>{translate(title)}</dt>
                <dd>{cell(row)}</dd>
              </div>
            ))}
            <Others subject={subject} metrics={metrics} shown={names} isRested={rested === key} />
          </dl>
        </>
      )}
    </aside>
  );
}

/** The figures that the columns of the table do not have. */
function Others(props: {
  readonly subject: Subject;
  readonly metrics: Vocabulary["metrics"] | undefined;
  readonly shown: readonly string[];
  /** False while the keys pass the company: its figures are blank. */
  readonly isRested: boolean;
}) {
  const { subject, metrics, shown, isRested } = props;
  const { country, symbol } = subject;
  const call: Call<"compare_stocks"> = {
    operation: "compare_stocks",
    args: { symbols: `${country}:${symbol}`, metrics: OTHERS },
  };
  const { value, isCurrent } = useData(isRested ? call : null);
  const row = isCurrent && value ? rowsOf(value.data)[0] : undefined;
  return OTHERS.split(",").map((name) => {
    const metric = metrics?.get(name);
    if (!metric || shown.includes(name)) return null;
    return (
      <div key={name}>
        <dt>
          <MetricName metric={metric}>{name}</MetricName>
        </dt>
        <dd>{row ? showMetric(metric, row[name], textIn(row, "currency")) : "\u00a0"}</dd>
      </div>
    );
  });
}
