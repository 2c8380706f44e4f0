import type { Shown } from "#console/app/words.ts";
/** Groups of bars from a common zero line. The figures of a table beside it are its text alternative. */
export function BarGroups(props: {
  readonly label: Shown;
  /** The name of each group; an empty label leaves the place below it free. */
  readonly groups: readonly { readonly name: string; readonly label: string }[];
  /** A value for each group; null draws no bar. */
  readonly series: readonly {
    readonly name: string;
    readonly values: readonly (number | null)[];
  }[];
  readonly format: (value: number | null) => string;
}) {
  const { label, groups, series, format } = props;
  const known = series.flatMap(({ values }) => values.filter((value) => value !== null));
  const top = Math.max(0, ...known);
  const bottom = Math.min(0, ...known);
  const percent = (value: number) => `${(100 * value) / (top - bottom || 1)}%`;
  return (
    <div class="bar-groups" role="img" aria-label={label}>
      <div class="chart-key">
        {series.map(({ name }, i) => (
          <span key={name}>
            <span class={`swatch series-${i + 1}`} /> {name}
          </span>
        ))}
      </div>
      <div class="bar-groups-plot">
        {groups.map((group, i) => (
          <div key={group.name} class="bar-groups-group">
            <div class="bar-groups-columns">
              {series.map(({ name, values }, number) => {
                const value = values[i] ?? null;
                const height = Math.abs(value ?? 0);
                return (
                  <span
                    key={name}
                    class={`series-${number + 1}`}
                    title={`${name}, ${group.name}: ${format(value)}`}
                    style={{
                      height: percent(height),
                      bottom: percent(Math.min(0, value ?? 0) - bottom),
                    }}
                  />
                );
              })}
              <span class="bar-groups-zero" style={{ bottom: percent(-bottom) }} />
            </div>
            <span class="muted">{group.label}</span>
          </div>
        ))}
      </div>
    </div>
  );
}
