import { afterAll, describe, expect, test } from "bun:test";
import { hashSecret } from "#access/secret.ts";
import { type Grant, GRANT_NAMES, parseGrants, RIGHT_NAMES, scopeOf } from "#domain/rights.ts";
import { OPERATIONS } from "#operations/index.ts";
import type { Operation } from "#operations/operation.ts";
import { CALLS, restPath } from "../support/contract-calls.ts";
import { PUBLIC_URL, startOAuthService } from "../support/oauth-service.ts";

const service = await startOAuthService();
afterAll(() => service.stop());
service.accounts.addUser("anna", "max");
const browser = await service.openBrowser("anna");

const CALLBACK = "https://client.example/callback";
const VERIFIER = "v".repeat(43);

/** A token that a client got by OAuth for that scope, all of whose rights the user allowed. */
async function connect(scope: string): Promise<string> {
  const registered = await service.fetch(`${PUBLIC_URL}/oauth/register`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ client_name: scope, redirect_uris: [CALLBACK] }),
  });
  const { client_id } = (await registered.json()) as { client_id: string };
  const url = new URL(`${PUBLIC_URL}/oauth/authorize`);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id,
    redirect_uri: CALLBACK,
    code_challenge: Buffer.from(hashSecret(VERIFIER)).toString("base64url"),
    code_challenge_method: "S256",
    scope,
  }).toString();
  const { query } = await browser.open(url);
  const back = await browser.decide(query, true, parseGrants(scope));
  const answer = await service.fetch(`${PUBLIC_URL}/oauth/token`, {
    method: "POST",
    body: new URLSearchParams({
      grant_type: "authorization_code",
      client_id,
      code: back.searchParams.get("code") ?? "",
      redirect_uri: CALLBACK,
      code_verifier: VERIFIER,
    }),
  });
  const token = (await answer.json()) as { access_token: string; scope: string };
  expect(token.scope).toBe(scope);
  return token.access_token;
}

const { accounts } = service;
const TOKENS: readonly (readonly [string, readonly Grant[], string])[] = [
  ["a token", ["lists:read"], accounts.createToken("anna", "reads", null).token],
  ...RIGHT_NAMES.map((right) => {
    const { token } = accounts.createToken("anna", right, null, "api", [right]);
    return [`a token with ${right}`, ["lists:read", right], token] as const;
  }),
  ["a token of OAuth", [], await connect("read")],
  ["a token of OAuth for lists", ["lists:read"], await connect("read lists:read")],
  // The rights to change lists and alerts include reading them.
  [
    "a token of OAuth to change lists",
    ["lists:read", "lists:write"],
    await connect("read lists:write"),
  ],
  [
    "a token of OAuth to change alerts",
    ["lists:read", "alerts:write"],
    await connect("read alerts:write"),
  ],
  ["a token of OAuth with all scopes", GRANT_NAMES, await connect(scopeOf(GRANT_NAMES))],
];
const LINK = accounts.createToken("anna", "sheet", null, "feed").token;

/** Arguments with which an operation on the user's own data succeeds, once they are called in order. */
const OWN: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  get_brief: {},
  get_lists: {},
  save_list: { name: "mine", items: "US:AAPL=10" },
  delete_list: { name: "mine" },
  get_alerts: {},
  save_alert: { name: "cheap", watch: "US:AAPL", when: "price<1", to: "none" },
  delete_alert: { name: "cheap" },
};

function argumentsOf({ name, own }: Operation): Readonly<Record<string, unknown>> {
  const args = own ? OWN[name] : CALLS.find(({ operation }) => operation.name === name)?.arguments;
  if (!args) throw new Error(`Add arguments of ${name} to OWN.`);
  return args;
}

/** Calls an operation over REST. */
function callRest(operation: Operation, token: string | null): Promise<Response> {
  const args = argumentsOf(operation) as Record<string, string>;
  const { method, path } = operation;
  if (!method) return service.request(restPath({ operation, arguments: args }), token);
  const { name = "", ...fields } = args;
  return service.request(path.replace("{name}", name), token, {
    method,
    headers: { "content-type": "application/json" },
    ...(method === "PUT" && { body: JSON.stringify(fields) }),
  });
}

/** What a token needs for an operation; null for market data. */
const needed = ({ right, own }: Operation): Grant | null => right ?? (own ? "lists:read" : null);

/** What an error says about how to get it. */
const TEACHES = {
  "lists:read": "may also read your lists",
  "lists:write": "--write-lists",
  "alerts:write": "--write-alerts",
};

describe.each(TOKENS)("%s", (_, grants, token) => {
  test.each(OPERATIONS.map((operation) => [operation.name, operation] as const))(
    "%s over REST and MCP",
    async (name, operation) => {
      const grant = needed(operation);
      const isAllowed = grant === null || grants.includes(grant);
      const response = await callRest(operation, token);
      const body = await response.text();
      expect([response.status, body.slice(0, 200)]).toEqual([
        isAllowed ? 200 : 403,
        expect.any(String),
      ]);
      const challenge = response.headers.get("www-authenticate");
      if (isAllowed) expect(challenge).toBeNull();
      else {
        // The refusal was counted.
        expect(response.headers.get("x-ratelimit-remaining")).toMatch(/^\d+$/);
        const [, scope = ""] =
          /error="insufficient_scope", scope="([^"]*)"/.exec(challenge ?? "") ?? [];
        expect(parseGrants(scope)).toContain(grant);
        expect(body).toContain(TEACHES[grant]);
      }
      // What was deleted over REST is there again for MCP.
      const saving = name.replace("delete", "save");
      const save = OPERATIONS.find((one) => one.name === saving) as Operation;
      if (operation.deletes && isAllowed) await callRest(save, token);
      const { result } = await service.callTool(token, name, argumentsOf(operation));
      expect(result?.isError ?? false).toBe(!isAllowed);
      if (!isAllowed) expect(result?.content[0]?.text).toContain(TEACHES[grant]);
    },
  );
});

test("without a token, and with a feed link as one, nothing is answered", async () => {
  for (const operation of OPERATIONS) {
    for (const token of [null, LINK]) expect((await callRest(operation, token)).status).toBe(401);
  }
});

test("a feed link and a link to a CSV have no way to change anything", async () => {
  const [writing] = TOKENS.filter(([, grants]) => grants.includes("lists:write"));
  for (const { name, right, method, path } of OPERATIONS) {
    if (!right) continue;
    const below = path.replace("{name}", "mine");
    for (const url of [
      `/feed/${LINK}${below}`,
      `/feed/${LINK}/sheets/quotes.csv`,
      `/csv/${name}.csv`,
    ]) {
      const response = await fetch(service.origin + url, { method: method ?? "POST", body: "{}" });
      expect([401, 404, 405]).toContain(response.status);
    }
    const asked = await service.callTool(writing?.[2] ?? "", name, {
      ...argumentsOf({ name, own: true } as Operation),
      as: "csv_link",
    });
    expect(JSON.stringify(asked)).not.toContain("/csv/");
  }
});

test("the console's reading of data changes nothing, because any page could open its address", async () => {
  for (const { name, right } of OPERATIONS) {
    if (!right) continue;
    const { status } = await browser.get(
      `data/${name}?${new URLSearchParams(OWN[name]).toString()}`,
    );
    expect(status).toBe(404);
  }
});
