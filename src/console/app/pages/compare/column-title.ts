import { formatName } from "#console/app/format.ts";
import { t, translate } from "#console/app/words.ts";
import { titleOfMetric } from "#console/app/parts/metric-title.ts";

/** What the console calls a column that is no metric: `1 week, measured from` for `return_1w_from_session`. */
export function titleOfColumn(column: string): string {
  const [isStart, metric] = /^(?:(.+)_)?from_session$/.exec(column) ?? [];
  if (!isStart) return formatName(column);
  if (metric === undefined) return t("Measured from");
  return t("{figure}, measured from", { figure: translate(titleOfMetric(metric)) });
}
