import { useState } from "preact/hooks";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { useMedia } from "#console/app/parts/media.ts";
import type { Metric, Vocabulary } from "#console/app/parts/metrics.tsx";
import { hasWords } from "#console/app/parts/search-words.ts";
import { me } from "#console/app/session.ts";
import { t, translate } from "#console/app/words.ts";

type Metrics = Vocabulary["metrics"];

/** What most screens ask for, until the user has chosen others. */
const USUAL = [
  "pe",
  "market_cap",
  "dividend_yield",
  "revenue_growth",
  "net_margin",
  "roe",
  "debt_to_equity",
  "return_1y",
];

/** Each user of the browser has their own. */
const keyOf = () => `bourse.metrics.${me.value?.user}`;

/** The metrics that were chosen last in this browser, the newest first, then the usual ones. */
function usedMetrics(): readonly string[] {
  const kept = (localStorage.getItem(keyOf()) ?? "").split(",").filter((name) => name !== "");
  return [...new Set([...kept, ...USUAL])].slice(0, USUAL.length);
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

function MetricGroups(props: {
  readonly metrics: Metrics;
  readonly onChoose: (name: string) => void;
}) {
  const { metrics, onChoose } = props;
  const [find, setFind] = useState("");
  // The keyboard of a phone would cover the metrics.
  const isNarrow = useMedia("(max-width: 640px)");
  const found =
    find.trim() === ""
      ? null
      : [...metrics.values()].filter(({ name, title, group }) =>
          hasWords([translate(title), title, name, translate(group)].join(" "), find),
        );
  const used = usedMetrics().flatMap((name) => metrics.get(name) ?? []);
  const groups = found
    ? groupsOf(found)
    : new Map([["Used most", used], ...groupsOf([...metrics.values()])]);
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
          const [first] = found ?? [];
          if (first) onChoose(first.name);
        }}
      />
      <p role="status" class="muted">
        {found?.length === 0 && t("No metric has these words.")}
      </p>
      {[...groups].map(([group, members]) => (
        <section key={group}>
          <h3 class="muted">{translate(group)}</h3>
          <div class="metric-names">
            {members.map(({ name, title }) => (
              <button key={name} type="button" onClick={() => onChoose(name)}>
                {translate(title)}
              </button>
            ))}
          </div>
        </section>
      ))}
    </div>
  );
}

/** The metrics by their group, in the order of the vocabulary. */
export const groupsOf = (metrics: readonly Metric[]): Map<string, Metric[]> =>
  Map.groupBy(metrics, ({ group }) => group);
