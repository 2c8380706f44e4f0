import type { TSchema } from "@sinclair/typebox";
import { createLog } from "#lib/log.ts";
import { readTextArguments } from "#operations/decode.ts";
import { askQuestion, createExecutor } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import type { Operation } from "#operations/operation.ts";
import type { Command, Flag } from "./command.ts";
import { createLive } from "./live.ts";
import { readyMarket } from "./market.ts";
import { withMarket } from "./stores.ts";

/** A command for each operation, with a flag for each of its arguments. */
export const CALLS: readonly Command[] = OPERATIONS.map((operation) => ({
  name: `call ${operation.name}`,
  summary: operation.title,
  flags: Object.fromEntries(
    Object.entries(operation.input.properties).map(([name, schema]) => [
      name,
      argumentFlag(operation, name, schema),
    ]),
  ),
  settings: ["data"],
  run: ({ io, config, flags }) =>
    withMarket(config.dataFolder, async (market) => {
      const origin = readyMarket(market, config.market, io.clock());
      const log = createLog({
        format: config.logFormat,
        write: (line) => io.stderr(`${line}\n`),
        clock: io.clock,
      });
      const live = origin === "live" ? createLive({ config, market, clock: io.clock, log }) : null;
      const text = Object.keys(operation.input.properties).flatMap((name) => {
        const value = flags[name];
        return typeof value === "string" ? [[name, value] as const] : [];
      });
      const args = readTextArguments(operation.input, Object.fromEntries(text));
      const executor = createExecutor({ market, clock: io.clock, refresh: live?.onRequest });
      try {
        const execution = await executor.execute(askQuestion(operation, args));
        io.stdout(`${JSON.stringify(JSON.parse(execution.body), null, 2)}\n`);
        io.stderr(`Source: ${execution.source ?? "none, no record was found"}\n`);
      } finally {
        // What a slow source is still asked for would outlive the answer.
        await live?.stop();
      }
    }),
}));

function argumentFlag({ input }: Operation, name: string, schema: TSchema): Flag {
  const allowed = schema["enum"] as readonly string[] | undefined;
  const required = input.required?.includes(name);
  return {
    value: allowed && allowed.length <= 4 ? allowed.join("|") : name.toUpperCase(),
    description: [schema.description ?? name, limits(schema), required ? "Required." : ""]
      .filter(Boolean)
      .join(" "),
  };
}

/** What a flag's value may be, where its name does not show it, and what it is when left out. */
function limits(schema: TSchema): string {
  const allowed = schema["enum"] as readonly string[] | undefined;
  const range =
    schema["type"] === "integer"
      ? `${schema["minimum"]} to ${schema["maximum"]}`
      : allowed && allowed.length > 4
        ? `One of ${allowed.join(", ")}`
        : "";
  const fallback = schema["default"] === undefined ? "" : `${schema["default"]} by default`;
  const text = [range, fallback].filter(Boolean).join(", ");
  return text === "" ? "" : `${text}.`;
}
