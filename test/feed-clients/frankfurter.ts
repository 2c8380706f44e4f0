import { describe, expect, test } from "bun:test";
import { openFeedClient } from "../support/feed-client.ts";

// Not part of the suite: it installs the client from the npm registry.

const PROGRAM = `
const { FrankfurterClient } = await import("frankfurter-js");
const [base, link, method, ...args] = process.argv.slice(2);
const client = new FrankfurterClient({ baseUrl: \`\${base}/\${link}/frankfurter\` });
try {
  const data = await client[method](...args.map((one) => (/^[{[]/.test(one) ? JSON.parse(one) : one)));
  console.log(JSON.stringify({ data }));
} catch ({ status, body }) {
  console.log(JSON.stringify({ status, body }));
}
`;
const { isInstalled, link, call, stored, expectRefusals } = await openFeedClient(
  { "frankfurter-js": "0.1.1" },
  PROGRAM,
);

interface Rate {
  readonly date: string;
  readonly base: string;
  readonly quote: string;
  readonly rate: number;
}
interface Answer<T = Rate[]> {
  readonly data?: T;
  readonly status?: number;
  readonly body?: { readonly message: string };
}

describe.skipIf(!isInstalled)("frankfurter-js", () => {
  test("reads the newest rates, those of a day, and a weekend with Friday's", async () => {
    const { dates, closes } = stored("JP", "JPY=X", "2026-11-01");
    const yen = new Map(dates.map((date, i) => [date, closes[i]]));
    const { data: latest = [] } = await call<Answer>(link, "latest", {
      base: "USD",
      quotes: ["JPY", "EUR"],
    });
    expect(latest.map(({ quote }) => quote)).toEqual(["JPY", "EUR"]);
    const day = { base: "USD", quotes: ["JPY"] };
    const { data: historical = [] } = await call<Answer>(link, "historical", "2026-11-18", day);
    expect(historical[0]?.rate).toBeCloseTo(yen.get("2026-11-18") ?? 0, 2);
    const { data: days = [] } = await call<Answer>(link, "range", "2026-11-13", "2026-11-16", day);
    const friday = yen.get("2026-11-13") ?? 0;
    const expected = [friday, friday, friday, yen.get("2026-11-16") ?? 0];
    expect(days.map(({ date }) => date.slice(8))).toEqual(["13", "14", "15", "16"]);
    for (const [i, { rate }] of days.entries()) expect(rate).toBeCloseTo(expected[i] ?? 0, 2);
  });

  test("reads the currencies of the three countries", async () => {
    const { data = [] } = await call<Answer<{ iso_code: string }[]>>(link, "currencies");
    const codes = data.map((one) => one.iso_code);
    for (const code of ["USD", "JPY", "VND"]) expect(codes).toContain(code);
  });

  test("meets an unknown currency, a used-up quota and a revoked link as its own errors", async () => {
    const unknown = await call<Answer>(link, "latest", { base: "USD", quotes: ["QQQ"] });
    expect(unknown).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining("There is no rate of QQQ") },
    });
    const read = (token: string) => call<Answer>(token, "currencies");
    await expectRefusals("frankfurter/v2/currencies", read, {
      usedUp: expect.objectContaining({ status: 429 }),
      revoked: { status: 401, body: { status: 401, message: expect.stringContaining("revoked") } },
    });
  });
});
