import rateLimit from "@fastify/rate-limit";
import Database from "better-sqlite3";
import Fastify from "fastify";
import { answers, openAccess, ratelimitHeaders } from "./access.mjs";

const access = openAccess(Database, "fastify.db");

/** A store for @fastify/rate-limit in SQLite. It denies if `current` is above `max`. */
class SqliteStore {
  incr(token, callback) {
    const used = access.charge(token);
    token.used = used;
    callback(null, { current: used?.dayUsed ?? token.daily + 1, ttl: (used?.dayLeft ?? 1) * 1000 });
  }
  child() {
    return this;
  }
}

const app = Fastify();
app.addHook("onRequest", async (request, reply) => {
  request.token = access.authenticate(request.headers.authorization);
  if (!request.token) return reply.code(401).send({ error: "invalid token" });
});
await app.register(rateLimit, {
  store: SqliteStore,
  keyGenerator: (request) => request.token,
  max: (request) => request.token.daily,
  timeWindow: 86_400_000,
});
app.get("/api/v1/svc/data/stocks/:symbol/history", (request, reply) => {
  const { headers, body } = answers.rest[request.url];
  reply.headers(headers).headers(ratelimitHeaders(request.token, request.token.used)).send(body);
});
console.log(`listens on ${await app.listen({ host: "127.0.0.1", port: 0 })}`);
