import type { JsonSchema } from "#domain/schema.ts";
import { METRICS_SCHEMA } from "#operations/reading/metric-query.ts";
import { INVALID_PARAMS, type JsonObject, JsonRpcError } from "./json-rpc.ts";

const METRICS = {
  uri: "bourse://metrics",
  name: "metrics",
  title: "Metrics of screens and comparisons",
  description:
    "Every metric of screen_stocks and compare_stocks: name, unit, period and definition.",
  mimeType: "text/markdown",
};

/** The result of `resources/list`. */
export const listResources = () => ({ resources: [METRICS] });

/** The result of `resources/templates/list`: some clients ask for it. */
export const listResourceTemplates = () => ({ resourceTemplates: [] });

/** The result of `resources/read`. @throws JsonRpcError -32602 for another resource */
export function readResource({ uri }: JsonObject) {
  if (uri !== METRICS.uri) {
    throw new JsonRpcError(
      INVALID_PARAMS,
      `Invalid params: there is no such resource. The only one is ${METRICS.uri}.`,
    );
  }
  return { contents: [{ uri, mimeType: METRICS.mimeType, text: writeMetrics() }] };
}

const COLUMNS = ["x-unit", "x-period", "x-start", "x-end", "description"];

function writeMetrics(): string {
  const { description, properties } = METRICS_SCHEMA;
  const metrics = Object.entries(properties as Record<string, JsonSchema>);
  const rows = [
    ["metric", "unit", "period", "start", "end", "definition"],
    ["-", "-", "-", "-", "-", "-"],
    ...metrics.map(([name, metric]) => [name, ...COLUMNS.map((column) => String(metric[column]))]),
  ];
  return `${String(description)}\n\n${rows.map((row) => `| ${row.join(" | ")} |\n`).join("")}`;
}
