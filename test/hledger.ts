import { expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { addDays } from "#lib/date.ts";
import { resultOf, spawnChild } from "./support/child-process.ts";
import { startForPrograms } from "./support/program-service.ts";

// Not part of the suite (no .test in its name): it needs the program `hledger`, which computes returns from a journal.

const HOLDINGS = {
  "US:AAPL": 10,
  "US:MSFT": 5,
  "US:NVDA": 20,
  "US:JPM": 8,
  "JP:7203": 300,
  "JP:6758": 100,
  "JP:9432": 1_000,
  "VN:FPT": 500,
  "VN:VNM": 1_000,
  "VN:HPG": 2_000,
};
// A year, because hledger gives annual rates.
const FROM = "2025-10-15";
const TO = "2026-10-15";

const { service, folder } = await startForPrograms();
const { token } = service.createToken();

interface History {
  dates: string[];
  closes: number[];
  currency: string;
  dividends?: { rows: [string, number][] };
}

async function answer<T>(tool: string, args: object): Promise<T> {
  const { result } = await service.callTool(token, tool, args);
  return result?.structuredContent?.["data"] as T;
}

const history = (key: string, more: object = {}) => {
  const [country, symbol] = key.split(":");
  return answer<History>("get_stock_price_history", {
    country,
    symbol,
    from: FROM,
    to: TO,
    ...more,
  });
};

/** The prices of both days, as directives of a journal. */
function pricesOf(commodity: string, { dates, closes, currency }: History): string[] {
  return [FROM, TO].map((day) => {
    const close = closes[dates.indexOf(day)];
    if (close === undefined) throw new Error(`${commodity} has no session on ${day}`);
    return `P ${day} ${commodity} ${close} ${currency}`;
  });
}

/** The time-weighted return of a journal in percent, by `hledger roi`. */
async function timeWeightedReturn(lines: readonly string[]): Promise<number> {
  const journal = join(folder, "portfolio.journal");
  writeFileSync(journal, `${lines.join("\n")}\n`);
  const child = spawnChild(
    // prettier-ignore
    ["hledger", "-f", journal, "roi", "--investment", "assets", "--profit-loss", "income", "-b", addDays(FROM, 1), "-e", addDays(TO, 1), "--value", "then,USD"],
    { stdout: "pipe", stderr: "pipe" },
  );
  const { code, stdout, stderr } = await resultOf(child);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  const [, percent] = /([-\d.]+)% \|\s*\n/.exec(stdout) ?? [];
  return Number(percent);
}

test("hledger roi has the returns of ten holdings in three countries", async () => {
  const yen = await history("JP:JPY=X");
  const dong = await history("VN:VND=X");
  // One dollar in yen: hledger also reads a price backwards.
  const lines = [...pricesOf("USD", yen), ...pricesOf("USD", dong)];
  const bought: string[] = [];
  const reinvested: string[] = [];
  for (const [key, shares] of Object.entries(HOLDINGS)) {
    const found = await history(key, { dividends: true });
    const commodity = `"${key}"`;
    lines.push(...pricesOf(commodity, found));
    bought.push(`${FROM} buy`, ` assets  ${shares} ${commodity}`, " equity");
    let held = shares;
    for (const [exDate, amount] of found.dividends?.rows ?? []) {
      const before = found.closes[found.dates.findLastIndex((day) => day < exDate)];
      if (before === undefined) continue;
      // The dividend buys shares at the close before the ex-date less the dividend.
      const more = (held * amount) / (before - amount);
      reinvested.push(`${exDate} dividend`, ` assets  ${more.toFixed(9)} ${commodity}`, " income");
      held += more;
    }
  }
  expect(reinvested.length).toBeGreaterThan(10);
  const holdings = Object.entries(HOLDINGS).map(([key, shares]) => `${key}=${shares}`);
  const { performance } = await answer<{ performance: Record<string, unknown> }>(
    "analyze_portfolio",
    { holdings, from: FROM, to: TO, currency: "USD" },
  );
  expect(performance).toMatchObject({
    from_session: FROM,
    to_session: TO,
    return: await timeWeightedReturn([...lines, ...bought]),
    total_return: await timeWeightedReturn([...lines, ...bought, ...reinvested]),
  });
});
