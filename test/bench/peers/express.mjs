import Database from "better-sqlite3";
import express from "express";
import { rateLimit } from "express-rate-limit";
import { answers, openAccess, ratelimitHeaders } from "./access.mjs";

const access = openAccess(Database, "express.db");

/** A store for express-rate-limit in SQLite. It gets text keys only, so tokens are kept by their id. */
const store = {
  tokens: new Map(),
  increment(key) {
    const token = this.tokens.get(key);
    token.used = access.charge(token);
    return {
      totalHits: token.used?.dayUsed ?? token.daily + 1,
      resetTime: new Date(Date.now() + (token.used?.dayLeft ?? 1) * 1000),
    };
  },
  decrement() {},
  resetKey() {},
};

const app = express();
app.disable("x-powered-by");
app.use((request, response, next) => {
  request.token = access.authenticate(request.headers.authorization);
  if (!request.token) return response.status(401).json({ error: "invalid token" });
  store.tokens.set(String(request.token.id), request.token);
  next();
});
app.use(
  rateLimit({
    store,
    windowMs: 86_400_000,
    limit: (request) => request.token.daily,
    keyGenerator: (request) => String(request.token.id),
    validate: false,
  }),
);
app.get("/api/v1/svc/data/stocks/:symbol/history", (request, response) => {
  const { headers, body } = answers.rest[request.url];
  response.set(headers).set(ratelimitHeaders(request.token, request.token.used)).send(body);
});
const server = app.listen(0, "127.0.0.1", () => {
  console.log(`listens on http://127.0.0.1:${server.address().port}`);
});
