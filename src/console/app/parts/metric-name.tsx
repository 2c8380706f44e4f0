import { translate } from "#console/app/words.ts";
import { meaningOf } from "./metric-meaning.ts";
import type { Metric } from "./metrics.tsx";
import { Tip } from "./tip.tsx";

/** The name of a metric, with what it means. */
export function MetricName(props: {
  readonly metric: Metric | undefined;
  /** What an unknown metric is called. */
  readonly children: string;
}) {
  const { metric, children } = props;
  return <Tip text={metric && meaningOf(metric)}>{translate(metric?.title ?? children)}</Tip>;
}
