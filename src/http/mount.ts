import { type Context, Elysia } from "elysia";
import type { Guard } from "#access/guard.ts";
import { BourseError } from "#domain/errors.ts";
import type { Log } from "#lib/log.ts";
import type { McpEndpoint } from "#mcp/endpoint.ts";
import type { Executor } from "#operations/execute.ts";
import { OPERATIONS } from "#operations/index.ts";
import type { Operation } from "#operations/operation.ts";
import { type ApiVersion, deprecationHeaders, versionPrefix } from "./api-version.ts";
import { readBody } from "./body.ts";
import { quotaHeaders } from "./headers.ts";
import { openApi } from "./openapi.ts";
import {
  emptyResponse,
  errorResponse,
  explain,
  type HeaderBag,
  jsonResponse,
} from "./responses.ts";
import { dataHeaders, isFresh, restArguments } from "./rest.ts";

const MAX_REST_BODY = 10 * 2 ** 20;
const MAX_MCP_BODY = 2 ** 20;

/** What the routes of a version need. */
export interface MountDependencies {
  readonly executor: Executor;
  readonly guard: Guard;
  readonly mcp: McpEndpoint;
  readonly clock: () => number;
  readonly log: Log;
}

/** A request under way. What is put into `headers` goes out with the answer, error or not. */
interface Call {
  readonly request: Request;
  readonly path: Readonly<Record<string, string | null | undefined>>;
  readonly headers: HeaderBag;
  readonly requestId: string;
}

/** One version of the interface under its prefix: a route for every operation, MCP and the OpenAPI document. */
export function mountVersion(version: ApiVersion, dependencies: MountDependencies) {
  const { executor, guard, mcp, clock, log } = dependencies;
  const versionHeaders = deprecationHeaders(version);
  const document = JSON.stringify(openApi(version));

  const route = (method: "GET" | "POST", handle: (call: Call) => Response | Promise<Response>) => {
    return async ({ request, params, set }: Pick<Context, "request" | "params" | "set">) => {
      const headers = { ...versionHeaders };
      const requestId = String(set.headers["x-request-id"]);
      try {
        if (request.method !== method) {
          headers["Allow"] = method;
          throw new BourseError("method_not_allowed", `This path answers ${method} only.`);
        }
        return await handle({ request, path: params ?? {}, headers, requestId });
      } catch (thrown) {
        return errorResponse(explain(thrown, requestId, log), headers);
      }
    };
  };

  const rest = (operation: Operation) =>
    route("GET", async ({ request, path, headers }) => {
      const principal = guard.authenticate(request.headers.get("authorization"));
      await readBody(request, MAX_REST_BODY);
      const { quota, denied } = guard.charge(principal);
      Object.assign(headers, quotaHeaders(quota, clock()));
      if (denied) throw denied;
      const execution = await executor.execute(operation, restArguments(operation, request, path));
      Object.assign(headers, dataHeaders(execution, clock()));
      return isFresh(request, execution)
        ? emptyResponse(304, headers)
        : jsonResponse(200, execution.body, headers);
    });

  const agent = route("POST", async ({ request, headers, requestId }) => {
    const principal = guard.authenticate(request.headers.get("authorization"));
    const type = request.headers.get("content-type") ?? "";
    if (!/^application\/json\s*(;|$)/i.test(type)) {
      throw new BourseError(
        "unsupported_media_type",
        "Send the header `Content-Type: application/json`.",
      );
    }
    const body = await readBody(request, MAX_MCP_BODY);
    const reply = await mcp.answer(body, {
      principal,
      requestId,
      protocolVersion: request.headers.get("mcp-protocol-version"),
    });
    Object.assign(headers, quotaHeaders(reply.quota, clock()));
    return reply.message === null
      ? emptyResponse(202, headers)
      : jsonResponse(reply.status, JSON.stringify(reply.message), headers);
  });

  const description = route("GET", ({ headers }) => jsonResponse(200, document, headers));

  const app = new Elysia({ prefix: versionPrefix(version) });
  for (const operation of OPERATIONS) {
    app.all(operation.path.replaceAll(/\{(\w+)\}/g, ":$1"), rest(operation), { parse: "none" });
  }
  return app
    .all("/mcp", agent, { parse: "none" })
    .all("/openapi.json", description, { parse: "none" });
}
