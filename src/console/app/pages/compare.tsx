import { type Call, useData } from "#console/app/api.ts";
import { formatDate, formatName, MISSING } from "#console/app/format.ts";
import { symbolPath } from "#console/app/parts/country.tsx";
import {
  type Metric,
  showMetric,
  useVocabulary,
  type Vocabulary,
} from "#console/app/parts/metrics.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { type Row, rowsOf, textIn } from "#console/app/parts/rows.ts";
import { SymbolField } from "#console/app/parts/symbol-field.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { settings } from "#console/app/settings.ts";
import type { PayloadOf } from "#operations/index.ts";
import { chosenCurrency, LinesPanel, type Line } from "./compare-lines.tsx";

const MAX_SYMBOLS = 10;
/** The columns before the metrics: country, symbol, name, currency, to_session. */
const HEAD_COLUMNS = 5;
/** The sets of figures, with their metrics as the address and the call have them. */
const CHOICES = {
  "Key figures": undefined,
  Valuation: "pe,forward_pe,pb,ps,ev_ebitda,fcf_yield,dividend_yield,pe_percentile_5y",
  Growth: "revenue_growth,eps_growth,dividend_growth_5y,gross_margin,net_margin,roe,roic",
  Risk: "volatility,beta,below_high_52w,debt_to_equity,current_ratio,payout_ratio",
  "All figures": "all",
} as const;
type FigureChoice = keyof typeof CHOICES;

/** Figures of which the lowest is the best one for a shareholder, and those of which the highest is. */
const LOW_IS_GOOD =
  /^((pe|pb|ps|ev_ebitda)_percentile_5y|pe|forward_pe|pb|ps|pcf|pfcf|peg|ev_(ebitda|revenue|ebit)|volatility|below_high_52w|debt_to_equity|payout_ratio)$/;
const HIGH_IS_GOOD =
  /^(dividend_yield_percentile_5y|\w+_yield|\w+_growth|dividend_growth_\dy|\w+_margin|roe|roa|roic|(total_)?return_\w+|current_ratio|target_upside)$/;

/** The best value of a row; null if there is no better and worse, or all are equal. */
function bestOf(metric: string, row: readonly unknown[]): number | null {
  const values = row.filter((value) => typeof value === "number");
  const [low, high] = [Math.min(...values), Math.max(...values)];
  if (values.length < 2 || low === high) return null;
  if (LOW_IS_GOOD.test(metric)) return low;
  return HIGH_IS_GOOD.test(metric) ? high : null;
}

const readSymbols = () =>
  (place.value.query.get("symbols") ?? "").split(",").filter((one) => one !== "");

const referenceOf = (row: Row) => `${row["country"]}:${row["symbol"]}`;

const setSymbols = (symbols: readonly string[]) =>
  setQuery({ symbols: [...new Set(symbols)].join(",") || null });

/** Compare: the figures and prices of chosen instruments side by side. */
export default function ComparePage() {
  const { query } = place.value;
  const symbols = readSymbols().slice(0, MAX_SYMBOLS);
  const metrics = query.get("metrics") ?? undefined;
  const call: Call<"compare_stocks"> | null =
    symbols.length === 0
      ? null
      : {
          operation: "compare_stocks",
          args: {
            symbols: symbols.join(","),
            metrics,
            currency: chosenCurrency() || undefined,
          },
        };
  const comparison = useData(call);
  const vocabulary = useVocabulary();
  const data = call && comparison.value?.data;
  const lines = (data ? rowsOf(data) : []).map((row): Line => ({
    country: textIn(row, "country"),
    symbol: textIn(row, "symbol"),
    name: textIn(row, "name"),
  }));
  return (
    <>
      <PageTitle title="Compare" />
      <AddField symbols={symbols} />
      {call === null ? (
        <Empty>
          Add 2 to {MAX_SYMBOLS} symbols, such as AAPL, JP:7203 or ^GSPC, or tick companies on the
          page <a href="/console/screen">Screener</a>.
        </Empty>
      ) : (
        <>
          {data && data.unknown.length > 0 && <Unknown data={data} symbols={symbols} />}
          {!comparison.error && <LinesPanel lines={lines} />}
          <Panel
            title="Figures"
            calls={[call]}
            answer={comparison.value}
            actions={<FigureChoices metrics={metrics} />}
          >
            <Loaded of={comparison} lines={12}>
              {({ data: found }) => (
                <Loaded of={vocabulary} lines={12}>
                  {({ metrics }) => <Figures data={found} metrics={metrics} />}
                </Loaded>
              )}
            </Loaded>
          </Panel>
        </>
      )}
    </>
  );
}

/** A field that adds an instrument. */
function AddField({ symbols }: { readonly symbols: readonly string[] }) {
  const isFull = symbols.length >= MAX_SYMBOLS;
  return (
    <div class="filter-row">
      <SymbolField
        label="Add a symbol or name"
        isDisabled={isFull}
        onPick={({ country, symbol }) => setSymbols([...readSymbols(), `${country}:${symbol}`])}
      />
      {isFull && <span class="muted">A comparison has at most {MAX_SYMBOLS} symbols.</span>}
    </div>
  );
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
          {symbol}: {reason} {closest !== null && `Did you mean ${closest}?`}{" "}
          <button type="button" onClick={() => setSymbols(symbols.filter((one) => one !== symbol))}>
            Remove
          </button>
        </p>
      ))}
    </div>
  );
}

function FigureChoices({ metrics }: { readonly metrics: string | undefined }) {
  const vocabulary = useVocabulary();
  return (
    <>
      <Tabs
        label="Figures"
        tabs={Object.keys(CHOICES) as FigureChoice[]}
        current={
          (Object.keys(CHOICES) as FigureChoice[]).find((one) => CHOICES[one] === metrics) ??
          "Key figures"
        }
        onChange={(one) => setQuery({ metrics: CHOICES[one] ?? null })}
      />
      <select
        aria-label="Currency of amounts"
        value={chosenCurrency()}
        onChange={({ currentTarget: { value } }) =>
          setQuery({ currency: value === (settings.value.currency ?? "") ? null : value })
        }
      >
        <option value="">Own currency</option>
        {(vocabulary.value?.currencies ?? []).map((currency) => (
          <option key={currency}>{currency}</option>
        ))}
      </select>
    </>
  );
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
      <div class="table-frame pinned" tabIndex={0} role="region" aria-label="Figures side by side">
        <table>
          <thead>
            <FiguresHead rows={rows} />
          </thead>
          <tbody>
            <tr>
              <th scope="row">Session</th>
              {rows.map((row) => (
                <td key={referenceOf(row)} class="number">
                  {row["to_session"] === null ? MISSING : formatDate(textIn(row, "to_session"))}
                </td>
              ))}
            </tr>
            {data.columns.slice(HEAD_COLUMNS).map((column) => (
              <tr key={column}>
                <th scope="row" title={metrics.get(column)?.description}>
                  {metrics.get(column)?.title ?? formatName(column)}
                </th>
                <FigureCells column={column} metric={metrics.get(column)} rows={rows} />
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {data.rates.length > 0 && (
        <p class="muted">
          Converted at{" "}
          {data.rates
            .map(
              ({ from, to, rate, date }) =>
                `${from}/${to} ${rate ?? MISSING}${date === null ? "" : ` of ${formatDate(date)}`}`,
            )
            .join(", ")}
          .
        </p>
      )}
    </>
  );
}

/** The values of a figure, the best one in bold. */
function FigureCells(props: {
  readonly column: string;
  readonly metric: Metric | undefined;
  readonly rows: readonly Row[];
}) {
  const { column, metric, rows } = props;
  const best = bestOf(
    column,
    rows.map((row) => row[column]),
  );
  return rows.map((row) => {
    const shown = showMetric(metric, row[column], textIn(row, "currency"));
    return (
      <td key={referenceOf(row)} class="number">
        {best !== null && row[column] === best ? <b>{shown}</b> : shown}
      </td>
    );
  });
}

/** The instruments, each with a button that removes it. */
function FiguresHead({ rows }: { readonly rows: readonly Row[] }) {
  const remove = (at: number) => setSymbols(rows.filter((_, i) => i !== at).map(referenceOf));
  return (
    <tr>
      <th scope="col">Figure</th>
      {rows.map((row, i) => (
        <th key={referenceOf(row)} scope="col" class="number">
          <span class={`swatch series-${i + 1}`} aria-hidden="true" />{" "}
          <a href={symbolPath(textIn(row, "country"), textIn(row, "symbol"))}>{row["symbol"]}</a>{" "}
          <button
            type="button"
            class="quiet"
            aria-label={`Remove ${row["symbol"]}`}
            onClick={() => remove(i)}
          >
            ×
          </button>
          <br />
          <span class="cut">{row["name"]}</span>
          <br />
          {row["country"]}, {row["currency"] ?? "points"}
        </th>
      ))}
    </tr>
  );
}
