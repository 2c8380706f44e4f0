import { cors } from "@elysiajs/cors";
import { type AnyElysia, Elysia } from "elysia";

/** Scripts of any origin may call every route, without cookies. A browser caches this for a day. */
const CORS = {
  origin: "*",
  credentials: false,
  methods: ["GET", "POST", "PUT", "DELETE"],
  allowedHeaders: [
    "Authorization",
    "Content-Type",
    "X-API-Key",
    "If-None-Match",
    "MCP-Protocol-Version",
    "Mcp-Method",
    "Mcp-Name",
  ],
  exposeHeaders: [
    "X-RateLimit-Limit",
    "X-RateLimit-Remaining",
    "X-RateLimit-Reset",
    "RateLimit-Policy",
    "RateLimit",
    "Retry-After",
    "ETag",
    "X-Data-Source",
    "X-Data-Age",
    "X-Data-Missing",
    "X-Understood-As",
    "X-Total-Count",
    "X-Request-Id",
    "Deprecation",
    "Sunset",
    "Link",
  ],
  maxAge: 86_400,
};

/** The CORS headers of every answer except a preflight, for answers that bypass the router. */
export const CORS_HEADERS = {
  "Access-Control-Allow-Origin": CORS.origin,
  "Access-Control-Expose-Headers": CORS.exposeHeaders.join(", "),
};

/** Answers preflights and adds the CORS headers to every answer of the router that uses it. */
export function corsPlugin(): AnyElysia {
  return new Elysia().use(cors(CORS)).onRequest(({ set }) => {
    // The plugin has answered preflights by now; other answers do not need their two headers.
    delete set.headers["access-control-allow-methods"];
    delete set.headers["access-control-allow-headers"];
  });
}
