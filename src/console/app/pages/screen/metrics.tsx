import { useState } from "preact/hooks";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { meaningOf } from "#console/app/parts/metric-meaning.ts";
import { useMedia } from "#console/app/parts/media.ts";
import type { Metric, Vocabulary } from "#console/app/parts/metrics.tsx";
import { me } from "#console/app/session.ts";
import { t, translate } from "#console/app/words.ts";
import { findMetrics, USUAL_METRICS } from "./metric-search.ts";

type Metrics = Vocabulary["metrics"];

/** Each user of the browser has their own. */
const keyOf = () => `bourse.metrics.${me.value?.user}`;

/** The metrics that were chosen last in this browser, the newest first, then the usual ones. */
function usedMetrics(): readonly string[] {
  const kept = (localStorage.getItem(keyOf()) ?? "").split(",").filter((name) => name !== "");
  return [...new Set([...kept, ...USUAL_METRICS])].slice(0, USUAL_METRICS.length);
}

/** A button with the chosen metric. It opens all metrics: those that are used most, then the groups, with a search. */
export function MetricChoice(props: {
  readonly metrics: Metrics;
  readonly current: Metric | undefined;
  readonly onChoose: (name: string) => void;
}) {
  const { metrics, current, onChoose } = props;
  const title = translate(current?.title ?? "");
  return (
    <DialogButton
      isWide
      text={`${title} ▾`}
      title={t("Metric: {title}", { title: `${title} ▾` })}
      heading={t("Choose a metric")}
    >
      {(close) => (
        <MetricGroups
          metrics={metrics}
          first={usedMetrics()}
          onChoose={(name) => {
            localStorage.setItem(keyOf(), [...new Set([name, ...usedMetrics()])].join(","));
            close();
            onChoose(name);
          }}
        />
      )}
    </DialogButton>
  );
}

/** All metrics as buttons in their groups, with a search whose first one is chosen by Enter. */
export function MetricGroups(props: {
  readonly metrics: Metrics;
  /** The names of those before the groups. */
  readonly first?: readonly string[];
  /** With it, each button turns its metric on or off. A fixed one stays as it is. */
  readonly stateOf?: (name: string) => { readonly isChosen: boolean; readonly isFixed: boolean };
  readonly onChoose: (name: string) => void;
}) {
  const { metrics, first = [], stateOf, onChoose } = props;
  const [find, setFind] = useState("");
  const [reached, setReached] = useState<Metric | null>(null);
  // The keyboard of a phone would cover the metrics.
  const isNarrow = useMedia("(max-width: 640px)");
  const found = find.trim() === "" ? null : findMetrics(metrics.values(), find);
  const used = first.flatMap((name) => metrics.get(name) ?? []);
  const groups = [
    ...(found || used.length === 0 ? [] : [["Used most", used] as const]),
    ...Map.groupBy(found ?? metrics.values(), ({ group }) => group),
  ];
  return (
    <div class="stack">
      <input
        type="search"
        autofocus={!isNarrow}
        aria-label={t("Find a metric")}
        placeholder={t("Find a metric")}
        value={find}
        onInput={({ currentTarget }) => setFind(currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          // The form around the button is not sent.
          event.preventDefault();
          const [best] = found ?? [];
          if (best && !stateOf?.(best.name).isFixed) onChoose(best.name);
        }}
      />
      <p role="status" class="muted">
        {found?.length === 0 && t("No metric has these words.")}
      </p>
      {groups.map(([group, members]) => (
        <section key={group}>
          <h3 class="muted">{translate(group)}</h3>
          <div class="metric-names">
            {members.map((metric) => (
              <button
                key={metric.name}
                type="button"
                aria-pressed={stateOf?.(metric.name).isChosen}
                disabled={stateOf?.(metric.name).isFixed}
                onPointerEnter={() => setReached(metric)}
                onFocus={() => setReached(metric)}
                onClick={() => onChoose(metric.name)}
              >
                {translate(metric.title)}
              </button>
            ))}
          </div>
        </section>
      ))}
      <Meaning of={reached} />
    </div>
  );
}

/** What the metric means that the pointer or the focus has reached. */
function Meaning({ of: metric }: { readonly of: Metric | null }) {
  return (
    <p role="status" class="metric-meaning">
      {metric ? (
        <>
          <b>{translate(metric.title)}</b> {meaningOf(metric)}
        </>
      ) : (
        <span class="muted">{t("Point at a metric to see what it means.")}</span>
      )}
    </p>
  );
}
