import { PRIVATE_ANSWER } from "./console-answers.ts";
import { endpoint, publicEndpoint } from "./console-endpoint.ts";
import type { Visit } from "./visit.ts";

/**
 * `GET changes`: the version of the market, and the time of the newest message of the user's alerts, as server-sent
 * events: `data: {"version":"1k2j","message":1796000000000}`. Each newer one makes another event.
 */
export const CHANGE_ENDPOINTS = [
  endpoint({
    route: "GET changes",
    role: "user",
    handle: ({ parts, visit, session }) => streamAnswer(visit, () => parts.changes.open(session)),
  }),
  publicEndpoint({
    route: "GET stream",
    /** Two pieces, so that the check of a connection sees if a proxy holds answers back. */
    handle: ({ parts, visit }) => streamAnswer(visit, () => parts.changes.openProbe()),
  }),
] as const;

function streamAnswer({ request }: Visit, open: () => ReadableStream<Uint8Array>): Response {
  return new Response(request.method === "HEAD" ? null : open(), {
    headers: {
      ...PRIVATE_ANSWER,
      "Cache-Control": "no-store",
      "Content-Type": "text/event-stream",
      // nginx would keep events back.
      "X-Accel-Buffering": "no",
    },
  });
}
