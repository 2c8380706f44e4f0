/** The labels of a value: names with their values. */
export type Labels = Readonly<Record<string, string>>;

/** A value with its labels. `NaN` is a value; a missing value has no sample. */
export interface Sample {
  readonly labels: Labels;
  readonly value: number;
  /** Appended to the name of the metric, for the parts of a histogram: `_sum`. */
  readonly suffix?: string;
}

/** A metric with its current values. */
export interface MetricFamily {
  /** As Prometheus names metrics: a unit at the end, and `_total` for counters. */
  readonly name: string;
  readonly type: "counter" | "gauge" | "histogram";
  readonly help: string;
  readonly samples: Iterable<Sample>;
}

/** The metrics in the text format of Prometheus, version 0.0.4. A metric without values is left out. */
export function formatMetrics(metrics: Iterable<MetricFamily>): string {
  let text = "";
  for (const { name, type, help, samples } of metrics) {
    const lines = [...samples].map(
      ({ labels, value, suffix = "" }) =>
        `${name}${suffix}${formatLabels(labels)} ${formatValue(value)}\n`,
    );
    if (lines.length === 0) continue;
    text += `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n${lines.join("")}`;
  }
  return text;
}

function formatLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
}

function formatValue(value: number): string {
  if (Number.isFinite(value) || Number.isNaN(value)) return String(value);
  return value > 0 ? "+Inf" : "-Inf";
}

/** Counts durations in buckets. */
export class Histogram {
  readonly #bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;

  /** @param bounds the upper bounds of the buckets, ascending, in the unit of the values */
  constructor(bounds: readonly number[]) {
    this.#bounds = bounds;
    this.#counts = Array.from({ length: bounds.length + 1 }, () => 0);
  }

  /** Counts a value. */
  observe(value: number): void {
    let bucket = 0;
    while (bucket < this.#bounds.length && value > (this.#bounds[bucket] ?? 0)) bucket++;
    this.#counts[bucket] = (this.#counts[bucket] ?? 0) + 1;
    this.#sum += value;
  }

  /** The samples of the histogram: buckets with the number of values up to each bound, sum and count. */
  *samples(labels: Labels): Iterable<Sample> {
    let count = 0;
    for (const [i, bound] of [...this.#bounds, Number.POSITIVE_INFINITY].entries()) {
      count += this.#counts[i] ?? 0;
      yield { suffix: "_bucket", labels: { ...labels, le: formatValue(bound) }, value: count };
    }
    yield { suffix: "_sum", labels, value: this.#sum };
    yield { suffix: "_count", labels, value: count };
  }
}
