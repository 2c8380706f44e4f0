import { Database } from "bun:sqlite";
import { afterAll, expect, test } from "bun:test";
import { join } from "node:path";
import { COMMAND_LINE } from "#access/audit.ts";
import { hashSecret } from "#access/secret.ts";
import { SignIn } from "#access/sign-in.ts";
import { fingerprintToken } from "#access/token-secret.ts";
import { GRANT_NAMES, parseGrants, RIGHT_NAMES } from "#domain/rights.ts";
import { LAYER_NAMES } from "#feeds/index.ts";
import { ENDPOINTS } from "#http/console-api.ts";
import { listenForMetrics } from "#http/metrics-server.ts";
import type { Trace } from "#http/trace.ts";
import { dateOf } from "#lib/date.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { OPERATIONS } from "#operations/index.ts";
import { openAccess } from "#store/index.ts";
import type { TokenKind } from "#store/tokens.ts";
import type { Role } from "#store/users.ts";
import { openFolder } from "../support/access.ts";
import { createKey, cookieOf } from "../support/console-client.ts";
import { CALLS, restPath } from "../support/contract-calls.ts";
import { FEED_PATHS } from "../support/feed-paths.ts";
import { PUBLIC_URL, startOAuthService } from "../support/oauth-service.ts";
import { quickPasswords } from "../support/quick-passwords.ts";

// What each secret of the service opens. `bourse mcp` on stdin has no secret: see cli/mcp.test.ts.

const service = await startOAuthService({}, { env: { BOURSE_ACCESS_LOG: "json" } });
const quick = quickPasswords();
const metrics = listenForMetrics(async () => "", { host: "127.0.0.1", port: 0 });
afterAll(async () => {
  await metrics.stop(true);
  await service.stop();
  quick[Symbol.dispose]();
});
const { accounts, access } = service;
const PASSWORD = "correct horse battery";

const MINUTE = 60_000;
const CALLBACK = "https://client.example/callback";
const VERIFIER = "v".repeat(43);

accounts.addUser("owner", "unlimited");
accounts.addUser("anna", "unlimited");
accounts.addUser("bert", "pro");
accounts.addUser("removed", "unlimited");
await new SignIn(access, () => service.time.now).setPassword("anna", PASSWORD, COMMAND_LINE);
for (const name of ["owner", "anna", "bert"]) {
  const { token } = accounts.createToken(name, "first", null, "api", ["lists:write"]);
  for (const list of ["mine", "held"]) await putList(token, list);
}

function putList(token: string, name: string): Promise<Response> {
  return service.request(`/data/lists/${name}`, token, {
    method: "PUT",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ items: ["US:AAPL=10"] }),
  });
}

/** The value of the session's cookie of a user who signs in. */
async function signIn(user: string): Promise<string> {
  const response = await post("/console/api/session", { key: createKey(service, user) });
  return cookieOf(response).pair.split("=")[1] ?? "";
}

/** Posts JSON as a page of the console does. */
function post(path: string, body: unknown) {
  return service.fetch(PUBLIC_URL + path, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "sec-fetch-site": "same-origin",
      origin: PUBLIC_URL,
    },
    body: JSON.stringify(body),
  });
}

const postForm = (path: string, fields: Record<string, string>) =>
  service.fetch(PUBLIC_URL + path, { method: "POST", body: new URLSearchParams(fields) });

/** A new client of OAuth that anna allows these scopes, and its code. */
async function getCode(scope: string) {
  const registered = await service.fetch(`${PUBLIC_URL}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: scope, redirect_uris: [CALLBACK] }),
  });
  const { client_id: clientId } = (await registered.json()) as { client_id: string };
  const query = new URLSearchParams({
    response_type: "code",
    client_id: clientId,
    redirect_uri: CALLBACK,
    code_challenge: Buffer.from(hashSecret(VERIFIER)).toString("base64url"),
    code_challenge_method: "S256",
    scope,
  });
  const back = await browser.decide(`?${query.toString()}`, true, parseGrants(scope));
  return { clientId, code: back.searchParams.get("code") ?? "" };
}

const exchange = ({ clientId, code }: { clientId: string; code: string }, grant: string) =>
  postForm("/oauth/token", {
    grant_type: grant,
    client_id: clientId,
    code,
    refresh_token: code,
    redirect_uri: CALLBACK,
    code_verifier: VERIFIER,
  });

async function connect(scope: string): Promise<string> {
  const answer = await exchange(await getCode(scope), "authorization_code");
  const token = (await answer.json()) as { access_token: string };
  // There is no refresh token, so there is no secret that makes others.
  expect(Object.keys(token)).not.toContain("refresh_token");
  return token.access_token;
}

const browser = await service.openBrowser("anna");
const tokenOf = await Promise.all(
  ["read", "read lists:read", "read lists:write", "read alerts:write"].map(connect),
);
// No more than 20 sign-ins and 10 registrations a minute are possible. A code lives for one.
service.time.now += MINUTE;
const READS = accounts.createToken("anna", "reads", null);
const link = (user: string, lists: readonly string[]) =>
  accounts.createToken(user, "sheet", null, "feed", [], lists).token;
const getCsvLink = async (path: string, token: string) =>
  (await service.payload<{ csv_link: string }>(`${path}&as=csv_link`, token)).csv_link;
const linkOf = (address: string) => new URL(address).searchParams.get("link") ?? "";
const HISTORY = "/data/stocks/AAPL/history?country=US";
const CSV_LINK = await getCsvLink(HISTORY, READS.token);
const ended = accounts.createToken("anna", "revoked", null);
const endedLink = accounts.createToken("anna", "revoked sheet", null, "feed");
const linkOfEnded = linkOf(await getCsvLink(HISTORY, ended.token));
for (const { id } of [ended, endedLink]) accounts.revokeToken(id);
const expired = accounts.createToken("anna", "expired", 1);
const usedCode = await getCode("read");
await exchange(usedCode, "authorization_code");
const code = await getCode("read lists:write");
const admin = await signIn("owner");
const session = await signIn("anna");
const usedKey = createKey(service, "anna");
const invitation = new SignIn(access, () => service.time.now).invite(
  { plan: "free", note: "" },
  { name: "owner", address: null },
);
const signedOut = cookieOf(await post("/console/api/session", { key: usedKey })).pair;
await service.fetch(`${PUBLIC_URL}/console/api/session`, {
  method: "DELETE",
  headers: { "sec-fetch-site": "same-origin", origin: PUBLIC_URL, cookie: signedOut },
});
const ofRemoved = {
  token: accounts.createToken("removed", "first", null).token,
  link: link("removed", []),
  session: await signIn("removed"),
};
accounts.removeUser("removed");
service.time.now += 1;
const hashOf = (token: string) => Buffer.from(fingerprintToken(token)?.hash ?? "");

/** The day of the played service: answers are the same, but nothing is open that has no past. */
const DAY = dateOf(service.time.now);

/** Every secret, as a holder has it. */
const SECRETS = {
  nothing: "",
  "OAuth code": code.code,
  "session of an admin": admin,
  "session of a user": session,
  "session that has ended": signedOut.split("=")[1] ?? "",
  "session of a removed user": ofRemoved.session,
  "password of a user": PASSWORD,
  "token of an admin": accounts.createToken("owner", "admin", null).token,
  "token that reads": READS.token,
  "token with lists:write": accounts.createToken("anna", "w", null, "api", ["lists:write"]).token,
  "token with alerts:write": accounts.createToken("anna", "a", null, "api", ["alerts:write"]).token,
  "token of a plan with limits": accounts.createToken("bert", "pro", null).token,
  // Of an admin, whose other tokens read files.
  "token in a day": accounts.createToken("owner", "d", null, "api", [], null, DAY).token,
  "feed link in a day": accounts.createToken("owner", "d", null, "feed", [], [], DAY).token,
  "token that was revoked": ended.token,
  "token that has expired": expired.token,
  "token of a removed user": ofRemoved.token,
  "OAuth token of read": tokenOf[0] ?? "",
  "OAuth token of lists:read": tokenOf[1] ?? "",
  "OAuth token of lists:write": tokenOf[2] ?? "",
  "OAuth token of alerts:write": tokenOf[3] ?? "",
  "feed link without lists": link("anna", []),
  "feed link with a list": link("anna", ["mine"]),
  "feed link with alerts": link("anna", ["alerts:read"]),
  "feed link of an admin": link("owner", ["mine"]),
  "feed link that was revoked": endedLink.token,
  "feed link of a removed user": ofRemoved.link,
  "CSV link": linkOf(CSV_LINK),
  "CSV link of a revoked token": linkOfEnded,
  "CSV link of another call": linkOf(await getCsvLink("/data/markets?country=US", READS.token)),
  "CSV link of a list": linkOf(
    await getCsvLink("/data/stocks/compare?symbols=list:mine", READS.token),
  ),
  "sign-in link": createKey(service, "anna"),
  "sign-in link that was used": usedKey,
  invitation: (await invitation).key,
  "OAuth code that was used": usedCode.code,
  "hash of a token in a backup": hashOf(READS.token).toString("hex"),
  "hash of a session in a backup": Buffer.from(hashSecret(session)).toString("base64url"),
  "key of CSV links": Buffer.from(await Promise.resolve(access.linkSecret())).toString("hex"),
} as const;
type Secret = keyof typeof SECRETS;

test("the rows have every kind of token, role, right and scope, and every secret that is stored", () => {
  const kinds: Record<TokenKind, Secret> = {
    api: "token that reads",
    feed: "feed link without lists",
  };
  const roles: Record<Role, Secret> = { admin: "session of an admin", user: "session of a user" };
  const rows = Object.keys(SECRETS);
  for (const row of [...Object.values(kinds), ...Object.values(roles)]) expect(rows).toContain(row);
  for (const right of RIGHT_NAMES) expect(rows).toContain(`token with ${right}`);
  for (const grant of GRANT_NAMES) expect(rows).toContain(`OAuth token of ${grant}`);
  // Columns of bytes, and of passwords: a new secret needs rows.
  using folder = openFolder();
  openAccess(folder.path).close();
  using database = new Database(join(folder.path, "access.db"), { readonly: true });
  const columns = database
    .query<{ name: string }, []>(
      `SELECT tables.name || '.' || columns.name AS name
       FROM sqlite_schema AS tables, pragma_table_info(tables.name) AS columns
       WHERE tables.type = 'table' AND tables.name NOT LIKE 'sqlite%'
         AND (columns.type = 'BLOB' OR columns.name IN ('password', 'secret', 'key', 'challenge'))
       ORDER BY 1`,
    )
    .all();
  expect(columns.map(({ name }) => name)).toEqual([
    "invitations.hash",
    "oauth_codes.challenge",
    "oauth_codes.hash",
    "sessions.hash",
    "sign_in_keys.hash",
    "tokens.hash",
    "users.password",
  ]);
});

test("the columns have every feed", () => {
  expect(Object.keys(FEED_PATHS).toSorted()).toEqual(LAYER_NAMES.toSorted());
});

type Call = (secret: string) => Promise<Response>;
interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}
const bearer =
  (path: string, init: Sent = {}): Call =>
  (secret) =>
    service.fetch(PUBLIC_URL + path, {
      ...init,
      headers: { ...(secret && { authorization: `Bearer ${secret}` }), ...init.headers },
    });
const inCookie =
  (path: string, method = "GET"): Call =>
  (secret) =>
    service.fetch(PUBLIC_URL + path, {
      method,
      headers: {
        "sec-fetch-site": "same-origin",
        ...(method !== "GET" && { origin: PUBLIC_URL, "content-type": "application/json" }),
        ...(secret && { cookie: `__Host-bourse=${secret}` }),
      },
      ...(method !== "GET" && { body: "{}" }),
    });
const inPath =
  (path: string): Call =>
  (secret) =>
    fetch(`${service.origin}/feed/${secret && `${encodeURIComponent(secret)}/`}${path}`);
const API = "/api/v1/svc";
const JSON_BODY = { "content-type": "application/json" };
const tool = (name: string, args: object): Call =>
  bearer(`${API}/mcp`, {
    method: "POST",
    headers: JSON_BODY,
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name, arguments: args },
    }),
  });
const ping = bearer(`${API}/mcp`, {
  method: "POST",
  headers: JSON_BODY,
  body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" }),
});
const saving = {
  method: "PUT",
  headers: JSON_BODY,
  body: JSON.stringify({ items: ["US:AAPL=10"] }),
};

const shared = OPERATIONS.filter(({ own }) => !own);
/** One call of each operation on market data, over REST. */
const restCalls = shared.map((operation) => {
  const call = CALLS.find((one) => one.operation === operation);
  if (!call) throw new Error(`no call of ${operation.name}`);
  return bearer(API + restPath(call));
});
const consoleCalls = (role: "anyone" | Role): Call[] =>
  ENDPOINTS.filter(
    (one) =>
      one.role === role &&
      one.path !== "session" &&
      // It begins a sign-in.
      one.route !== "POST provider" &&
      one.path !== "changes" &&
      one.path !== "backup",
  ).map(({ method, path }) =>
    inCookie(
      `/console/api/${path.replace(":operation", "get_markets").replace(":id", "999999").replace(/:\w+/, "nothing")}`,
      method,
    ),
  );

/** The queries that name a list. */
function wordsFor(list: string): string[] {
  const texts = [`list:${list}`, `US:AAPL, list:${list}`, ` List : ${list}`, `in list:${list}`];
  return [`list=${list}`, ...texts.map((text) => `symbols=${encodeURIComponent(text)}`)];
}

/** What a secret is tried at. The requests of a column have one outcome. */
const COLUMNS = {
  rest: restCalls,
  "rest, cookie": [inCookie(`${API}/data/markets`)],
  mcp: [ping, tool("get_markets", {})],
  "lists, rest": [
    bearer(`${API}/data/lists`),
    bearer(`${API}/data/lists/mine`),
    bearer(`${API}/data/stocks/compare?symbols=list:mine&metrics=price`),
    bearer(`${API}/data/alerts`),
  ],
  "lists, mcp": [
    tool("get_lists", {}),
    tool("compare_stocks", { symbols: "list:mine" }),
    tool("get_alerts", {}),
  ],
  "write, rest": [
    bearer(`${API}/data/lists/new`, saving),
    bearer(`${API}/data/lists/new`, { method: "DELETE" }),
  ],
  "write, mcp": [
    tool("save_list", { name: "new", items: ["US:AAPL"] }),
    tool("delete_list", { name: "new" }),
  ],
  "alerts, rest": [
    bearer(`${API}/data/alerts/new`, {
      ...saving,
      body: JSON.stringify({ watch: "US:AAPL", when: "price<1", to: "none" }),
    }),
    bearer(`${API}/data/alerts/new`, { method: "DELETE" }),
  ],
  "alerts, mcp": [
    tool("save_alert", { name: "new", watch: "US:AAPL", when: "price<1", to: "none" }),
    tool("delete_alert", { name: "new" }),
  ],
  files: [bearer(`${API}/files/`)],
  feeds: Object.entries(FEED_PATHS)
    .filter(([name]) => name !== "alerts.atom")
    .map(([name, path]) => inPath(`${name}/${path}`)),
  "feeds, alerts": [inPath("alerts.atom")],
  "feeds, header": [bearer("/feed/sheets/quotes.csv?symbols=US:AAPL")],
  "feeds, list": wordsFor("mine").map((words) => inPath(`sheets/quotes.csv?${words}`)),
  "feeds, other list": wordsFor("held").map((words) => inPath(`sheets/quotes.csv?${words}`)),
  "feeds, files": [inPath("files/")],
  csv: [
    (secret: string) =>
      fetch(
        service.origin +
          new URL(CSV_LINK).pathname +
          new URL(CSV_LINK).search.replace(/link=.*/, `link=${encodeURIComponent(secret)}`),
      ),
  ],
  "console, user": consoleCalls("user"),
  "console, admin": consoleCalls("admin"),
  "console, bearer": [bearer("/console/api/me"), bearer("/console/api/users")],
  "sign-in": [(secret: string) => post("/console/api/session", { key: secret })],
  "sign-in, password": [
    (secret: string) => post("/console/api/session", { user: "anna", password: secret }),
  ],
  "sign-in, invitation": [
    (secret: string) =>
      post("/console/api/session", { invitation: secret, user: "invited", password: PASSWORD }),
  ],
  "oauth, code": [(secret: string) => exchange({ ...code, code: secret }, "authorization_code")],
  "oauth, refresh": [(secret: string) => exchange({ ...code, code: secret }, "refresh_token")],
  public: [
    ...[
      "/health",
      "/health/ready",
      "/docs",
      "/llms.txt",
      "/clients/bourse.R",
      "/console",
      `${API}/openapi.json`,
      "/.well-known/oauth-authorization-server",
      "/.well-known/oauth-protected-resource",
    ].map((path) => bearer(path)),
    ...consoleCalls("anyone"),
  ],
  "metrics, own port": [
    (secret: string) =>
      fetch(`http://127.0.0.1:${metrics.port}/metrics`, {
        headers: { authorization: `Bearer ${secret}` },
      }),
  ],
  "metrics, main port": [bearer("/metrics")],
} satisfies Record<string, readonly Call[]>;
type Column = keyof typeof COLUMNS;

test("the columns have every interface that a request can come to", () => {
  const interfaces: Record<Trace["via"], Column> = {
    rest: "rest",
    mcp: "mcp",
    feed: "feeds",
    console: "console, user",
    docs: "public",
    oauth: "oauth, code",
    health: "public",
    other: "metrics, main port",
  };
  expect(Object.keys(COLUMNS)).toEqual(expect.arrayContaining(Object.values(interfaces)));
  expect(new Set(ENDPOINTS.map(({ role }) => role))).toEqual(new Set(["anyone", "user", "admin"]));
});

/** `ok`, or the status and the code of a refusal. */
async function outcomeOf(call: Call, secret: string, column: string): Promise<string> {
  const response = await call(secret);
  const type = response.headers.get("content-type") ?? "";
  const isStream = type === "text/event-stream";
  // A stream goes on for seconds.
  if (isStream) await response.body?.cancel();
  const text = isStream ? "" : await response.text();
  const isJson = /json/.test(type);
  const body = ((isJson ? JSON.parse(text) : null) ?? {}) as {
    error?: string | { code?: string | number };
    result?: { isError?: boolean };
  };
  if (body.result?.isError) return "tool error";
  // Some programs want their errors with the status 200. Only a caller that is known has a quota.
  const isRefused = column.startsWith("feeds") && !response.headers.has("x-ratelimit-limit");
  if (response.ok && !isRefused) return "ok";
  // An endpoint of the console that refuses its arguments has let the caller in.
  const isLetIn = column.startsWith("console") && [400, 404].includes(response.status);
  if (isLetIn) return "ok";
  const error = typeof body.error === "string" ? body.error : body.error?.code;
  // Each program has a form of its own for errors.
  if (column.startsWith("feeds")) return isRefused ? "refused" : `${response.status}`;
  return `${response.status} ${error ?? ""}`.trim();
}
/** How many rows come in a minute of the clock: a user has five tries of a password. */
const ROWS_A_MINUTE = 5;
/** What was seen, by column and row. */
const seen: Record<string, Record<string, string>> = {};
for (const [i, [row, secret]] of Object.entries(SECRETS).entries()) {
  if (i > 0 && i % ROWS_A_MINUTE === 0) service.time.now += MINUTE;
  for (const [column, calls] of Object.entries(COLUMNS)) {
    const outcomes = new Set<string>();
    for (const call of calls) outcomes.add(await outcomeOf(call, secret, column));
    (seen[column] ??= {})[row] = [...outcomes].join(" or ");
  }
}

const TOKENS: readonly Secret[] = [
  "token of an admin",
  "token of a plan with limits",
  "token that reads",
  "token with lists:write",
  "token with alerts:write",
  "OAuth token of read",
  "OAuth token of lists:read",
  "OAuth token of lists:write",
  "OAuth token of alerts:write",
];
const WRITERS: readonly Secret[] = ["token with lists:write", "OAuth token of lists:write"];
const ALERTERS: readonly Secret[] = ["token with alerts:write", "OAuth token of alerts:write"];
const LINKS: readonly Secret[] = [
  "feed link without lists",
  "feed link with a list",
  "feed link with alerts",
  "feed link of an admin",
];
const DATED: Secret = "token in a day";
const DATED_LINK: Secret = "feed link in a day";
const NOTHING: readonly Secret[] = ["nothing"];
const without = (rows: readonly Secret[], ...left: readonly Secret[]) =>
  rows.filter((row) => !left.includes(row));
const [MISSING, INVALID, FORBIDDEN] = [
  "401 MISSING_AUTH",
  "401 INVALID_TOKEN",
  "403 INVALID_REQUEST",
] as const;

/** What most secrets get in a column, and what others get. */
type Cells = readonly [most: string, ...others: (readonly [string, readonly Secret[]])[]];
const OPENS: Readonly<Record<Column, Cells>> = {
  rest: [INVALID, [MISSING, NOTHING], ["ok", [...TOKENS, DATED]]],
  "rest, cookie": [MISSING],
  mcp: [INVALID, [MISSING, NOTHING], ["ok", [...TOKENS, DATED]]],
  "lists, rest": [
    INVALID,
    [MISSING, NOTHING],
    ["ok", without(TOKENS, "OAuth token of read")],
    [FORBIDDEN, ["OAuth token of read", DATED]],
  ],
  "lists, mcp": [
    INVALID,
    [MISSING, NOTHING],
    ["ok", without(TOKENS, "OAuth token of read")],
    ["tool error", ["OAuth token of read", DATED]],
  ],
  "write, rest": [
    INVALID,
    [MISSING, NOTHING],
    ["ok", WRITERS],
    [FORBIDDEN, [...without(TOKENS, ...WRITERS), DATED]],
  ],
  "write, mcp": [
    INVALID,
    [MISSING, NOTHING],
    ["ok", WRITERS],
    ["tool error", [...without(TOKENS, ...WRITERS), DATED]],
  ],
  "alerts, rest": [
    INVALID,
    [MISSING, NOTHING],
    ["ok", ALERTERS],
    [FORBIDDEN, [...without(TOKENS, ...ALERTERS), DATED]],
  ],
  "alerts, mcp": [
    INVALID,
    [MISSING, NOTHING],
    ["ok", ALERTERS],
    ["tool error", [...without(TOKENS, ...ALERTERS), DATED]],
  ],
  // There is no export. Only an administrator learns that.
  files: [
    INVALID,
    [MISSING, NOTHING],
    ["404 NOT_FOUND", ["token of an admin"]],
    [FORBIDDEN, [...without(TOKENS, "token of an admin"), DATED]],
  ],
  feeds: ["refused", ["ok", [...LINKS, DATED_LINK]]],
  "feeds, alerts": [
    "refused",
    ["ok", ["feed link with alerts"]],
    ["403", [...without(LINKS, "feed link with alerts"), DATED_LINK]],
  ],
  "feeds, header": ["refused", ["ok", [...LINKS, ...TOKENS, DATED, DATED_LINK]]],
  "feeds, list": [
    "refused",
    ["404", ["feed link without lists", "feed link with alerts"]],
    ["ok", without(LINKS, "feed link without lists", "feed link with alerts")],
    ["403", [DATED_LINK]],
  ],
  "feeds, other list": ["refused", ["404", LINKS], ["403", [DATED_LINK]]],
  "feeds, files": [
    "refused",
    ["404", ["feed link of an admin"]],
    ["403", [...without(LINKS, "feed link of an admin"), DATED_LINK]],
  ],
  csv: [INVALID, [MISSING, NOTHING], ["ok", ["CSV link"]]],
  "console, user": [MISSING, ["ok", ["session of an admin", "session of a user"]]],
  "console, admin": [MISSING, ["ok", ["session of an admin"]], [FORBIDDEN, ["session of a user"]]],
  "console, bearer": [MISSING],
  "sign-in": [INVALID, ["ok", ["sign-in link"]]],
  "sign-in, password": [INVALID, ["ok", ["password of a user"]]],
  "sign-in, invitation": [INVALID, ["ok", ["invitation"]]],
  "oauth, code": ["400 invalid_grant", ["400 invalid_request", NOTHING], ["ok", ["OAuth code"]]],
  "oauth, refresh": ["400 unsupported_grant_type"],
  public: ["ok"],
  // They have no secret, so they have an address of their own.
  "metrics, own port": ["ok"],
  "metrics, main port": ["404 NOT_FOUND"],
};

test.each(Object.entries(OPENS))("%s", (column, [most, ...others]) => {
  const rows = Object.keys(SECRETS).map((row) => {
    const other = others.find(([, names]) => (names as readonly string[]).includes(row));
    return [row, other?.[0] ?? most];
  });
  expect(seen[column]).toEqual(Object.fromEntries(rows));
});

/** A text as clients and programs on the way may encode it. */
const ENCODINGS: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  percent: (text) => Buffer.from(text).toHex().replaceAll(/../g, "%$&"),
  "percent twice": (text) => Buffer.from(text).toHex().replaceAll(/../g, "%25$&"),
  "some letters": (text) => text.replaceAll(/[aeiou5]/g, (c) => `%${c.charCodeAt(0).toString(16)}`),
};
const PLACES = [
  "/",
  "/feed/",
  "/feed/sheets/",
  "/csv/",
  "/docs/",
  "/clients/",
  "/console/",
  "/console/api/",
  "/console/api/tokens/",
  "/oauth/",
  `${API}/`,
  `${API}/files/`,
  `${API}/data/stocks/`,
];

test("no secret is in the log of the service, in any place of a request and any encoding", async () => {
  // A password has no form by which a log could know it in an address.
  const { "password of a user": _, ...named } = SECRETS;
  const secrets = Object.values(named).filter(Boolean);
  await Promise.all(
    secrets.map(async (secret) => {
      for (const encode of Object.values(ENCODINGS)) {
        for (const place of PLACES) {
          const text = encode(secret);
          const response = await fetch(`${service.origin}${place}${text}?key=${text}`, {
            headers: { "user-agent": secret, referer: `http://x/${text}` },
          });
          await response.arrayBuffer();
        }
      }
    }),
  );
  await nextTurn();
  await nextTurn();
  expect(service.logLines.length).toBeGreaterThan(secrets.length * PLACES.length);
  let lines = service.logLines.join("\n");
  for (let i = 0; i < 4; i++) {
    for (const [row, secret] of Object.entries(named)) {
      // The beginning of a token is no secret: lists show it.
      if (secret && lines.includes(secret.slice(-20))) throw new Error(`The log has the ${row}.`);
    }
    lines = lines.replaceAll(/%([\da-f]{2})/gi, (_, code) =>
      String.fromCharCode(parseInt(code, 16)),
    );
  }
});
