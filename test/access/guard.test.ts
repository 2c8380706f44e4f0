import { describe, expect, test } from "bun:test";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import type { Guard } from "#access/guard.ts";
import { createIpGate } from "#access/ip-gate.ts";
import { createTokenSecret } from "#access/token-secret.ts";
import { openAccess } from "#store/index.ts";
import { addToken } from "#store/tokens.ts";
import { openTestAccess } from "../support/access.ts";
import { atOnce, openGuard } from "../support/at-once.ts";
import { expectError } from "../support/error.ts";
import { START } from "../support/service.ts";

describe("a request without a bearer token", () => {
  test.each([
    null,
    "",
    " ",
    "Bearer",
    "bearer ",
    "Bearer   ",
    "Basic dXNlcjpwYXNz",
    "Token abc",
    "BearerX",
    createTokenSecret(),
  ])("%j is missing_auth", async (header) => {
    using home = openTestAccess();
    const error = await expectError(() => home.guard.authenticate(header), "missing_auth");
    expect(error.message).toContain("bearer token");
  });
});

describe("a bearer token that is not live", () => {
  test.each([
    ["text", "abc"],
    ["an unknown token", createTokenSecret()],
    ["a mistyped token", createTokenSecret().replace(/.$/, "_")],
    ["binary", "\u0000\u00ff\u0001"],
    ["two words", "abc def"],
    ["another's prefix", "ghp_0123456789abcdef"],
    ["1 MiB", "x".repeat(2 ** 20)],
    ["SQL", "' OR 1=1 --"],
  ])("%s is invalid_token", async (_, token) => {
    using home = openTestAccess();
    home.createToken("max");
    await expectError(() => home.guard.authenticate(`Bearer ${token}`), "invalid_token");
  });

  test.each([
    ["another token", new Bun.CryptoHasher("sha256").update("another token").digest()],
    ["a restored file, with another length", new Uint8Array(5)],
  ])(
    "a token with the shown prefix of a live token is invalid: the hash of %s",
    async (_, hash) => {
      using home = openTestAccess();
      const stranger = createTokenSecret();
      home.accounts.addUser("anna", "free");
      home.access.run(
        addToken(
          {
            userId: 1,
            prefix: stranger.slice(0, 15),
            hash,
            label: "",
            rights: "",
            lists: null,
            asOf: null,
            createdAt: START,
            expiresAt: null,
          },
          1,
        ),
      );
      await expectError(() => home.guard.authenticate(`Bearer ${stranger}`), "invalid_token");
    },
  );

  test("the message distinguishes a typo from an unknown token and never holds the token", async () => {
    using home = openTestAccess();
    const unknown = createTokenSecret();
    const typo = `${unknown.slice(0, -1)}${unknown.endsWith("0") ? "1" : "0"}`;
    const messages = await Promise.all(
      [unknown, typo].map(async (token) => {
        const error = await expectError(
          () => home.guard.authenticate(`Bearer ${token}`),
          "invalid_token",
        );
        expect(JSON.stringify(error.details) + error.message).not.toContain(token.slice(0, 15));
        return error.message;
      }),
    );
    expect(messages[0]).toContain("unknown");
    expect(messages[1]).toContain("mistyped");
  });

  test("a token ends at the millisecond at which it expires", async () => {
    using home = openTestAccess();
    const { token } = home.createToken("free", 60_000);
    home.time.now = START + 59_999;
    home.guard.authenticate(`Bearer ${token}`);
    home.time.now = START + 60_000;
    await expectError(() => home.guard.authenticate(`Bearer ${token}`), "invalid_token");
  });
});

describe("a live token", () => {
  test("names its user and plan, with the scheme in any case", () => {
    using home = openTestAccess();
    const { user, token, id } = home.createToken("pro");
    for (const header of [
      `Bearer ${token}`,
      `bearer ${token}`,
      `BEARER   ${token}`,
      ` Bearer ${token} `,
    ]) {
      expect(home.guard.authenticate(header)).toEqual({
        tokenId: id,
        user,
        plan: "pro",
        rights: [],
        lists: null,
        asOf: null,
      });
    }
  });

  test("the tokens of a user are distinct", () => {
    using home = openTestAccess();
    const { user, token, id } = home.createToken("pro");
    const second = home.accounts.createToken(user, "", null);
    expect(home.guard.authenticate(`Bearer ${token}`).tokenId).toBe(id);
    expect(home.guard.authenticate(`Bearer ${second.token}`).tokenId).toBe(second.id);
  });
});

// A second connection acts as a second process here; cli/other-process.test.ts has real ones.
describe("a change by another connection applies from the next call on", () => {
  test("a revocation, of that token only", async () => {
    using home = openTestAccess();
    const { user, token, id } = home.createToken("pro");
    const other = home.accounts.createToken(user, "", null);
    home.guard.authenticate(`Bearer ${token}`);
    await elsewhere(home.folder, (accounts) => accounts.revokeToken(id));
    await expectError(() => home.guard.authenticate(`Bearer ${token}`), "invalid_token");
    expect(home.guard.authenticate(`Bearer ${other.token}`).tokenId).toBe(other.id);
  });

  test("a plan change, up and down", async () => {
    using home = openTestAccess();
    const { user, token } = home.createToken("free");
    const limitNow = () =>
      home.guard.charge(home.guard.authenticate(`Bearer ${token}`)).quota.daily.limit;
    expect(limitNow()).toBe(100);
    await elsewhere(home.folder, (accounts) => accounts.setPlan(user, "max"));
    expect(limitNow()).toBe(50_000);
    await elsewhere(home.folder, (accounts) => accounts.setPlan(user, "free"));
    expect(limitNow()).toBe(100);
  });

  test("a user's removal", async () => {
    using home = openTestAccess();
    const { user, token } = home.createToken("max");
    await elsewhere(home.folder, (accounts) => accounts.removeUser(user));
    await expectError(() => home.guard.authenticate(`Bearer ${token}`), "invalid_token");
  });

  test("a new token", async () => {
    using home = openTestAccess();
    const { user } = home.createToken("pro");
    const { token } = await elsewhere(home.folder, (accounts) =>
      accounts.createToken(user, "", null),
    );
    expect(home.guard.authenticate(`Bearer ${token}`).user).toBe(user);
  });
});

test("a token that ends between two look-ups is refused, uncounted", async () => {
  for (const end of ["revokeToken", "removeUser"] as const) {
    using home = openTestAccess();
    const { user, token, id } = home.createToken("max");
    const principal = home.guard.authenticate(`Bearer ${token}`);
    if (end === "revokeToken") home.accounts.revokeToken(id);
    else home.accounts.removeUser(user);
    await expectError(() => home.guard.charge(principal), "invalid_token");
    expect(home.access.usage.get(id, START).dayUsed).toBe(0);
  }
});

/**
 * Works through another connection to the same file. A client that knows of the change sends its next
 * call in a later turn of the event loop.
 */
async function elsewhere<T>(folder: string, work: (accounts: Accounts) => T): Promise<T> {
  const access = openAccess(folder);
  try {
    return work(atOnce(new Accounts({ access, clock: () => START, actor: COMMAND_LINE })));
  } finally {
    access.close();
    await new Promise<void>((resolve) => void setImmediate(resolve));
  }
}

describe("a call whose room other processes have just taken", () => {
  /** A guard whose token has room in the counters but is never granted a call. */
  function openRacing() {
    const home = openTestAccess();
    const { token, id } = home.createToken("pro");
    const usage = { ...home.access.usage, charge: () => null };
    const guard = openGuard({ access: { ...home.access, usage }, clock: () => home.time.now });
    const principal = guard.authenticate(`Bearer ${token}`);
    return { ...home, id, charge: () => guard.charge(principal) };
  }

  test("is rate limited for a second; the token counts as live", () => {
    using home = openRacing();
    const { denied, quota } = home.charge();
    expect(denied).toMatchObject({ code: "rate_limited", details: { retryAfterSeconds: 1 } });
    expect(quota.hourly.remaining).toBe(500);
  });

  test("is invalid_token once the token is revoked", async () => {
    using home = openRacing();
    home.accounts.revokeToken(home.id);
    await expectError(home.charge, "invalid_token");
  });
});

test("with SQLite, no step of a call is a promise, because a promise costs a turn of the event loop", () => {
  using home = openTestAccess();
  const { token } = home.createToken("free");
  const guard: Guard = home.guard;
  const principal = home.guard.authenticate(`Bearer ${token}`);
  const results: unknown[] = [guard.quota(principal), guard.settle({ all: true })];
  // Beyond the 30 calls of an hour, too.
  for (let i = 0; i < 31; i++) {
    results.push(guard.authenticate(`Bearer ${token}`), guard.charge(principal));
  }
  results.push(createIpGate(1, () => home.time.now).check("192.0.2.1"));
  expect(home.guard.charge(principal).denied).not.toBeNull();
  expect(results.filter((result) => result instanceof Promise)).toEqual([]);
});
