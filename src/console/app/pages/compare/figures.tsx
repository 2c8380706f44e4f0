import type { AnswerOf, Call, Resource } from "#console/app/api.ts";
import { formatDate, MISSING } from "#console/app/format.ts";
import { CompanyName } from "#console/app/company-names.tsx";
import { countryName, symbolPath } from "#console/app/parts/country.tsx";
import { CurrencyChoice, ratesText } from "#console/app/parts/currency-choice.tsx";
import {
  type Metric,
  isLarge,
  showMetric,
  useVocabulary,
  type Vocabulary,
} from "#console/app/parts/metrics.tsx";
import { MetricName } from "#console/app/parts/metric-name.tsx";
import { formatInOneUnit } from "#console/app/one-unit.ts";
import { titleOfColumn } from "./column-title.ts";
import { SideBySide } from "./side-by-side.tsx";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import { figureOr } from "#console/app/parts/missing.tsx";
import { type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { place, setQuery } from "#console/app/router.ts";
import { t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";

/** The columns before the metrics: country, symbol, name, currency, to_session. */
const HEAD_COLUMNS = 5;

/** An instrument in the form of addresses: `US:AAPL`. */
export const referenceOf = (row: Row) => `${row["country"]}:${row["symbol"]}`;

/** The currencies of the amounts of rows, each once. Indices have none. */
export const currenciesOf = (rows: readonly Row[]): readonly string[] => [
  ...new Set(rows.map((row) => textIn(row, "currency")).filter((code) => code !== "")),
];

/** The figures of a comparison, a row each, the best value in bold. */
export function FiguresPanel(props: {
  /** The currency of amounts without a choice; empty for the own currency of each instrument. */
  readonly byDefault: string;
  readonly call: Call<"compare_stocks">;
  readonly comparison: Resource<AnswerOf<"compare_stocks">>;
}) {
  const { byDefault, call, comparison } = props;
  const vocabulary = useVocabulary();
  return (
    <Panel
      title="Figures"
      calls={[call]}
      answer={comparison.value}
      actions={<FigureChoices byDefault={byDefault} />}
    >
      <Loaded of={comparison} lines={12}>
        {({ data }) => (
          <Loaded of={vocabulary} lines={12}>
            {({ metrics }) => <Figures data={data} metrics={metrics} />}
          </Loaded>
        )}
      </Loaded>
    </Panel>
  );
}

function FigureChoices({ byDefault }: { readonly byDefault: string }) {
  const vocabulary = useVocabulary();
  const hasAll = place.value.query.get("metrics") === "all";
  return (
    <>
      <button
        type="button"
        class="quiet"
        aria-pressed={hasAll}
        onClick={() => setQuery({ metrics: hasAll ? null : "all" })}
      >
        {t("All figures")}
      </button>
      <CurrencyChoice currencies={vocabulary.value?.currencies ?? []} byDefault={byDefault} />
    </>
  );
}

/** The best value of a row; null if there is no better and worse, or all are equal. */
function bestOf(metric: Metric | undefined, row: readonly unknown[]): number | null {
  const values = row.filter((value) => typeof value === "number");
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (values.length < 2 || low === high || metric?.better === undefined) return null;
  return metric.better === "low" ? low : high;
}

/** A column for each instrument, a row for each metric. */
function Figures(props: {
  readonly data: PayloadOf<"compare_stocks">;
  readonly metrics: Vocabulary["metrics"];
}) {
  const { data, metrics } = props;
  const rows = rowsOf(data);
  return (
    <>
      <SideBySide label={t("Figures side by side")} count={rows.length}>
        <thead>
          <FiguresHead rows={rows} />
        </thead>
        <tbody>
          <tr>
            <th scope="row">{t("Session")}</th>
            {rows.map((row) => (
              <td key={referenceOf(row)} class="number">
                {row["to_session"] === null ? MISSING : formatDate(textIn(row, "to_session"))}
              </td>
            ))}
          </tr>
          {data.columns.slice(HEAD_COLUMNS).map((column) => (
            <tr key={column}>
              <FigureCells data={data} column={column} metric={metrics.get(column)} rows={rows} />
            </tr>
          ))}
        </tbody>
      </SideBySide>
      <p class="muted">
        {t("Bold: the best figure of its row, where one is better than another.")}{" "}
        {data.currency === null &&
          t("Amounts are in the currency above them: choose one to compare them.")}
      </p>
      {data.rates.length > 0 && <p class="muted">{ratesText(data.rates)}</p>}
    </>
  );
}

/** The name of a figure and its values, the best one in bold. Amounts of one currency are in one unit. */
function FigureCells(props: {
  readonly column: string;
  readonly metric: Metric | undefined;
  readonly data: PayloadOf<"compare_stocks">;
  readonly rows: readonly Row[];
}) {
  const { column, metric, data, rows } = props;
  const values = rows.map((row) => row[column]);
  const best = bestOf(metric, values);
  const large =
    isLarge(metric?.unit) && data.currency
      ? formatInOneUnit(values, metric?.unit === "count" ? "" : data.currency)
      : null;
  return (
    <>
      <th scope="row">
        <MetricName metric={metric}>{titleOfColumn(column)}</MetricName>
        {large && ` ${large.unit}`}
      </th>
      {rows.map((row) => {
        const value = large
          ? large.format(row[column])
          : showMetric(metric, row[column], textIn(row, "currency"), data.rates.length > 0);
        const shown = figureOr(data, row, column, value);
        return (
          <td key={referenceOf(row)} class="number">
            {best !== null && row[column] === best ? <b>{shown}</b> : shown}
          </td>
        );
      })}
    </>
  );
}

/** The instruments, each with its name, country and currency. */
function FiguresHead({ rows }: { readonly rows: readonly Row[] }) {
  return (
    <tr>
      <th scope="col">{t("Figure")}</th>
      {rows.map((row, i) => (
        <th key={referenceOf(row)} scope="col" class="number">
          <span class={`swatch series-${i + 1}`} aria-hidden="true" />{" "}
          <a href={symbolPath(textIn(row, "country"), textIn(row, "symbol"))}>{row["symbol"]}</a>
          <br />
          <CompanyName row={row} />
          <br class="wide-only" />
          <span class="wide-only">{countryName(textIn(row, "country"))}, </span>
          {row["currency"] ?? t("points")}
        </th>
      ))}
    </tr>
  );
}
