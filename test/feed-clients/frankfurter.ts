import { afterAll, describe, expect, test } from "bun:test";
import { endChildren } from "../support/child-process.ts";
import { installTools } from "../support/npm-tools.ts";
import { startService, temporaryFolder } from "../support/service.ts";

// Not part of the suite: it installs the client from the npm registry.

const { folder, remove } = temporaryFolder();
const service = await startService();
const { isInstalled, run, write } = await installTools(folder, { "frankfurter-js": "0.1.1" });

afterAll(async () => {
  await endChildren();
  await service.stop();
  remove();
});

const PROGRAM = `
const { FrankfurterClient } = await import("frankfurter-js");
const [baseUrl, method, ...args] = process.argv.slice(2);
const client = new FrankfurterClient({ baseUrl });
try {
  const data = await client[method](...args.map((one) => JSON.parse(one)));
  console.log(JSON.stringify({ data }));
} catch ({ status, body }) {
  console.log(JSON.stringify({ status, body }));
}
`;
await write("client.mjs", PROGRAM);

/** A new user with that plan and a feed link. */
function createLink(plan: "free" | "max" = "max") {
  const { user } = service.createToken(plan);
  return service.accounts.createToken(user, "frankfurter", null, "feed");
}

interface Rate {
  readonly date: string;
  readonly base: string;
  readonly quote: string;
  readonly rate: number;
}
interface Answer<T> {
  readonly data?: T;
  readonly status?: number;
  readonly body?: { readonly message: string };
}

async function call<T = Rate[]>(link: string, method: string, ...args: unknown[]) {
  const base = `${service.origin}/feed/${link}/frankfurter`;
  const texts = args.map((one) => JSON.stringify(one));
  const { output } = await run(process.execPath, "client.mjs", base, method, ...texts);
  const line = output.split("\n").find((one) => one.startsWith("{"));
  if (line === undefined) throw new Error(output);
  return JSON.parse(line) as Answer<T>;
}

/** The closes of a currency pair by date. */
function closesOf(symbol: string): ReadonlyMap<string, number> {
  const pair = service.market.instruments.find({ country: "JP", symbol });
  if (!pair) throw new Error(`no ${symbol}`);
  const { dates, close } = service.market.bars.series(pair.id, 99, { from: "2026-11-01" });
  return new Map(dates.map((date, i) => [date, close[i] ?? Number.NaN]));
}

describe.skipIf(!isInstalled)("frankfurter-js", () => {
  const { token: link } = createLink();

  test("reads the newest rates, those of a day, and a weekend with Friday's", async () => {
    const yen = closesOf("JPY=X");
    const { data: latest = [] } = await call(link, "latest", {
      base: "USD",
      quotes: ["JPY", "EUR"],
    });
    expect(latest.map(({ quote }) => quote)).toEqual(["JPY", "EUR"]);
    const day = { base: "USD", quotes: ["JPY"] };
    const { data: historical = [] } = await call(link, "historical", "2026-11-18", day);
    expect(historical[0]?.rate).toBeCloseTo(yen.get("2026-11-18") ?? 0, 2);
    const { data: days = [] } = await call(link, "range", "2026-11-13", "2026-11-16", day);
    const friday = yen.get("2026-11-13") ?? 0;
    const expected = [friday, friday, friday, yen.get("2026-11-16") ?? 0];
    expect(days.map(({ date }) => date.slice(8))).toEqual(["13", "14", "15", "16"]);
    for (const [i, { rate }] of days.entries()) expect(rate).toBeCloseTo(expected[i] ?? 0, 2);
  });

  test("reads the currencies of the three countries", async () => {
    const { data = [] } = await call<{ iso_code: string }[]>(link, "currencies");
    const codes = data.map((one) => one.iso_code);
    for (const code of ["USD", "JPY", "VND"]) expect(codes).toContain(code);
  });

  test("meets an unknown currency, a used-up quota and a revoked link as its own errors", async () => {
    const unknown = await call(link, "latest", { base: "USD", quotes: ["QQQ"] });
    expect(unknown).toMatchObject({
      status: 404,
      body: { message: expect.stringContaining("There is no rate of QQQ") },
    });
    const free = createLink("free");
    const url = `${service.origin}/feed/${free.token}/frankfurter/v2/currencies`;
    for (let i = 0; i < 30; i++) await fetch(url);
    expect(await call(free.token, "currencies")).toMatchObject({ status: 429 });
    service.accounts.revokeToken(free.id);
    const revoked = await call(free.token, "currencies");
    expect(revoked).toMatchObject({
      status: 401,
      body: { message: expect.stringContaining("revoked") },
    });
  });
});
