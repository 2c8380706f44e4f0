import { type Call, useData } from "#console/app/api.ts";
import { formatNumber } from "#console/app/format.ts";
import { countryInText } from "#console/app/parts/country.tsx";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import { setQuery } from "#console/app/router.ts";
import type { MacroHistory } from "./economy-indicators.tsx";
import { decimalsOf, LinePlot } from "./economy-plot.tsx";

const MAX_OBSERVATIONS = 1_000;

/** All stored figures of one series, as a plot and as a table. */
export function SeriesPanel({
  country,
  series,
}: {
  readonly country: string;
  readonly series: string;
}) {
  const call: Call = {
    operation: "get_macro_history",
    args: { country, series, limit: MAX_OBSERVATIONS },
  };
  const history = useData<MacroHistory>(call);
  return (
    <Panel
      title={`${history.value?.data.name ?? series} in ${countryInText(country)}`}
      calls={[call]}
      answer={history.value}
      actions={
        <button type="button" onClick={() => setQuery({ series: null })}>
          Close
        </button>
      }
    >
      <div class="series-frame">
        <Loaded of={history} lines={9}>
          {({ data }) => (
            <>
              <LinePlot
                points={data.rows.map(([label, value]) => ({ label, value }))}
                unit={data.unit}
              />
              <FigureTable history={data} />
            </>
          )}
        </Loaded>
      </div>
    </Panel>
  );
}

function FigureTable({ history }: { readonly history: MacroHistory }) {
  const { rows, unit, frequency } = history;
  const decimals = Math.max(...rows.map(([, value]) => decimalsOf(value)));
  return (
    <details>
      <summary>
        {rows.length} {frequency} figures as a table
      </summary>
      <div class="table-frame figures-table" tabIndex={0} role="region" aria-label="Figures">
        <table>
          <thead>
            <tr>
              <th scope="col">Period</th>
              <th scope="col" class="number">
                {unit === "" ? "Value" : unit}
              </th>
            </tr>
          </thead>
          <tbody>
            {rows.toReversed().map(([period, value]) => (
              <tr key={period}>
                <td>{period}</td>
                <td class="number">{formatNumber(value, decimals)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </details>
  );
}
