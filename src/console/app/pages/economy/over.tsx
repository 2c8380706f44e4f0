import { type Call, isSettled, useData } from "#console/app/api.ts";
import { formatNumber } from "#console/app/format.ts";
import { COUNTRY_NAMES, countryName } from "#console/app/parts/country.tsx";
import { lineThrough } from "#console/app/parts/line-through.ts";
import { Loaded, Panel } from "#console/app/parts/panel.tsx";
import { unitText } from "#console/app/parts/unit-text.ts";
import { place, setQuery } from "#console/app/router.ts";
import { asIs, t } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";
import { seriesName } from "./curve.tsx";
import { colourOf, formatPeriod } from "./figures.ts";
import { Dates, Scale, ScaleLines } from "./plot.tsx";
import { isPolicyRate } from "./policy-rate.ts";
import {
  decimalsOf,
  HEIGHT,
  linesOf,
  pointsOf,
  type Range,
  scaleOf,
  timeOf,
  WIDTH,
  withinRange,
  xOf,
  yearsOf,
} from "./scale.ts";

/** A series of a country, as the address has it: `JP:Unemployment rate`. */
interface Subject {
  readonly country: string;
  readonly series: string;
}

const keyOf = ({ country, series }: Subject) => `${country}:${series}`;

const historyCall = ({ country, series }: Subject): Call<"get_macro_history"> => ({
  operation: "get_macro_history",
  args: { country, series, limit: 1_000 },
});

/** Any other series over the one of the page, each on a scale of its own. */
export function OverPanel(props: Subject & { readonly range: Range }) {
  const { country, series, range } = props;
  const [, code = "", name = ""] =
    /^([A-Z]{2}):(.+)$/.exec(place.value.query.get("over") ?? "") ?? [];
  const other = name === "" ? null : { country: code, series: name };
  const [call, otherCall] = [historyCall(props), other && historyCall(other)];
  const [own, over] = [useData(call), useData(otherCall)];
  const drawn = own.value && over.value ? over : { ...over, value: null };
  return (
    <Panel
      title="Over another series"
      calls={otherCall ? [call, otherCall] : [call]}
      answer={over.value}
      // The service also understands other names of a series.
      actions={
        <SeriesChoice
          own={{ country, series }}
          chosen={other && { ...other, series: over.value?.data.name ?? name }}
        />
      }
    >
      {other && (
        <Loaded of={drawn} lines={9}>
          {({ data }) =>
            own.value && (
              <TwoLines
                range={range}
                lines={[
                  { ...own.value.data, country, colour: colourOf(country) },
                  // Two series of a country differ in colour too.
                  {
                    ...data,
                    country: code,
                    colour: code === country ? (colourOf(code) % 3) + 1 : colourOf(code),
                  },
                ]}
              />
            )
          }
        </Loaded>
      )}
    </Panel>
  );
}

/** A list of the series of all countries. */
function SeriesChoice(props: { readonly own: Subject; readonly chosen: Subject | null }) {
  const { own, chosen } = props;
  // The countries are always the same, so the hooks are too.
  const answers = Object.keys(COUNTRY_NAMES).map((country) => ({
    country,
    of: useData({ operation: "get_macro_indicators", args: { country } }),
  }));
  if (!answers.every(({ of }) => isSettled(of))) return null;
  return (
    <select
      aria-label={t("Series")}
      value={chosen ? keyOf(chosen) : ""}
      onChange={({ currentTarget }) => setQuery({ over: currentTarget.value || null })}
    >
      <option value="">{t("Choose a series")}</option>
      {answers.map(({ country, of }) => (
        <optgroup key={country} label={countryName(country)}>
          {Object.values(of.value?.data ?? {})
            .flat()
            .map(({ name }) => ({ country, series: name }))
            .filter((one) => keyOf(one) !== keyOf(own))
            .map((one) => (
              <option key={keyOf(one)} value={keyOf(one)}>
                {seriesName(one.series)}
              </option>
            ))}
        </optgroup>
      ))}
    </select>
  );
}

type Line = PayloadOf<"get_macro_history"> & {
  readonly country: string;
  /** From 1. */
  readonly colour: number;
};

/** Two lines in the time that both have, the scale of the first at the left and of the second at the right. */
function TwoLines(props: { readonly lines: readonly [Line, Line]; readonly range: Range }) {
  const histories = props.lines.map((line) => ({
    ...line,
    points: withinRange(pointsOf(line), props.range),
  }));
  const begin = Math.max(...histories.map(({ points }) => timeOf(points[0]?.label ?? "0")));
  const lines = histories.map((line) => {
    const points = line.points.filter(({ label }) => timeOf(label) >= begin);
    const values = points.map(({ value }) => value);
    return { ...line, points, scale: linesOf(scaleOf(values)) };
  });
  const labels = lines
    .flatMap(({ points }) => points.map(({ label }) => label))
    .toSorted((a, b) => timeOf(a) - timeOf(b));
  const end = timeOf(labels.at(-1) ?? "0");
  const years = yearsOf(begin, end);
  const [left, right] = lines;
  return (
    <figure class="plot two-lines">
      {left && <Scale of={left.scale} />}
      <svg viewBox={`0 0 ${WIDTH} ${HEIGHT}`} preserveAspectRatio="none" aria-hidden="true">
        {left && <ScaleLines {...left.scale} years={years} />}
        {lines.map(({ name, points, colour, scale }) => (
          <polyline
            key={colour}
            class={`country-${colour}`}
            points={lineThrough(
              points.map((one) => [xOf(timeOf(one.label), begin, end), scale.y(one.value)]),
              isPolicyRate(name),
            )}
          />
        ))}
      </svg>
      {right && <Scale of={right.scale} />}
      <Dates years={years} labels={[labels[0] ?? "", labels.at(-1) ?? ""]} />
      <ul>
        {lines.map(({ country, name, unit, points, colour }) => {
          const last = points.at(-1);
          return (
            <li key={colour}>
              <span class={`country-key country-${colour}`} aria-hidden="true" />{" "}
              {asIs(`${seriesName(name)} · ${countryName(country)}`)}{" "}
              <b>{formatNumber(last?.value, decimalsOf(last?.value ?? 0))}</b>{" "}
              <span class="muted">
                {unitText(unit)} {last && formatPeriod(last.label)}
              </span>
            </li>
          );
        })}
      </ul>
    </figure>
  );
}
