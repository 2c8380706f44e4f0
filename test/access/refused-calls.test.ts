import { expect, test } from "bun:test";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { RefusedCalls } from "#access/refused-calls.ts";
import { BourseError, invalidArgument, unavailable } from "#domain/errors.ts";
import { openAccess } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { atOnce } from "../support/at-once.ts";

const NOW = Date.parse("2026-11-20T17:30:00Z");

function open() {
  const folder = openFolder();
  const access = openAccess(folder.path);
  const clock = () => NOW;
  const accounts = atOnce(new Accounts({ access, clock, actor: COMMAND_LINE }));
  accounts.addUser("anna", "max");
  const { id: tokenId } = accounts.createToken("anna", "laptop", null);
  const log = new RefusedCalls({ access, clock });
  const note = (error: BourseError) =>
    log.note({ tokenId, via: "rest", operation: "get_markets", error });
  return {
    access,
    clock,
    tokenId,
    log,
    note,
    [Symbol.dispose]() {
      access.close();
      folder[Symbol.dispose]();
    },
  };
}

test("a refused call has its reason after a restart, and equal ones are counted", async () => {
  using home = open();
  const { access, clock, tokenId, log, note } = home;
  for (let i = 0; i < 3; i++) note(invalidArgument("country must be US.", { param: "country" }));
  await log.store();
  note(invalidArgument("country must be US.", { param: "country" }));
  await log.store();
  const after = new RefusedCalls({ access, clock });
  expect(await after.list("anna", null)).toEqual({
    days: [{ date: "2026-11-20", calls: 4 }],
    date: "2026-11-20",
    refusals: [
      {
        tokenId,
        at: NOW,
        calls: 4,
        via: "rest",
        operation: "get_markets",
        code: "invalid_argument",
        param: "country",
        message: "country must be US.",
      },
    ],
  });
  expect(await after.list("anna", "2026-11-19")).toMatchObject({
    date: "2026-11-19",
    refusals: [],
  });
});

test.each([
  ['"bourse_abcDEF123456" is unknown', '"…" is unknown'],
  ["see https://user:pw@hooks.example.com/T0/x?y=1 now", "see … now"],
  ["Bearer abc.def is wrong", "… is wrong"],
  ["link=abc&x=1", "…&x=1"],
  ["apikey=abc", "…"],
  ["anna@example.com asks", "… asks"],
  ["the word 9f86d081884c7d659a2feaa0 here", "the word … here"],
  ["sk_live_4eC39HqLyjWDarjtT1zdp7dc", "…"],
  ["d3b07384-d9a0-4c5b-8f2e-1234567890ab", "…"],
  ["AKIAIOSFODNN7EXAMPLE", "…"],
  // Names of ours stay.
  [
    "Call get_stock_price_history with revenue_growth_5y, MCP-Protocol-Version, 2026-01-01 to 2026-02-01.",
    "Call get_stock_price_history with revenue_growth_5y, MCP-Protocol-Version, 2026-01-01 to 2026-02-01.",
  ],
  [`not "${"ab ".repeat(30)}"`, `not "${"ab ".repeat(30).slice(0, 40)}…"`],
  ["a\nb\u0000c", "a b c"],
  ["x ".repeat(400), `${"x ".repeat(400).slice(0, 239)}…`],
  [
    "Rate limit exceeded (daily): retry after 77 s. Plan free",
    "Rate limit exceeded (daily). Plan free",
  ],
])("the reason %j is kept as %j", async (message, kept) => {
  using home = open();
  home.note(new BourseError("rate_limited", message, { param: message }));
  const [found] = (await home.log.list("anna", null)).refusals;
  expect(found?.message).toBe(kept);
  expect(found?.param.length).toBeLessThanOrEqual(40);
  expect(found?.param.slice(0, -1)).toBe(kept.slice(0, (found?.param.length ?? 0) - 1));
});

test("calls wait while the store cannot be written, at most a thousand reasons", async () => {
  using home = open();
  const { access, clock, tokenId } = home;
  let isDown = true;
  const store = {
    ...access,
    transaction: ((work) => {
      if (isDown) throw unavailable("The database does not answer.");
      return access.transaction(work);
    }) as typeof access.transaction,
  };
  const log = new RefusedCalls({ access: store, clock });
  const note = (message: string) =>
    log.note({ tokenId, via: "mcp", operation: "", error: invalidArgument(message) });
  for (let i = 0; i < 1_100; i++) note(`reason ${i % 1_050}`);
  await log.store();
  expect((await log.list("anna", null)).refusals).toEqual([]);
  isDown = false;
  await Promise.all([log.store(), log.store()]);
  const { days } = await log.list("anna", null);
  // Reasons 0 to 999, and 0 to 49 again: the table keeps 200 of them.
  expect(days[0]?.calls).toBeGreaterThanOrEqual(200);
  expect((await log.list("anna", null)).refusals).toHaveLength(200);
});
