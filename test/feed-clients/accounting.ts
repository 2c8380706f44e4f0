import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { endChildren, outputOf } from "../support/child-process.ts";
import { startService, temporaryFolder } from "../support/service.ts";

// Not part of the suite: it needs the Debian packages hledger, ledger and beancount.

const { folder, remove } = temporaryFolder();
const service = await startService();
const { user } = service.createToken();
const { token: link } = service.accounts.createToken(user, "ledger", null, "feed");
const base = `${service.origin}/feed/${link}/prices`;

afterAll(async () => {
  await endChildren();
  await service.stop();
  remove();
});

const SYMBOLS = "US:AAPL,JP:7203,VN:FPT";

/** Saves a price file with the transactions of a journal before it, and returns its path. */
async function journal(format: "ledger" | "beancount", transactions: string): Promise<string> {
  const response = await fetch(`${base}/prices.${format}?symbols=${SYMBOLS}&range=1m`);
  expect(response.status).toBe(200);
  const path = join(folder, `journal.${format}`);
  await Bun.write(path, `${transactions}\n${await response.text()}`);
  return path;
}

/** The newest close that the operation gives. */
async function closeOf(country: "US" | "JP" | "VN", symbol: string): Promise<number> {
  const { bars } = service.market;
  const instrument = service.market.instruments.find({ country, symbol });
  if (!instrument) throw new Error(`no ${symbol}`);
  return bars.closes(instrument.id, 1).close[0] ?? Number.NaN;
}

const HOLDINGS = `2026-01-05 shares
  assets:us   10 AAPL
  assets:jp   100 "7203"
  assets:vn   1000 FPT
  equity:all
`;

describe("price files of three countries", () => {
  test.skipIf(!Bun.which("hledger"))("hledger values shares by them", async () => {
    const path = await journal("ledger", HOLDINGS);
    const value = await outputOf([
      "hledger",
      "-f",
      path,
      "bal",
      "assets:jp",
      "--value=2026-11-30",
      "-N",
    ]);
    expect(Number(/([\d.]+) JPY/.exec(value)?.[1])).toBeCloseTo(
      100 * (await closeOf("JP", "7203")),
    );
  });

  test.skipIf(!Bun.which("ledger"))("ledger values shares by them", async () => {
    const path = await journal("ledger", HOLDINGS);
    const command = ["ledger", "-f", path, "bal", "assets:vn", "-V", "--now", "2026-11-30"];
    const value = await outputOf(command);
    expect(Number(/VND\s*([\d.]+)/.exec(value)?.[1])).toBeCloseTo(
      1000 * (await closeOf("VN", "FPT")),
    );
  });

  test.skipIf(!Bun.which("bean-check"))("beancount reads them without a fault", async () => {
    const path = await journal(
      "beancount",
      `2026-01-01 open Assets:Broker\n2026-01-01 open Equity:All\n
2026-01-05 * "shares"
  Assets:Broker  10 US.AAPL
  Equity:All\n`,
    );
    expect(await outputOf(["bean-check", path])).toBe("");
  });
});
