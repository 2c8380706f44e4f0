import { describe, expect, test } from "bun:test";
import { signCall } from "#access/call-link.ts";
import { ClusterPrincipals } from "#access/cluster-principals.ts";
import { DatabaseClock } from "#access/database-clock.ts";
import type { Principal } from "#access/principals.ts";
import { createTokenSecret, fingerprintToken } from "#access/token-secret.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import type { TokenCandidate } from "#store/tokens.ts";
import { expectError } from "../support/error.ts";
import { FakeLink, FakeTime } from "../support/fake-cluster.ts";
import { START } from "../support/service.ts";

/** The key of links of the played cluster. */
const SECRET = new Uint8Array(32).fill(7);

/** The rows of the token table that a test changes, and a node whose clock is wrong by a minute. */
function openNode() {
  const time = new FakeTime(START);
  const link = new FakeLink(time);
  const clock = new DatabaseClock(() => time.now + 60_000);
  clock.observe(time.now + 60_000, time.now);
  const rows = new Map<string, TokenCandidate & { readonly prefix: string }>();
  /** The database's version of the rows, and what the last poll of the node read. */
  let version = 1;
  let read = { version, at: clock.local() };
  const lookedUp: number[] = [];
  const access = {
    listCandidates: (prefixes: readonly string[]) => {
      lookedUp.push(prefixes.length);
      return link.send(
        () => prefixes.map((one) => [...rows.values()].filter(({ prefix }) => prefix === one)),
        () => {},
      );
    },
    linkSecret: async () => SECRET,
    version: () => read.version,
    get verifiedAt() {
      return read.at;
    },
  };
  const principals = new ClusterPrincipals({ access, clock });
  const header = (token: string): string => `Bearer ${token}`;
  const put = (token: string, fields?: Partial<TokenCandidate>): void => {
    const fingerprint = fingerprintToken(token);
    if (!fingerprint) throw new Error("not a token");
    const id = rows.get(token)?.id ?? rows.size + 1;
    const live = {
      user: "anna",
      plan: "pro",
      rights: "",
      lists: null,
      asOf: null,
      expiresAt: null,
      revokedAt: null,
    };
    rows.set(token, { id, ...fingerprint, ...live, ...fields });
    version++;
  };
  return {
    time,
    link,
    principals,
    lookedUp,
    header,
    put,
    /** Adds a token. */
    add: (fields?: Partial<TokenCandidate>): string => {
      const token = createTokenSecret();
      put(token, fields);
      return token;
    },
    poll: () => void (read = { version, at: clock.local() }),
    authenticate: async (token: string): Promise<Principal> => {
      const found = Promise.resolve(principals.authenticate(header(token)));
      found.catch(() => {});
      await time.pass(0);
      return found;
    },
  };
}

/** True if a result is known without a statement. */
const isKnown = (result: Awaitable<Principal>): boolean => {
  if (result instanceof Promise) result.catch(() => {});
  return !(result instanceof Promise);
};

describe("an identity of a cluster", () => {
  test("is found in the database once, then known for a second after the last poll", async () => {
    const { time, principals, header, add, poll, authenticate, lookedUp } = openNode();
    const token = add();
    poll();
    const anna = {
      tokenId: 1,
      user: "anna",
      plan: "pro",
      rights: [],
      lists: null,
      asOf: null,
    } as const;
    expect(await authenticate(token)).toEqual(anna);
    for (let half = 0; half < 20; half++) {
      await time.pass(500);
      poll();
      expect(principals.authenticate(header(token))).toEqual(anna);
    }
    await time.pass(999);
    expect(principals.authenticate(header(token))).toEqual(anna);
    expect(lookedUp).toEqual([1]);
    await time.pass(1);
    expect(await authenticate(token)).toEqual(anna);
    expect(lookedUp).toEqual([1, 1]);
  });

  test("is looked up again when the version has changed: a revocation, a plan, and the change back", async () => {
    const { add, put, poll, authenticate } = openNode();
    const [token, other] = [add(), add({ user: "otto" })];
    await Promise.all([authenticate(token), authenticate(other)]);
    put(token, { revokedAt: START });
    poll();
    await expectError(() => authenticate(token), "invalid_token");
    expect((await authenticate(other)).user).toBe("otto");
    put(token, { plan: "max" });
    poll();
    expect((await authenticate(token)).plan).toBe("max");
  });

  test("that was looked up during a change is looked up again", async () => {
    const { time, link, principals, header, add, put, poll, authenticate } = openNode();
    const token = add();
    poll();
    link.next = [{ toServerMs: 10, toNodeMs: 10 }];
    const found = principals.authenticate(header(token));
    await time.pass(15);
    put(token, { plan: "free" });
    poll();
    await time.pass(10);
    expect((await found).plan).toBe("pro");
    expect((await authenticate(token)).plan).toBe("free");
  });

  test("of an unknown token is invalid_token, is known too, and ends with the version", async () => {
    const { principals, header, put, poll, authenticate, lookedUp } = openNode();
    const token = createTokenSecret();
    await expectError(() => authenticate(token), "invalid_token");
    await expectError(() => principals.authenticate(header(token)), "invalid_token");
    expect(lookedUp).toEqual([1]);
    put(token);
    poll();
    expect((await authenticate(token)).tokenId).toBe(1);
  });

  test("expires by the database's clock, also from memory", async () => {
    const { time, principals, header, add, poll, authenticate } = openNode();
    const token = add({ expiresAt: START + 10_000 });
    await time.pass(9_500);
    poll();
    await authenticate(token);
    await time.pass(499);
    expect(isKnown(principals.authenticate(header(token)))).toBe(true);
    await time.pass(1);
    await expectError(() => principals.authenticate(header(token)), "invalid_token");
  });

  test("is kept for 50,000 headers; a flood of random tokens takes the place of older ones", async () => {
    const { time, principals, header, add, authenticate, lookedUp } = openNode();
    const token = add();
    await authenticate(token);
    const flood = Array.from({ length: 1_000 }, () => header(createTokenSecret()));
    const answers = Promise.allSettled(flood.map(async (one) => principals.authenticate(one)));
    const known = principals.authenticate(header(token));
    expect(known).toMatchObject({ user: "anna" });
    await time.pass(0);
    expect((await answers).every(({ status }) => status === "rejected")).toBe(true);
    // Two statements of 500 tokens.
    expect(lookedUp).toEqual([1, 500, 500]);
  });
});

describe("look-ups of one turn", () => {
  test("are one statement, whatever their number of headers and repetitions", async () => {
    const { time, principals, header, add, lookedUp } = openNode();
    const tokens = Array.from({ length: 200 }, (_, i) => add({ user: `user-${i}` }));
    const found = [...tokens, ...tokens].map((token) => principals.authenticate(header(token)));
    await time.pass(0);
    const users = await Promise.all(found.map(async (one) => (await one).user));
    expect(users.slice(0, 200)).toEqual(tokens.map((_, i) => `user-${i}`));
    expect(users.slice(200)).toEqual(users.slice(0, 200));
    expect(lookedUp).toEqual([200]);
  });

  test("compare the whole token, not only the prefix that finds its row", async () => {
    const { put, authenticate } = openNode();
    const token = createTokenSecret();
    put(token, { hash: new Bun.CryptoHasher("sha256").update("another token").digest() });
    await expectError(() => authenticate(token), "invalid_token");
  });
});

describe("a header without a well-formed token", () => {
  test.each([
    ["none", null, "missing_auth"],
    ["of a password", "Basic dXNlcjpwYXNz", "missing_auth"],
    ["of text", "Bearer abc", "invalid_token"],
    ["of a mistyped token", `Bearer ${createTokenSecret().slice(0, -1)}_`, "invalid_token"],
    ["of 1 MiB", `Bearer ${"x".repeat(2 ** 20)}`, "invalid_token"],
  ] as const)("%s is refused without the database, also while it is down", (_, value, code) => {
    const { link, principals } = openNode();
    link.isDown = true;
    let thrown: unknown;
    try {
      void principals.authenticate(value);
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toMatchObject({ code });
    expect(link.sent).toBe(0);
  });
});

describe("while the database cannot be reached", () => {
  test("a known token stays valid for 30 s after it was last verified, then it is unavailable and never invalid", async () => {
    const { time, link, add, poll, authenticate } = openNode();
    const token = add();
    poll();
    await authenticate(token);
    await time.pass(500);
    poll();
    await authenticate(token);
    link.isDown = true;
    // The poll at 500 ms was the last.
    await time.pass(29_999);
    expect((await authenticate(token)).user).toBe("anna");
    await time.pass(1);
    const error = await expectError(() => authenticate(token), "unavailable");
    expect(error.details.retryAfterSeconds).toBeGreaterThan(0);
    link.isDown = false;
    expect((await authenticate(token)).user).toBe("anna");
  });

  test("a known token stays valid although another one was changed just before", async () => {
    const { time, link, add, poll, authenticate } = openNode();
    const token = add();
    poll();
    await authenticate(token);
    add();
    poll();
    link.isDown = true;
    await time.pass(20_000);
    expect((await authenticate(token)).user).toBe("anna");
  });

  test("a token that ended before is unavailable, an unknown one too: never invalid", async () => {
    const { time, link, add, poll, authenticate } = openNode();
    const [revoked, stranger] = [add({ revokedAt: START }), createTokenSecret()];
    poll();
    await expectError(() => authenticate(revoked), "invalid_token");
    await expectError(() => authenticate(stranger), "invalid_token");
    link.isDown = true;
    await time.pass(1_000);
    await expectError(() => authenticate(revoked), "unavailable");
    await expectError(() => authenticate(stranger), "unavailable");
    await expectError(() => authenticate(createTokenSecret()), "unavailable");
  });

  test("a token whose end is known has expired", async () => {
    const { time, link, add, poll, authenticate } = openNode();
    const token = add({ expiresAt: START + 5_000 });
    poll();
    await authenticate(token);
    link.isDown = true;
    await time.pass(5_000);
    await expectError(() => authenticate(token), "invalid_token");
  });

  test("the signer of a link is looked up each time; it is unavailable without the database", async () => {
    const { time, link, principals, add, put, poll } = openNode();
    const token = add();
    poll();
    const fingerprint = fingerprintToken(token);
    if (!fingerprint) throw new Error("not a token");
    const signed = signCall(fingerprint, "get_markets?", START / 1000 + 3600, SECRET);
    const find = async (call: string) => {
      const found = principals.authenticateLink(signed, call);
      found.catch(() => {});
      await time.pass(0);
      return found;
    };
    expect((await find("get_markets?")).user).toBe("anna");
    await expectError(() => find("list_symbols?"), "invalid_token");
    put(token, { revokedAt: START });
    await expectError(() => find("get_markets?"), "invalid_token");
    put(token, { expiresAt: START + 5_000 });
    expect((await find("get_markets?")).user).toBe("anna");
    await time.pass(5_000);
    await expectError(() => find("get_markets?"), "invalid_token");
    link.isDown = true;
    const down = principals.authenticateLink(signed, "get_markets?");
    down.catch(() => {});
    await time.pass(1_000);
    await expectError(() => down, "unavailable");
    // One second before the end, and at the end.
    link.isDown = false;
    put(token, { expiresAt: null });
    await time.pass(3_600_000 - 7_000);
    expect((await find("get_markets?")).user).toBe("anna");
    await time.pass(1_000);
    await expectError(() => find("get_markets?"), "invalid_token");
  });

  test("a statement without an answer delays a known token by a second at most", async () => {
    const { time, link, principals, header, add, authenticate } = openNode();
    const token = add();
    await authenticate(token);
    await time.pass(1_000);
    link.next = [{ toServerMs: 0, toNodeMs: 0, lost: "after" }];
    const found = principals.authenticate(header(token));
    await time.pass(1_000);
    expect((await found).user).toBe("anna");
  });
});
