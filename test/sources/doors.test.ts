import { describe, expect, test } from "bun:test";
import { throughDoors } from "#sources/doors.ts";
import { orError } from "#sources/or-error.ts";
import {
  describeRefusal,
  formatCause,
  groupRefusals,
  parseCause,
  type RefusalCause,
} from "#sources/refusal.ts";
import { type SourceClient, SourceError } from "#sources/source.ts";

const DOORS = [
  { host: "keyed.test", needsKey: true },
  { host: "a.test" },
  { host: "b.test" },
] as const;

/** A client with a key or without, at which these hosts refused lately. */
const clientOf = (key: string | null, closed: readonly string[] = []): SourceClient => ({
  key,
  isClosed: (host) => closed.includes(host),
  request: () => Promise.reject(new Error("a door makes its own requests")),
});

const refused = (host: string, cause: RefusalCause) => () =>
  Promise.reject(new SourceError("played", "unreachable", { host, cause }));
const passes = (text: string) => () => Promise.resolve(text);

describe("the doors of a source", () => {
  const ways = { "keyed.test": passes("keyed"), "a.test": passes("a"), "b.test": passes("b") };

  test("are tried in order; a door without its key is none", async () => {
    expect(await throughDoors(clientOf("k"), DOORS, ways)).toBe("keyed");
    expect(await throughDoors(clientOf(null), DOORS, ways)).toBe("a");
  });

  test.each<RefusalCause>([401, 403, 429, 500, "empty", "hangs", "unresolved", "refused"])(
    "let the next one try after a refusal: %s",
    async (cause) => {
      const closed = { ...ways, "a.test": refused("a.test", cause) };
      expect(await throughDoors(clientOf(null), DOORS, closed)).toBe("b");
    },
  );

  test("that refused lately come last, and are still tried", async () => {
    expect(await throughDoors(clientOf(null, ["a.test"]), DOORS, ways)).toBe("b");
    const closed = { ...ways, "b.test": refused("b.test", 403) };
    expect(await throughDoors(clientOf(null, ["a.test"]), DOORS, closed)).toBe("a");
  });

  test("name every refusal if none lets us pass", async () => {
    const closed = { "a.test": refused("a.test", "hangs"), "b.test": refused("b.test", 403) };
    const error = await throughDoors(clientOf(null), DOORS, closed).catch((thrown) => thrown);
    expect(error).toBeInstanceOf(SourceError);
    expect(error.fault).toBe("unreachable");
    expect(error.message).toMatch(/^played: a\.test does not answer: .+; b\.test 403: .+$/);
  });

  test("are not tried while bourse stops, or after an error that is no refusal", async () => {
    const stopping = () => Promise.reject(new SourceError("played", "not_asked", "stops", 0));
    const broken = () => Promise.reject(new TypeError("a fault of bourse"));
    for (const way of [stopping, broken]) {
      const error = await throughDoors(clientOf(null), DOORS, { ...ways, "a.test": way }).catch(
        (thrown) => thrown,
      );
      expect(error.message).toMatch(/stops|a fault of bourse/);
    }
  });
});

describe("a part of an answer", () => {
  test("is replaced by its error, unless the other parts fail as well", async () => {
    expect(await orError(passes("a"))).toBe("a");
    expect(await orError(refused("a.test", 403))).toBeInstanceOf(SourceError);
    const blocked = new SourceError("played", "not_asked", "is not called for a while", 60_000);
    expect(await orError(() => Promise.reject(blocked))).toBe(blocked);
    for (const waitMs of [0, null]) {
      const error = new SourceError("played", "not_asked", "stops", waitMs);
      expect(await orError(() => Promise.reject(error)).catch((thrown) => thrown.words)).toBe(
        "stops",
      );
    }
    const fault = orError(() => Promise.reject(new TypeError("a fault of bourse")));
    expect(await fault.catch((thrown) => thrown.message)).toBe("a fault of bourse");
  });
});

describe("the words of a refusal", () => {
  test.each<[string, RefusalCause, RegExp]>([
    [
      "fc.yahoo.com",
      "unresolved",
      /^fc\.yahoo\.com does not resolve: an ad blocker may block it; allow it, or /,
    ],
    // Blockers also answer with 0.0.0.0, where nothing listens.
    ["fc.yahoo.com", "refused", /: an ad blocker may block it; /],
    [
      "www.sec.gov",
      403,
      /^www\.sec\.gov 403: it wants a contact with an email address; set BOURSE_CONTACT /,
    ],
    ["data.sec.gov", 403, /^data\.sec\.gov 403: it wants a contact with an email address; /],
    [
      "fred.stlouisfed.org",
      "hangs",
      /^fred\.stlouisfed\.org does not answer: it often ignores cloud addresses; set FRED_API_KEY \(free\)$/,
    ],
    ["api.nasdaq.com", "empty", /^api\.nasdaq\.com answers nothing to this network: /],
    ["query1.finance.yahoo.com", 429, / 429: .*; wait, or set BOURSE_USER_AGENT /],
    ["raw.githubusercontent.com", 429, / 429: others share this address/],
    // No subdomain, although it ends with the same letters.
    ["notsec.gov", 403, /^notsec\.gov 403: it refuses this program or this network; /],
    ["a.test", 418, /^a\.test 418: it refuses this request; /],
    [
      "a.test",
      407,
      /^a\.test 407: a proxy wants a name and a password; write them in HTTPS_PROXY$/,
    ],
    ["a.test", 511, /^a\.test 511: this network wants a sign-in; sign in to the network$/],
    ["a.test", "no_http", /^a\.test does not speak HTTP: another program answers /],
    ["a.test", 503, /^a\.test 503: it has a fault; wait; /],
  ])("of %s with %s are in one table", (host, cause, words) => {
    expect(describeRefusal({ host, cause })).toMatch(words);
    expect(parseCause(formatCause(cause))).toBe(cause);
  });

  test("of hosts with the same reason are one text, with the hosts counted", () => {
    const refused = [
      ["query1.finance.yahoo.com", 403],
      ["www.sec.gov", 403],
      ["fc.yahoo.com", 403],
      // Another cause.
      ["query1.finance.yahoo.com", "hangs"],
      ["finance.yahoo.com", 403],
      // It failed before.
      ["fc.yahoo.com", 403],
    ] as const;
    const groups = groupRefusals(refused.map(([host, cause]) => ({ host, cause })));
    expect(groups.map(({ own }) => own.length)).toEqual([4, 1, 1]);
    expect(groups.map(({ words }) => words)).toEqual([
      expect.stringMatching(/^query1\.\S+ 403: it refuses .*\(2 more hosts do the same\)$/),
      expect.stringMatching(/^www\.sec\.gov 403: it wants .*minutes$/),
      expect.stringMatching(/^query1\.\S+ does not answer: it refuses .*accepts$/),
    ]);
  });

  test("are not read from other words", () => {
    for (const text of ["", "4030", "toString", "http://a.test"])
      expect(parseCause(text)).toBeNull();
  });
});
