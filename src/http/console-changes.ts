import { PRIVATE_ANSWER } from "./console-answers.ts";
import { endpoint } from "./console-endpoint.ts";

/** `GET changes`: the version of the market, and each later one, as server-sent events: `data: {"version":"1k2j"}`. */
export const CHANGE_ENDPOINTS = [
  endpoint({
    route: "GET changes",
    role: "user",
    handle({ parts, visit, session }): Response {
      const body = visit.request.method === "HEAD" ? null : parts.changes.open(session);
      return new Response(body, {
        headers: {
          ...PRIVATE_ANSWER,
          "Cache-Control": "no-store",
          "Content-Type": "text/event-stream",
          // nginx would keep events back.
          "X-Accel-Buffering": "no",
        },
      });
    },
  }),
] as const;
