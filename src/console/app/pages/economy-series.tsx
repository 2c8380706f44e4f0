import { type Call, useData } from "#console/app/api.ts";
import { formatNumber } from "#console/app/format.ts";
import { countryInText } from "#console/app/parts/country.tsx";
import { DataTable } from "#console/app/parts/data-table.tsx";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import { setQuery } from "#console/app/router.ts";
import type { PayloadOf } from "#operations/index.ts";
import { decimalsOf, LinePlot, pointsOf } from "./economy-plot.tsx";

const MAX_OBSERVATIONS = 1_000;

/** All stored figures of one series, as a plot and as a table. */
export function SeriesPanel({
  country,
  series,
}: {
  readonly country: string;
  readonly series: string;
}) {
  const call: Call<"get_macro_history"> = {
    operation: "get_macro_history",
    args: { country, series, limit: MAX_OBSERVATIONS },
  };
  const history = useData(call);
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
              <LinePlot points={pointsOf(data)} unit={data.unit} />
              <FigureTable history={data} />
            </>
          )}
        </Loaded>
      </div>
    </Panel>
  );
}

function FigureTable({ history }: { readonly history: PayloadOf<"get_macro_history"> }) {
  const { unit, frequency } = history;
  const points = pointsOf(history);
  const decimals = Math.max(...points.map(({ value }) => decimalsOf(value)));
  return (
    <details>
      <summary>
        {points.length} {frequency} figures as a table
      </summary>
      <div class="figures-table">
        <DataTable
          label="Figures"
          rows={points.toReversed()}
          keyOf={({ label }) => label}
          columns={[
            { title: "Period", cell: ({ label }) => label },
            {
              title: unit === "" ? "Value" : unit,
              isNumber: true,
              cell: ({ value }) => formatNumber(value, decimals),
            },
          ]}
        />
      </div>
    </details>
  );
}
