import { Database } from "bun:sqlite";
import { Hono } from "hono";
import { answers, dayHeaders, openAccess, ratelimitHeaders } from "./access.mjs";

const access = openAccess(Database, "hono.db");

const app = new Hono();
app.use(async (context, next) => {
  const token = access.authenticate(context.req.header("authorization"));
  if (!token) return context.json({ error: "invalid token" }, 401);
  const used = access.charge(token);
  if (!used) return context.json({ error: "rate limit exceeded" }, 429);
  context.set("quota", { ...dayHeaders(token, used), ...ratelimitHeaders(token, used) });
  return next();
});
app.get("/api/v1/svc/data/stocks/:symbol/history", (context) => {
  const { pathname, search } = new URL(context.req.url);
  const { headers, body } = answers.rest[pathname + search];
  return context.body(body, 200, { ...headers, ...context.get("quota") });
});
const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: app.fetch });
console.log(`listens on http://127.0.0.1:${server.port}`);
