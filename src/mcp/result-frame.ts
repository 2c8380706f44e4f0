import type { ToolSet } from "#operations/operation.ts";
import { CAPABILITIES, instructionsFor, type ServerInfo } from "./identity.ts";
import { PROTOCOL_VERSION } from "./json-rpc.ts";
import {
  type Revision,
  SERVER_KEY,
  STATELESS_VERSION,
  SUPPORTED_VERSIONS,
  TOOL_ERRORS_VERSION,
} from "./revision.ts";

/** How long a client may keep the list of tools. It changes only with the program. */
const LIST_TTL_MS = 3_600_000;

/** The fields that a revision adds to results, as JSON text. */
export interface ResultFrame {
  readonly revision: Revision;
  /** The first fields of each result. Each is followed by a comma. */
  readonly first: string;
  /** The last fields of `_meta`. Each follows a comma. */
  readonly meta: string;
}

/** The frame of each revision: 2026-07-28 says that a result is complete, and who answered. */
export function createFrames(serverInfo: ServerInfo): Record<Revision, ResultFrame> {
  return {
    [PROTOCOL_VERSION]: { revision: PROTOCOL_VERSION, first: "", meta: "" },
    [TOOL_ERRORS_VERSION]: { revision: TOOL_ERRORS_VERSION, first: "", meta: "" },
    [STATELESS_VERSION]: {
      revision: STATELESS_VERSION,
      first: '"resultType":"complete",',
      meta: `,"${SERVER_KEY}":${JSON.stringify(serverInfo)}`,
    },
  };
}

/** The result of a method of 2026-07-28 that does not change, as JSON text: the same for everyone if it is public. */
export function writeFixedResult(
  { first, meta }: ResultFrame,
  result: string,
  scope: "public" | "private" = "public",
): string {
  return `{${first}"ttlMs":${LIST_TTL_MS},"cacheScope":"${scope}","_meta":{${meta.slice(1)}},${result.slice(1)}`;
}

/** The result of `server/discover`, as JSON text. */
export function writeDiscovery(
  frame: ResultFrame,
  sets: readonly ToolSet[],
  asOf: string | null,
): string {
  const result = {
    supportedVersions: SUPPORTED_VERSIONS,
    capabilities: CAPABILITIES,
    instructions: instructionsFor(sets, asOf),
  };
  return writeFixedResult(frame, JSON.stringify(result), asOf === null ? "public" : "private");
}
