import { describe, expect, test } from "bun:test";
import { parseRights, requireRight, scopeOf } from "#domain/rights.ts";
import { signCall } from "#access/call-link.ts";
import { fingerprintToken } from "#access/token-secret.ts";
import { openTestAccess } from "../support/access.ts";
import { expectError } from "../support/error.ts";

describe("the rights of a token", () => {
  test("are those that it was made with; reading needs none", async () => {
    using home = openTestAccess();
    const { user, token } = home.createToken("pro");
    const writing = home.accounts.createToken(user, "agent", null, "api", ["lists:write"]);
    const rightsOf = (secret: string) => home.guard.authenticate(`Bearer ${secret}`).rights;
    expect(rightsOf(token)).toEqual([]);
    expect(rightsOf(writing.token)).toEqual(["lists:write"]);
    expect(home.accounts.listTokens(user).map(({ rights }) => rights)).toEqual([
      [],
      ["lists:write"],
    ]);
    const [entry] = home.accounts.listAudit({ limit: 1 });
    expect(entry?.subject).toEndWith("(agent), with lists:write");
    requireRight(rightsOf(writing.token), "lists:write");
    const { details } = await expectError(
      () => requireRight(rightsOf(token), "lists:write"),
      "forbidden",
    );
    expect(details.hint).toContain("--write-lists");
  });

  test("a feed link and a link to a call only read", async () => {
    using home = openTestAccess();
    const { user } = home.createToken("pro");
    const make = () => home.accounts.createToken(user, "sheet", null, "feed", ["lists:write"]);
    await expectError(make, "invalid_argument");
    const { token } = home.accounts.createToken(user, "agent", null, "api", ["lists:write"]);
    const fingerprint = fingerprintToken(token);
    if (!fingerprint) throw new Error("not a token");
    const link = signCall(
      fingerprint,
      "get_lists?",
      home.time.now / 1000 + 60,
      home.access.linkSecret(),
    );
    expect(home.guard.authenticateLink(link, "get_lists?")).toMatchObject({ user, rights: [] });
  });

  test("of a newer version or twice are left out", () => {
    expect(parseRights("orders:write lists:write lists:write read")).toEqual(["lists:write"]);
    expect(parseRights("")).toEqual([]);
    expect(scopeOf([])).toBe("read");
    expect(scopeOf(["lists:write"])).toBe("read lists:write");
  });
});
