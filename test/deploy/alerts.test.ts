import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type MetricInfo, SERVICE_METRICS } from "#service/metric-list.ts";

const DEPLOY = join(import.meta.dir, "../../src/deploy");
const dashboard = readFileSync(join(DEPLOY, "grafana.json"), "utf8");
const alerts = readFileSync(join(DEPLOY, "alerts.yml"), "utf8");

interface Rule {
  readonly alert: string;
  readonly expr: string;
  readonly labels: { readonly severity: string };
  readonly annotations: { readonly summary: string; readonly remedy: string };
}
const { groups } = Bun.YAML.parse(alerts) as { groups: { rules: Rule[] }[] };
const rules = groups.flatMap((group) => group.rules);

interface Target {
  readonly expr: string;
}
const { panels } = JSON.parse(dashboard) as {
  panels: { type: string; title: string; targets?: Target[] }[];
};

const METRICS: Readonly<Record<string, MetricInfo>> = SERVICE_METRICS;

/** The metrics in an expression of PromQL: name and the labels in its selector. */
function metricsOf(expr: string): { name: string; labels: string[] }[] {
  return [...expr.matchAll(/\b((?:bourse|process)_\w+)(?:\{([^}]*)\})?/g)].map(
    ([, name = "", selector = ""]) => ({
      name: name.replace(/_bucket$/, ""),
      labels: [...selector.matchAll(/(\w+)\s*(?:=~|!~|!=|=)/g)].map(([, label = ""]) => label),
    }),
  );
}

/** Labels that Prometheus adds to each sample. */
const SCRAPED = ["instance", "job"];

describe.each([
  ["alerts", rules.map(({ alert, expr }) => [alert, expr] as const)],
  [
    "the dashboard",
    panels.flatMap(({ title, targets = [] }) => targets.map(({ expr }) => [title, expr] as const)),
  ],
])("%s", (_, expressions) => {
  test("name only metrics and labels that the service has", () => {
    for (const [title, expr] of expressions) {
      const used = metricsOf(expr);
      if (title !== "BourseDown") expect([title, used.length]).not.toEqual([title, 0]);
      for (const { name, labels } of used) {
        expect([title, name, name in METRICS]).toEqual([title, name, true]);
        const known = [...(METRICS[name]?.labels ?? []), ...SCRAPED];
        expect([title, labels.filter((label) => !known.includes(label))]).toEqual([title, []]);
      }
    }
  });
});

test("every metric of the service is on the dashboard", () => {
  const shown = panels.flatMap(({ targets = [] }) =>
    targets.flatMap(({ expr }) => metricsOf(expr).map(({ name }) => name)),
  );
  // Their warnings are there: bourse_warning{about="backups"}, {about="exports"}.
  const missing = Object.keys(METRICS).filter((name) => !shown.includes(name));
  expect(missing).toEqual(["bourse_backup_needs_attention", "bourse_export_needs_attention"]);
});

test("every alert says what happened and what to do, in sentences", () => {
  expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
  for (const { alert, labels, annotations } of rules) {
    expect([alert, ["critical", "warning"].includes(labels.severity)]).toEqual([alert, true]);
    for (const text of [annotations.summary, annotations.remedy]) {
      expect([alert, text]).toEqual([alert, expect.stringMatching(/^[A-Z{`0-9].*\.$/s)]);
    }
  }
});

test("the panels of the dashboard do not overlap", () => {
  const boxes = (JSON.parse(dashboard) as { panels: { gridPos: Record<string, number> }[] }).panels;
  const cells = boxes.flatMap(({ gridPos: { x = 0, y = 0, w = 0, h = 0 } }) =>
    Array.from({ length: w * h }, (__, i) => `${x + (i % w)} ${y + Math.floor(i / w)}`),
  );
  expect(new Set(cells).size).toBe(cells.length);
});
