import { expect, test } from "bun:test";
import { formatMetrics, Histogram } from "#lib/metrics.ts";

test("counters and gauges are written with labels, which are escaped", () => {
  const text = formatMetrics([
    {
      name: "calls_total",
      type: "counter",
      help: "Calls.",
      samples: [
        { labels: {}, value: 3 },
        { labels: { a: 'quote " and \\', b: "two\nlines" }, value: 0.5 },
      ],
    },
    { name: "absent", type: "gauge", help: "No values.", samples: [] },
    {
      name: "limits",
      type: "gauge",
      help: "Special values.",
      samples: [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, Number.NaN, 1e21].map(
        (value) => ({ labels: {}, value }),
      ),
    },
  ]);
  // The text format of Prometheus: https://prometheus.io/docs/instrumenting/exposition_formats/
  expect(text).toBe(`# HELP calls_total Calls.
# TYPE calls_total counter
calls_total 3
calls_total{a="quote \\" and \\\\",b="two\\nlines"} 0.5
# HELP limits Special values.
# TYPE limits gauge
limits +Inf
limits -Inf
limits NaN
limits 1e+21
`);
});

test("a histogram counts the values up to each bound, the bound included", () => {
  const histogram = new Histogram([0.1, 1]);
  for (const value of [0.05, 0.1, 0.25, 1, 2]) histogram.observe(value);
  expect([...histogram.samples({ a: "b" })]).toEqual([
    { suffix: "_bucket", labels: { a: "b", le: "0.1" }, value: 2 },
    { suffix: "_bucket", labels: { a: "b", le: "1" }, value: 4 },
    { suffix: "_bucket", labels: { a: "b", le: "+Inf" }, value: 5 },
    { suffix: "_sum", labels: { a: "b" }, value: 3.4 },
    { suffix: "_count", labels: { a: "b" }, value: 5 },
  ]);
});
