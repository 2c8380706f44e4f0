import { cors } from "@elysiajs/cors";
import { Elysia } from "elysia";
import type { IpGate } from "#access/ip-gate.ts";
import { BourseError } from "#domain/errors.ts";
import { type ApiVersion, V1, versionPrefix } from "./api-version.ts";
import type { ClientAddress } from "./client-address.ts";
import { EXPOSED_HEADERS, gateHeaders } from "./headers.ts";
import { type MountDependencies, mountVersion } from "./mount.ts";
import { errorResponse, explain } from "./responses.ts";

/** What the HTTP application is made of. */
export interface HttpDependencies extends MountDependencies {
  readonly gate: IpGate;
  readonly clientAddress: ClientAddress;
}

/** The HTTP application: the gate, then CORS, then every version under its prefix. */
export function createApp(dependencies: HttpDependencies, versions: readonly ApiVersion[]) {
  const { gate, clientAddress, log } = dependencies;
  const boot = crypto.randomUUID().slice(0, 8);
  let requests = 0;

  // Elysia looks for the path behind the 11th character and takes a host named `nas` for a part of it.
  const app = new Elysia({ handler: { standardHostname: false } })
    .onRequest(({ request, server, set }) => {
      const requestId = `${boot}-${(++requests).toString(36)}`;
      set.headers["x-request-id"] = requestId;
      const socketAddress = server?.requestIP(request)?.address ?? "";
      const refusal = gate.check(
        clientAddress(socketAddress, request.headers.get("x-forwarded-for")),
      );
      if (!refusal) return;
      const { limit, retryAfterSeconds } = refusal;
      return errorResponse(
        new BourseError(
          "rate_limited",
          `Rate limit exceeded: ${limit} requests a minute from one address. Retry after ${retryAfterSeconds} s.`,
          { retryAfterSeconds },
        ),
        { ...gateHeaders(refusal), "X-Request-Id": requestId },
      );
    })
    .use(
      cors({
        origin: "*",
        methods: ["GET", "POST"],
        allowedHeaders: ["Authorization", "Content-Type", "If-None-Match", "MCP-Protocol-Version"],
        exposeHeaders: EXPOSED_HEADERS,
        credentials: false,
        maxAge: 86_400,
      }),
    )
    .onError(({ code, error, set }) =>
      errorResponse(
        code === "NOT_FOUND"
          ? new BourseError("not_found", "There is nothing at this path.", {
              hint: `Every path is described at ${versionPrefix(V1)}/openapi.json.`,
            })
          : explain(error, String(set.headers["x-request-id"]), log),
      ),
    );
  for (const version of versions) app.use(mountVersion(version, dependencies));
  return app;
}
