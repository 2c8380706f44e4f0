/** Keeps the tables of the README files that mirror the code. `bun run docs` writes them. */
import { join } from "node:path";
import type { TSchema } from "@sinclair/typebox";
import { CONSOLE_READS, PLAN_NAMES, PLANS } from "#access/plans.ts";
import { type Metric, METRIC_UNITS, METRICS, PERIODS } from "#analytics/metrics.ts";
import { type Threshold, THRESHOLDS } from "#analytics/plausibility.ts";
import { COMMANDS } from "#cli/commands.ts";
import { EXPORT_KIND_NAMES, exportKindOf } from "#exports/kinds.ts";
import { SOURCES } from "#service/live.ts";
import { type MetricInfo, SERVICE_METRICS } from "#service/metric-list.ts";
import { SETTINGS } from "#config.ts";
import { VERSION } from "#domain/program.ts";
import { REASONS } from "#domain/reasons.ts";
import { OPERATIONS } from "#operations/index.ts";
import { type Route, routesOf } from "#operations/operation.ts";

const ROOT = join(import.meta.dir, "..");

/** The files that hold generated tables, relative to the repository. */
export const DOCUMENTED = [
  "src/analytics/README.md",
  "src/access/README.md",
  "src/cli/README.md",
  "src/service/README.md",
  "src/exports/README.md",
  "src/operations/README.md",
  "src/sources/README.md",
] as const;

type Row = readonly string[];

const TABLES: Readonly<Record<string, () => readonly Row[]>> = {
  commands: () => [
    ["command", "what it does"],
    ...COMMANDS.map(({ name, operands, summary }) => [
      code(["bourse", name, operands].filter(Boolean).join(" ")),
      summary,
    ]),
  ],
  settings: () => [
    ["flag", "variable", "default", "meaning"],
    ...Object.entries(SETTINGS).map(([name, { variable, fallback, description }]) => [
      code(name),
      code(variable),
      fallback === "" ? "" : code(fallback),
      description,
    ]),
  ],
  "service-metrics": () => [
    ["metric", "type", "labels", "meaning", "where"],
    ...Object.entries<MetricInfo>(SERVICE_METRICS).map(
      ([name, { type, labels = [], help, only }]) => [
        code(name),
        type,
        labels.map(code).join(", "),
        help,
        only === undefined ? "" : METRIC_PLACES[only],
      ],
    ),
  ],
  plans: () => [
    [
      "plan",
      "calls a day, per token",
      "calls an hour, per token",
      "live tokens per user",
      "console, an hour",
    ],
    ...PLAN_NAMES.map((name) => {
      const { daily, hourly, tokens } = PLANS[name];
      const counts = [daily, hourly, tokens, CONSOLE_READS[name]];
      return [name, ...counts.map((count) => count.toLocaleString("en-US"))];
    }),
  ],
  metrics: () => [
    ["metric", "meaning", "unit", "period", "label in panels"],
    ...Object.entries(METRICS as Readonly<Record<string, Metric>>).map(
      ([name, { description, unit, period, label }]) => [
        code(name),
        description,
        METRIC_UNITS[unit],
        period,
        label === undefined ? "" : code(label),
      ],
    ),
  ],
  periods: () => [
    ["period", "start", "end", "basis"],
    ...Object.entries(PERIODS).map(([name, { start, end, basis }]) => [name, start, end, basis]),
  ],
  thresholds: () => [
    ["threshold", "value", "rule"],
    ...Object.entries<Threshold>(THRESHOLDS).map(([name, { value, reason }]) => [
      code(name),
      String(value),
      reason.replace(/\. [A-Z].*$/, "."),
    ]),
  ],
  "export-bars": () => [
    ["column", "unit", "meaning"],
    ...exportKindOf("bars").columns.map(({ name, unit, description }) => [
      code(name),
      unit,
      description,
    ]),
  ],
  reasons: () => [
    ["reason", "meaning"],
    ...Object.entries(REASONS).map(([reason, sentence]) => [code(reason), sentence]),
  ],
  sources: () => [
    ["source", "official", "what it provides", "terms"],
    ...SOURCES.map(({ name, official, fills, terms }) => [
      code(name),
      official ? "yes" : "no",
      fills,
      terms,
    ]),
  ],
};

/** The padded cells of a table would take a third of the bytes of these. */
const LISTS: Readonly<Record<string, () => readonly string[]>> = {
  operations: () =>
    OPERATIONS.flatMap((one) =>
      routesOf(one).map((route) =>
        [
          `${code(one.name)} ${code([route.method ?? [], route.path].flat().join(" "))}`,
          parameters(route),
        ]
          .filter(Boolean)
          .join(": "),
      ),
    ),
  "export-kinds": () =>
    EXPORT_KIND_NAMES.map((name) => {
      const { description, columns, isOfAll } = exportKindOf(name);
      const own = columns.filter((column) => name !== "metrics" || !(column.name in METRICS));
      const names = own.map((column) => code(column.name)).join(", ");
      const more = name === "metrics" ? ", and every [metric](../analytics/README.md)" : "";
      const path = isOfAll ? `${name}.parquet` : `${name}/US.parquet`;
      return `${code(path)}: ${description}. ${names}${more}`;
    }),
};

const METRIC_PLACES = { live: "live sources", cluster: "nodes of a cluster" } as const;

const code = (text: string) => `\`${text}\``;

/** The parameters of a route, with range and default: `limit` 1–100 (25). */
function parameters({ input }: Route): string {
  const required = new Set<string>(input.required ?? []);
  return Object.entries(input.properties as Record<string, TSchema>)
    .map(([name, { minimum, maximum, default: fallback }]) => {
      const range = minimum !== undefined && maximum !== undefined && ` ${minimum}–${maximum}`;
      const words = `${code(name)}${range || ""}${fallback === undefined ? "" : ` (${fallback})`}`;
      return required.has(name) ? `**${words}**` : words;
    })
    .join(", ");
}

function markdownTable([head = [], ...rows]: readonly Row[]): string {
  const line = (cells: Row) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
  return [line(head), line(head.map(() => "---")), ...rows.map(line)].join("\n");
}

function markdownOf(name: string): string {
  const [table, list] = [TABLES[name], LISTS[name]];
  if (table) return markdownTable(table());
  if (list)
    return list()
      .map((item) => `- ${item}`)
      .join("\n");
  throw new Error(
    `There is no table ${name}; known: ${Object.keys({ ...TABLES, ...LISTS }).join(", ")}`,
  );
}

/** The text with every block `<!-- table: NAME -->` … `<!-- /table -->` written again. */
export function withTables(markdown: string): string {
  return markdown.replaceAll(
    /(<!-- table: (\S+) -->\n).*?(<!-- \/table -->)/gs,
    (_, start: string, name: string, end: string) => `${start}\n${markdownOf(name)}\n\n${end}`,
  );
}

/** The files that name the program's version as an example or as their own. */
export const VERSIONED = [
  "README.md",
  "src/clients/typescript/README.md",
  "src/clients/typescript/package.json",
  "src/deploy/README.md",
] as const;

/** The text with today's version wherever it names one: `bourse 1.2.3`, `bourse_1.2.3_amd64.deb`; not in an address such as 10.0.0.0. */
export function withVersion(text: string): string {
  return text.replaceAll(
    /(\bbourse(?:-client)?[ _-]|^  "version": ")\d+\.\d+\.\d+(?!\.?\d)/gm,
    `$1${VERSION}`,
  );
}

if (import.meta.main) {
  for (const file of VERSIONED) {
    const path = join(ROOT, file);
    await Bun.write(path, withVersion(await Bun.file(path).text()));
  }
  for (const file of DOCUMENTED) {
    const path = join(ROOT, file);
    await Bun.write(path, withTables(await Bun.file(path).text()));
  }
}
