import { TOOL_SETS, type ToolSet } from "#operations/operation.ts";
import { INVALID_PARAMS, JsonRpcError } from "./json-rpc.ts";

/** The tool sets of a connection, or the error that answers each of its requests. */
export type ChosenSets = readonly ToolSet[] | JsonRpcError;

/** Longer names are cut in errors. */
const MAX_QUOTED = 40;

const isToolSet = (name: string): name is ToolSet => TOOL_SETS.some((set) => set === name);

/** The names of all sets for people and models: `market, company, prices, lists`. */
export const TOOL_SET_NAMES = TOOL_SETS.join(", ");

/**
 * The sets in a comma-separated text, all for an empty one.
 *
 * A mistake is returned as an error, because a client shows its words only as the answer to `initialize`.
 */
export function readToolSets(text: string): ChosenSets {
  const names = text
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter(Boolean);
  if (names.length === 0) return TOOL_SETS;
  const unknown = names.find((name) => !isToolSet(name));
  if (unknown !== undefined) {
    return refusal(`There is no tool set ${JSON.stringify(unknown.slice(0, MAX_QUOTED))}.`);
  }
  return TOOL_SETS.filter((set) => names.includes(set));
}

function refusal(reason: string): JsonRpcError {
  return new JsonRpcError(
    INVALID_PARAMS,
    `${reason} The tool sets are ${TOOL_SET_NAMES}. Change tools=… in the address of this server, or --tools of bourse mcp; leave it out for all tools.`,
  );
}
