import { Elysia } from "elysia";
import type { IpGate } from "#access/ip-gate.ts";
import { BourseError } from "#domain/errors.ts";
import { type ApiVersion, V1, versionPrefix } from "./api-version.ts";
import type { ClientAddress } from "./client-address.ts";
import { corsPlugin } from "./cors.ts";
import { gateHeaders } from "./headers.ts";
import { type MountDependencies, mountVersion } from "./mount.ts";
import { errorResponse, explain } from "./responses.ts";

/** What the HTTP application is made of. */
export interface HttpDependencies extends MountDependencies {
  /** Null where every address may ask as often as it likes. */
  readonly gate: IpGate | null;
  readonly clientAddress: ClientAddress;
}

/** Answers a request that a server has taken, which knows the address that it came from. */
export type HttpApp = (
  request: Request,
  server: { requestIP(request: Request): { readonly address: string } | null },
) => Response | Promise<Response>;

/** The HTTP application: the gate, then addresses asked before, then the router with every version. */
export function createApp(
  dependencies: HttpDependencies,
  versions: readonly ApiVersion[],
): HttpApp {
  const { gate, clientAddress, log } = dependencies;
  const mounted = versions.map((version) => mountVersion(version, dependencies));

  // Elysia looks for the path behind the 11th character and takes a host named `nas` for a part of it.
  const router = new Elysia({ handler: { standardHostname: false } })
    .use(corsPlugin())
    .onError(({ code, error }) =>
      errorResponse(
        code === "NOT_FOUND"
          ? new BourseError("not_found", "This path is unknown.", {
              hint: `Every path is described at ${versionPrefix(V1)}/openapi.json.`,
            })
          : explain(error, log),
      ),
    );
  for (const { app } of mounted) router.use(app);
  router.compile();

  const refuseAtGate = (passing: IpGate, request: Request, socketAddress: string) => {
    const refusal = passing.check(clientAddress(socketAddress, request.headers));
    if (!refusal) return undefined;
    const { limit, retryAfterSeconds } = refusal;
    return errorResponse(
      new BourseError(
        "rate_limited",
        `Rate limit exceeded: ${limit} requests a minute from one address. Retry after ${retryAfterSeconds} s.`,
        { retryAfterSeconds },
      ),
      gateHeaders(refusal),
    );
  };

  return (request, server) => {
    const refusal = gate && refuseAtGate(gate, request, server.requestIP(request)?.address ?? "");
    if (refusal) return refusal;
    for (const version of mounted) {
      const answer = version.answerKnown(request);
      if (answer) return answer;
    }
    return router.fetch(request);
  };
}
