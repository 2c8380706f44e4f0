import { describe, expect, test } from "bun:test";
import { OAuth } from "#access/oauth.ts";
import { parseDocument } from "#access/oauth-client.ts";
import { type PlanName, PLANS } from "#access/plans.ts";
import type { Grant } from "#domain/rights.ts";
import { hashSecret } from "#access/secret.ts";
import { addClient, countUsedClients, findClient, findCode, setGrant } from "#store/oauth.ts";
import { findUser } from "#store/users.ts";
import { openTestAccess } from "../support/access.ts";
import { openGuard } from "../support/at-once.ts";
import { oauthRefusalOf } from "../support/error.ts";

const ISSUER = "https://data.example.com";
const RESOURCE = `${ISSUER}/api/v1/svc/mcp`;
const CALLBACK = "https://client.example/callback";
const DOCUMENT = "https://other.example/client.json";
// RFC 7636, appendix B.
const VERIFIER = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
const CHALLENGE = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
const ADDRESS = "203.0.113.7";
const DAY_MS = 86_400_000;

type Parameters = Readonly<Record<string, string | null>>;

/** Parameters in the form of a query; those that are null are left out. */
function queryOf(parameters: Parameters): string {
  const given = Object.entries(parameters).filter(
    (entry): entry is [string, string] => entry[1] !== null,
  );
  return new URLSearchParams(given).toString();
}

/** An authorization server with the user alice and the client Example. */
async function open(plan: PlanName = "pro") {
  const access = openTestAccess();
  access.accounts.addUser("alice", plan);
  const clock = () => access.time.now;
  const hooks = { warnings: [] as string[] };
  const oauth = new OAuth({
    log: { info() {}, warn: (message) => void hooks.warnings.push(message), error() {} },
    access: access.access,
    plans: PLANS,
    clock,
    issuer: ISSUER,
    resource: RESOURCE,
    readDocument: async (url) =>
      parseDocument(url, { client_id: url, client_name: "Other", redirect_uris: [CALLBACK] }),
  });
  const register = async (name = "Example") => {
    const redirect_uris = [CALLBACK, "http://localhost/callback"];
    return (await oauth.register({ client_name: name, redirect_uris })).id;
  };
  const client = await register();
  const actor = { name: "alice", address: "198.51.100.1" };
  const requestOf = (more: Parameters = {}) =>
    queryOf({
      response_type: "code",
      client_id: client,
      redirect_uri: CALLBACK,
      code_challenge: CHALLENGE,
      code_challenge_method: "S256",
      state: "xyz",
      resource: RESOURCE,
      ...more,
    });
  const allow = async (more: Parameters = {}, rights?: readonly Grant[]) =>
    new URL(
      await oauth.decide({ query: requestOf(more), allow: true, ...(rights && { rights }) }, actor),
    ).searchParams;
  const formOf = (code: string, more: Parameters = {}) =>
    new URLSearchParams(
      queryOf({
        grant_type: "authorization_code",
        code,
        client_id: client,
        redirect_uri: CALLBACK,
        code_verifier: VERIFIER,
        resource: RESOURCE,
        ...more,
      }),
    );
  const guard = openGuard({ access: access.access, clock });

  return {
    ...access,
    guard,
    oauth,
    hooks,
    client,
    /** Gives a client a token of a user; returns the token's id. */
    grant(user: string, clientId: string): number {
      const { id } = access.accounts.createToken(user, clientId, null);
      access.access.transaction(function* () {
        yield* setGrant((yield* findUser(user))?.id ?? 0, clientId, id);
      });
      return id;
    },
    register,
    actor,
    requestOf,
    /** The parameters of the redirect after alice allowed the client. */
    allow,
    formOf,
    exchange: (code: string, more: Parameters = {}) => oauth.exchange(formOf(code, more), ADDRESS),
    /** A token of the client, from consent to exchange. */
    async connect(): Promise<string> {
      const code = (await allow()).get("code") ?? "";
      return (await oauth.exchange(formOf(code), ADDRESS)).access_token;
    },
    /** The user of a live token, or the code of the refusal. */
    async userOf(token: string): Promise<string> {
      // Changes of this process are seen in the next turn of the event loop.
      await Bun.sleep(0);
      return refusalOf(() => guard.authenticate(`Bearer ${token}`).user);
    },
  };
}

/** The result of `work`, or the code of its refusal. */
async function refusalOf<T>(work: () => T | Promise<T>): Promise<T | string> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && "code" in error) return String(error.code);
    throw error;
  }
}

describe("a consent", () => {
  test("leads to a token of the user for 90 days", async () => {
    using service = await open();
    const answer = await service.allow();
    expect([...answer.keys()].toSorted()).toEqual(["code", "iss", "state"]);
    expect(answer.get("state")).toBe("xyz");
    expect(answer.get("iss")).toBe(ISSUER);

    const { access_token, ...rest } = await service.exchange(answer.get("code") ?? "");
    expect(rest).toEqual({ token_type: "Bearer", expires_in: 7_776_000, scope: "read" });
    expect(await service.userOf(access_token)).toBe("alice");
    const [token] = service.accounts.listTokens("alice");
    expect(token).toMatchObject({ label: "Example", expiresAt: service.time.now + 90 * DAY_MS });
  });

  test("is shown with what it means", async () => {
    using service = await open();
    const shown = await service.oauth.describe(service.requestOf(), "alice");
    expect(shown).toEqual({
      client: "Example",
      verifiedHost: null,
      redirectHost: "client.example",
      user: "alice",
      plan: "pro",
      expiresAt: service.time.now + 90 * DAY_MS,
      rights: [],
      replaces: null,
      refused: null,
    });
    await service.connect();
    const again = await service.oauth.describe(service.requestOf(), "alice");
    expect(again.replaces).toMatchObject({ label: "Example", createdAt: service.time.now });
  });

  test("names the host of a metadata document, and a program on the user's computer", async () => {
    using service = await open();
    const verified = await service.oauth.describe(
      service.requestOf({ client_id: DOCUMENT }),
      "alice",
    );
    expect(verified).toMatchObject({ client: "Other", verifiedHost: "other.example" });
    const redirect_uri = "http://localhost:50123/callback";
    const local = await service.oauth.describe(service.requestOf({ redirect_uri }), "alice");
    expect(local.redirectHost).toBeNull();
  });

  test("can be refused", async () => {
    using service = await open();
    const { oauth, requestOf, actor } = service;
    expect(await oauth.decide({ query: requestOf(), allow: false }, actor)).toBe(
      `${CALLBACK}?error=access_denied&state=xyz&iss=${encodeURIComponent(ISSUER)}`,
    );
    expect(await oauth.decide({ query: requestOf({ state: null }), allow: false }, actor)).toBe(
      `${CALLBACK}?error=access_denied&iss=${encodeURIComponent(ISSUER)}`,
    );
  });

  test("of a metadata document is exchanged by the URL of the document", async () => {
    using service = await open();
    const code = (await service.allow({ client_id: DOCUMENT })).get("code") ?? "";
    const { access_token } = await service.exchange(code, { client_id: DOCUMENT });
    expect(await service.userOf(access_token)).toBe("alice");
  });

  test("gives the rights that the client asks for and the user allows", async () => {
    using service = await open();
    for (const [scope, allowed, given] of [
      ["read lists:write", ["lists:write"], "read lists:write"],
      ["lists:write openid profile", ["lists:write"], "read lists:write"],
      ["read lists:write", [], "read"],
      ["read", ["lists:write"], "read"],
      [null, ["lists:write"], "read"],
      ["read lists:read", ["lists:read"], "read lists:read"],
      ["read lists:read", [], "read"],
      ["read lists:read lists:write", ["lists:read", "lists:write"], "read lists:read lists:write"],
      ["lists:write lists:read", ["lists:read"], "read lists:read"],
      // The user may give the reading of lists without being asked.
      ["read", ["lists:read"], "read lists:read"],
      [null, ["lists:read", "lists:write"], "read lists:read"],
    ] as const) {
      const answer = await service.allow({ scope }, allowed);
      const token = await service.exchange(answer.get("code") ?? "");
      expect(token.scope).toBe(given);
      const [listed] = service.accounts.listTokens("alice").slice(-1);
      expect(["read", ...(listed?.rights ?? [])].join(" ")).toBe(given.replace(" lists:read", ""));
      // Every list, or none.
      expect(listed?.lists).toEqual(given.includes("lists:") ? null : []);
    }
    const shown = await service.oauth.describe(
      service.requestOf({ scope: "read lists:write" }),
      "alice",
    );
    expect(shown.rights).toEqual(["lists:write"]);
  });

  test("is in the audit log, without a secret", async () => {
    using service = await open();
    const code = (await service.allow()).get("code") ?? "";
    const token = (await service.exchange(code)).access_token;
    await service.oauth.revoke(new URLSearchParams({ token }), ADDRESS);
    const entries = service.accounts.listAudit({ limit: 3 });
    expect(entries.map(({ action, actor, address }) => [action, actor, address])).toEqual([
      ["token revoked", "alice", ADDRESS],
      ["token created", "alice", ADDRESS],
      ["client allowed", "alice", "198.51.100.1"],
    ]);
    expect(entries[2]?.subject).toBe("client Example (client.example)");
    expect(JSON.stringify(entries)).not.toContain(token);
    expect(JSON.stringify(entries)).not.toContain(code);
  });
});

describe("an authorization request is refused", () => {
  test.each<[string, Parameters, string]>([
    ["without a client", { client_id: null }, "client_id is missing."],
    ["of an unknown client", { client_id: "unregistered" }, "is not registered here"],
    ["without a redirect URI", { redirect_uri: null }, "redirect_uri is missing."],
    ["with a foreign redirect URI", { redirect_uri: "https://evil.example/" }, "not one that the"],
    ["with a longer redirect URI", { redirect_uri: `${CALLBACK}/x` }, "not one that the client"],
    ["with a script", { redirect_uri: "javascript:alert(1)" }, "not one that the client"],
    ["for a token in the URL", { response_type: "token" }, "response_type must be code."],
    ["without PKCE", { code_challenge: null }, "code_challenge is missing."],
    ["with plain PKCE", { code_challenge_method: "plain" }, "code_challenge_method must be S256."],
    ["without a method", { code_challenge_method: null }, "code_challenge_method is missing."],
    ["with a short challenge", { code_challenge: "abc" }, "must be a SHA-256 in base64url"],
    ["for another resource", { resource: "https://other.example/mcp" }, `must be ${RESOURCE}.`],
    ["that is too long", { state: "x".repeat(8_000) }, "too long"],
  ])("%s", async (_, more, message) => {
    using service = await open();
    const query = service.requestOf(more);
    expect(await oauthRefusalOf(service.oauth.describe(query, "alice"))).toContain(message);
    for (const allow of [true, false]) {
      const decided = service.oauth.decide({ query, allow }, service.actor);
      expect(await oauthRefusalOf(decided)).toContain(message);
    }
  });

  test("with a duplicate parameter", async () => {
    using service = await open();
    for (const name of ["client_id", "redirect_uri", "state", "resource"]) {
      const query = `${service.requestOf()}&${name}=x`;
      expect(await oauthRefusalOf(service.oauth.describe(query, "alice"))).toBe(
        `${name} is given twice.`,
      );
    }
  });

  test("but not without a resource, or with its host in upper case", async () => {
    using service = await open();
    for (const resource of [
      null,
      RESOURCE.replace("data.example", "DATA.example"),
      `${RESOURCE}/`,
    ]) {
      const query = service.requestOf({ resource });
      expect(await oauthRefusalOf(service.oauth.describe(query, "alice"))).toBe("accepted");
    }
  });
});

describe("a code", () => {
  test.each<[string, Parameters, string]>([
    ["another client", { client_id: "mixed-up" }, "invalid_grant"],
    ["a client with a metadata document", { client_id: DOCUMENT }, "invalid_grant"],
    ["no client", { client_id: null }, "invalid_request"],
    ["another redirect URI", { redirect_uri: "http://localhost/callback" }, "invalid_grant"],
    ["no redirect URI", { redirect_uri: null }, "invalid_request"],
    ["another verifier", { code_verifier: `${VERIFIER}x` }, "invalid_grant"],
    ["the challenge as verifier", { code_verifier: CHALLENGE }, "invalid_grant"],
    ["no verifier", { code_verifier: null }, "invalid_request"],
    ["another resource", { resource: "https://other.example/mcp" }, "invalid_target"],
  ])("is not exchanged with %s, and ends with the attempt", async (_, more, refusal) => {
    using service = await open();
    const code = (await service.allow()).get("code") ?? "";
    expect(await refusalOf(() => service.exchange(code, more))).toBe(refusal);
    expect(await refusalOf(() => service.exchange(code))).toBe("invalid_grant");
    expect(service.accounts.listTokens("alice")).toEqual([]);
  });

  test("expires after 60 seconds", async () => {
    using service = await open();
    const early = (await service.allow()).get("code") ?? "";
    service.time.now += 59_999;
    expect((await service.exchange(early)).token_type).toBe("Bearer");
    const late = (await service.allow()).get("code") ?? "";
    service.time.now += 60_000;
    expect(await refusalOf(() => service.exchange(late))).toBe("invalid_grant");
  });

  test("is removed after its time; a used one stays a day, for replays", async () => {
    using service = await open();
    const codesLeft = async (codes: readonly string[]) => {
      await service.allow();
      return codes.map((code) => service.access.run(findCode(hashSecret(code))) !== null);
    };
    const used = (await service.allow()).get("code") ?? "";
    await service.exchange(used);
    const unused = (await service.allow()).get("code") ?? "";
    service.time.now += 59_999;
    expect(await codesLeft([used, unused])).toEqual([true, true]);
    service.time.now += 1;
    expect(await codesLeft([used, unused])).toEqual([true, false]);
    service.time.now += DAY_MS;
    expect(await codesLeft([used])).toEqual([false]);
  });

  test("is not guessed, and needs its grant type", async () => {
    using service = await open();
    expect(await refusalOf(() => service.exchange("guessed"))).toBe("invalid_grant");
    expect(await refusalOf(() => service.exchange("x", { grant_type: "refresh_token" }))).toBe(
      "unsupported_grant_type",
    );
    expect(await refusalOf(() => service.exchange("x", { grant_type: null }))).toBe(
      "invalid_request",
    );
  });

  test("is not stored", async () => {
    using service = await open();
    const code = (await service.allow()).get("code") ?? "";
    const bytes = await Bun.file(`${service.folder}/access.db-wal`).bytes();
    expect(Buffer.from(bytes).includes(code)).toBe(false);
    expect(Buffer.from(bytes).includes(CHALLENGE)).toBe(true);
  });
});

describe("the token of a client", () => {
  test("is replaced when a new code is exchanged, not before", async () => {
    using service = await open();
    const first = await service.connect();
    const code = (await service.allow()).get("code") ?? "";
    expect(await service.userOf(first)).toBe("alice");
    const second = (await service.exchange(code)).access_token;
    expect(await service.userOf(first)).toBe("invalid_token");
    expect(await service.userOf(second)).toBe("alice");
  });

  test("has the calls of the token that it replaces", async () => {
    using service = await open();
    const left = async (token: string) => {
      await Bun.sleep(0);
      return service.guard.quota(service.guard.authenticate(`Bearer ${token}`)).hourly.remaining;
    };
    const first = await service.connect();
    const all = await left(first);
    for (let i = 0; i < 7; i++) service.guard.charge(service.guard.authenticate(`Bearer ${first}`));
    service.guard.settle({ all: true });
    const second = await service.connect();
    expect(await left(second)).toBe(all - 7);
    const id = service.accounts.listTokens("alice").find(({ revokedAt }) => revokedAt === null)?.id;
    service.accounts.revokeToken(id ?? 0);
    expect(await left(service.accounts.createToken("alice", "", null).token)).toBe(all - 7);
  });

  test("is one for each client and user", async () => {
    using service = await open();
    const mine = await service.connect();
    const other = await service.register("Another");
    const code = (await service.allow({ client_id: other })).get("code") ?? "";
    const theirs = (await service.exchange(code, { client_id: other })).access_token;
    expect(await service.userOf(mine)).toBe("alice");
    expect(await service.userOf(theirs)).toBe("alice");
  });

  test("can be replaced at the plan's limit, and needs room otherwise", async () => {
    using service = await open("free");
    const other = await service.register("Another");
    const early = (await service.allow({ client_id: other })).get("code") ?? "";
    await service.connect();
    const again = await service.connect();
    expect(await service.userOf(again)).toBe("alice");

    const sentence =
      "alice holds 1 live token, as many as plan free allows. Revoke one in the console and connect again.";
    const query = service.requestOf({ client_id: other });
    expect((await service.oauth.describe(query, "alice")).refused).toBe(sentence);
    const allowed = service.oauth.decide({ query, allow: true }, service.actor);
    expect(await oauthRefusalOf(allowed)).toBe(sentence);
    expect(await oauthRefusalOf(service.exchange(early, { client_id: other }))).toBe(sentence);
    expect(await service.userOf(again)).toBe("alice");
  });

  test("is revoked by the client", async () => {
    using service = await open();
    const token = await service.connect();
    const revoke = (form: Record<string, string>) =>
      refusalOf(() => service.oauth.revoke(new URLSearchParams(form), ADDRESS));
    expect(await revoke({})).toBe("invalid_request");
    expect(await revoke({ token, client_id: "mixed-up" })).toBe("invalid_request");
    expect(await service.userOf(token)).toBe("alice");
    expect(
      await revoke({ token, client_id: service.client, token_type_hint: "access_token" }),
    ).toBeUndefined();
    expect(await service.userOf(token)).toBe("invalid_token");
    // RFC 7009, section 2.2: a token that is not live is no error.
    expect(await revoke({ token })).toBeUndefined();
    expect(await revoke({ token: "nothing" })).toBeUndefined();
  });

  test("that the user made is not revoked by a client", async () => {
    using service = await open();
    const { token } = service.accounts.createToken("alice", "laptop", null);
    await service.oauth.revoke(new URLSearchParams({ token }), ADDRESS);
    expect(await service.userOf(token)).toBe("alice");
  });
});

describe("registered clients", () => {
  test("are kept after their token has ended", async () => {
    using service = await open();
    const token = await service.connect();
    await service.oauth.revoke(new URLSearchParams({ token }), ADDRESS);
    for (let count = 0; count < 600; count++) {
      service.time.now += 1;
      await service.register(`Client ${count}`);
    }
    expect(service.access.run(findClient(service.client))).not.toBeNull();
  });

  test("whose tokens have ended make room when no other place is left, and live ones keep theirs", async () => {
    using service = await open("unlimited");
    const { access, accounts, hooks } = service;
    const ids = Array.from({ length: 500 }, (_, i) => `client-${String(i).padStart(3, "0")}`);
    access.transaction(function* () {
      for (const id of ids.slice(1)) {
        yield* addClient({ id, name: id, redirectUris: [CALLBACK], createdAt: 0 }, 500);
      }
    });
    // Every client has a token: of 25 users, 20 each.
    const tokens = [service.client, ...ids.slice(1)].map((clientId, i) => {
      const user = `user-${i % 25}`;
      if (i < 25) accounts.addUser(user, "unlimited");
      return service.grant(user, clientId);
    });
    expect(access.run(countUsedClients(service.time.now))).toBe(500);
    expect(await oauthRefusalOf(service.register("One too many"))).toContain("too many registered");
    expect(hooks.warnings).toEqual([
      expect.stringContaining("every place has a client with a live token"),
    ]);
    accounts.revokeToken(tokens[7] ?? 0);
    const added = await service.register("New");
    expect(access.run(findClient(ids[7] ?? ""))).toBeNull();
    expect(access.run(findClient(added))).not.toBeNull();
    expect(access.run(findClient(ids[8] ?? ""))).not.toBeNull();
  });

  test("are at most 20 with a live token of one user", async () => {
    using service = await open("unlimited");
    const tokens = Array.from({ length: 20 }, (_, i) => service.grant("alice", `client-${i}`));
    const refusalOf = async () =>
      (await service.oauth.describe(service.requestOf(), "alice")).refused;
    expect(await refusalOf()).toContain("alice has connected 20 clients");
    service.accounts.revokeToken(tokens[3] ?? 0);
    expect(await refusalOf()).toBeNull();
  });
});
