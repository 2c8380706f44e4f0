import { join } from "node:path";
import { resultOf, spawnChild } from "./child-process.ts";
import { samplesOf } from "./prometheus.ts";

/** The alerts that are shipped. */
export const ALERTS = join(import.meta.dir, "../../src/deploy/alerts.yml");

/** How often the played Prometheus scrapes. */
const SCRAPE_SECONDS = 15;

/** What a service said for some time: the text of its metrics, or null while it did not answer. */
export interface Phase {
  readonly text: string | null;
  readonly minutes: number;
}

/** The minutes of a phase before an outage: longer than all ranges in the alerts. */
const QUIET_MINUTES = 60;

/** The first phase of an outage: the service while all is well. */
export const quiet = (text: string): Phase => ({ text, minutes: QUIET_MINUTES });

/**
 * Lets promtool judge which alerts fire at the end of each phase. A service keeps the samples of its text for
 * the whole phase. Each phase has the names of the alerts that must fire at its end; throws what promtool says
 * if others do.
 */
export async function judgeAlerts(
  folder: string,
  phases: readonly (Phase & { readonly fires: readonly string[] })[],
): Promise<void> {
  const series = new Map<string, string[]>();
  const scrapes = phases.map(({ text, minutes }) => {
    const samples = new Map(
      [...samplesOf(text ?? "")].map(([name, value]) => [labelled(name), String(value)]),
    );
    samples.set(labelled("up"), text === null ? "0" : "1");
    for (const name of samples.keys()) series.set(name, []);
    return { samples, count: (minutes * 60) / SCRAPE_SECONDS };
  });
  for (const [name, values] of series) {
    for (const { samples, count } of scrapes) {
      const value = samples.get(name);
      values.push(value === undefined ? `_x${count}` : `${value}x${count - 1}`);
    }
  }
  let minutes = 0;
  const tests = phases.map((phase) => {
    minutes += phase.minutes;
    return {
      eval_time: `${minutes * 60 - SCRAPE_SECONDS}s`,
      expr: 'group by (alertname) (ALERTS{alertstate="firing"})',
      exp_samples: phase.fires.map((name) => ({ labels: `{alertname="${name}"}`, value: 1 })),
    };
  });
  const path = join(folder, "alerts.test.json");
  // JSON is YAML.
  await Bun.write(
    path,
    JSON.stringify({
      rule_files: [ALERTS],
      evaluation_interval: `${SCRAPE_SECONDS}s`,
      tests: [
        {
          interval: `${SCRAPE_SECONDS}s`,
          input_series: [...series].map(([name, values]) => ({
            series: name,
            values: values.join(" "),
          })),
          promql_expr_test: tests,
        },
      ],
    }),
  );
  const child = spawnChild(["promtool", "test", "rules", path], { stdout: "pipe", stderr: "pipe" });
  const { code, stdout, stderr } = await resultOf(child);
  if (code !== 0) throw new Error(stdout + stderr);
}

/** The name of a sample as Prometheus stores it: with the job and the address of the service. */
function labelled(name: string): string {
  const scraped = 'job="bourse",instance="127.0.0.1:9787"';
  return name.endsWith("}") ? `${name.slice(0, -1)},${scraped}}` : `${name}{${scraped}}`;
}
