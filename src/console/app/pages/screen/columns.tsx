import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import type { Vocabulary } from "#console/app/parts/metrics.tsx";
import { asIs, t } from "#console/app/words.ts";
import { type Choice, toggleColumn } from "./choice.ts";
import { MetricGroups } from "./metrics.tsx";

type Metrics = Vocabulary["metrics"];

/** The columns of text. */
const TEXTS = [
  ["exchange", "Exchange"],
  ["local_sector", "Local sector"],
  ["sector", "Sector"],
  ["industry", "Industry"],
] as const;

/** The metrics of the table: the chosen ones, and those in the order and the conditions. */
function shownMetrics({ columns, sort, conditions }: Choice, metrics: Metrics): Set<string> {
  const named = [sort, ...conditions].join(",").match(/[a-z_]\w*/gi) ?? [];
  return new Set([...columns, ...named].filter((name) => metrics.has(name)));
}

/** A button with the number of metrics in the table. It opens all metrics, to show or hide each. */
export function ColumnChoice(props: { readonly choice: Choice; readonly metrics: Metrics }) {
  const { choice, metrics } = props;
  const { columns } = choice;
  const shown = shownMetrics(choice, metrics);
  const text = asIs(`${t("Columns")} (${shown.size})`);
  return (
    <DialogButton isWide text={text} title={text} heading={t("Columns")}>
      {() => (
        <div class="stack column-choice">
          <section>
            <h3 class="muted">{t("Classification")}</h3>
            <div class="metric-names">
              {TEXTS.map(([name, title]) => (
                <button
                  key={name}
                  type="button"
                  aria-pressed={columns.includes(name)}
                  onClick={() => toggleColumn(name)}
                >
                  {t(title)}
                </button>
              ))}
            </div>
          </section>
          <MetricGroups
            metrics={metrics}
            stateOf={(name) => ({
              isChosen: shown.has(name),
              isFixed: shown.has(name) && (columns.length === 1 || !columns.includes(name)),
            })}
            onChoose={toggleColumn}
          />
          <p class="muted">
            {t("The last column stays, and so do the columns of the conditions and the order.")}
          </p>
        </div>
      )}
    </DialogButton>
  );
}
