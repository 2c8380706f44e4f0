import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { resultOf, spawnChild } from "../support/child-process.ts";
import { startForPrograms } from "../support/program-service.ts";

// Not part of the suite: it needs the public UDF client of TradingView's charting library, `datafeeds/udf/dist/bundle.js`,
// which is in no package. BOURSE_TEST_UDF_CLIENT is its path.

const BUNDLE = process.env["BOURSE_TEST_UDF_CLIENT"];
if (BUNDLE === undefined) {
  process.stderr.write("SKIPPED: UDF needs the bundle of its client in BOURSE_TEST_UDF_CLIENT.\n");
}
const { service, folder } = await startForPrograms();
const program = join(folder, "datafeed.cjs");

/** Calls the datafeed as the chart does, in order, and prints what each callback gets. */
const PROGRAM = `
console.warn = () => {};
// The client does not catch the error of a configuration that is none.
process.on("unhandledRejection", (error) => {
  console.log(JSON.stringify({ failed: String(error) }));
  process.exit(0);
});
const { UDFCompatibleDatafeed } = require(process.argv[2]);
const [base, symbol, from, to] = process.argv.slice(3);
const feed = new UDFCompatibleDatafeed(base, 1e9);
const period = { from: Number(from), to: Number(to), countBack: 2, firstDataRequest: true };
const wait = (call) => new Promise((resolve) => call(resolve, (error) => resolve({ error: String(error) })));
(async () => {
  const config = await wait((done) => feed.onReady(done));
  const info = await wait((done, fail) => feed.resolveSymbol(symbol, done, fail));
  const found = await wait((done) => feed.searchSymbols("toyota", "JP", "", done));
  const out = { config, info, found };
  if (!info.error) {
    // Older clients have the period as arguments.
    const isOld = feed.getBars.length > 5;
    const read = (done, fail) => isOld
      ? feed.getBars(info, "1D", period.from, period.to, (bars, meta) => done({ bars, meta }), fail)
      : feed.getBars(info, "1D", period, (bars, meta) => done({ bars, meta }), fail);
    out.history = await wait(read);
    out.marks = await wait((done) => feed.getMarks(info, period.from, period.to, done, "1D"));
    out.events = await wait((done) => feed.getTimescaleMarks(info, 0, period.to, done, "1D"));
    out.quotes = await wait((done, fail) => feed.getQuotes([symbol, "NONE1"], done, fail));
    out.time = await wait((done) => feed.getServerTime(done));
  }
  console.log(JSON.stringify(out));
  process.exit(0);
})();
`;
await Bun.write(program, PROGRAM);

interface Seen {
  /** Why the client does not start. */
  readonly failed?: string;
  readonly config: { readonly supported_resolutions: string[] };
  readonly info: { readonly error?: string; readonly ticker?: string };
  readonly found: { readonly ticker: string }[];
  readonly history: { readonly bars: { time: number; close: number }[]; readonly error?: string };
  readonly marks: { readonly label: string }[];
  readonly events: { readonly label: string }[];
  readonly quotes: { readonly s: string }[];
  readonly time: number;
}

const second = (date: string) => Date.parse(date) / 1000;

async function chart(link: string, symbol: string): Promise<Seen> {
  const base = `${service.origin}/feed/${link}/udf`;
  const period = [second("2026-10-01"), second("2026-11-19")].map(String);
  const command = [process.execPath, program, String(BUNDLE), base, symbol, ...period];
  const { stdout, stderr } = await resultOf(
    spawnChild(command, { stdout: "pipe", stderr: "pipe" }),
  );
  const line = stdout.split("\n").find((one) => one.startsWith("{"));
  if (line === undefined) throw new Error(stdout + stderr);
  return JSON.parse(line) as Seen;
}

describe.skipIf(BUNDLE === undefined)("the UDF client of TradingView's charting library", () => {
  const { link } = service.createFeedLink();

  test.each([
    ["AAPL", "US", "AAPL"],
    ["JP:7203", "JP", "7203"],
    ["VN:FPT", "VN", "FPT"],
  ] as const)("draws %s", async (written, country, symbol) => {
    const seen = await chart(link, written);
    expect(seen.config.supported_resolutions).toEqual(["1D", "1W", "1M"]);
    expect(seen.info.ticker).toBe(`${country}:${symbol}`);
    expect(seen.found[0]?.ticker).toBe("JP:7203");
    const instrument = service.market.instruments.find({ country, symbol });
    if (!instrument) throw new Error(`no ${symbol}`);
    const { dates, close } = service.market.bars.series(instrument.id, 99, {
      from: "2026-10-01",
      before: "2026-11-19",
    });
    const bars = dates.map((date, i) => [Date.parse(date), close[i]]);
    // A client that counts bars back gets at least those; an older one has the period.
    expect(bars.slice(-seen.history.bars.length)).toEqual(
      seen.history.bars.map((bar) => [bar.time, bar.close]),
    );
    expect(seen.history.bars.length).toBeGreaterThanOrEqual(2);
    expect(seen.quotes.map(({ s }) => s)).toEqual(["ok", "error"]);
    expect(seen.time).toBe(service.time.now / 1000);
    if (country === "US") {
      expect(seen.marks.map(({ label }) => label)).toEqual(["E"]);
      expect(new Set(seen.events.map(({ label }) => label))).toEqual(new Set(["D", "S"]));
    }
  });

  test("does not know an unknown symbol, and none with a used-up quota or a revoked link", async () => {
    expect((await chart(link, "NONE1")).info).toEqual({ error: "unknown_symbol" });
    const free = service.createFeedLink("free");
    const url = `${service.origin}/feed/${free.link}/udf/time`;
    for (let i = 0; i < 30; i++) await fetch(url);
    expect((await chart(free.link, "AAPL")).failed).toContain("configuration");
    service.accounts.revokeToken(free.id);
    expect((await chart(free.link, "AAPL")).failed).toContain("configuration");
  });
});
