import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Country } from "#domain/country.ts";
import { childEnv, resultOf, spawnChild } from "../support/child-process.ts";
import { putLookalikes } from "../support/lookalikes.ts";
import { startForPrograms } from "../support/program-service.ts";

// Not part of the suite: it needs the Debian packages libfinance-quote-perl, gnucash and beancount.

const { service, folder } = await startForPrograms();
putLookalikes(service.market);
const { link, id } = service.createFeedLink();

/** Saves a file that the service hands out. */
async function save(name: string, ...path: string[]): Promise<void> {
  const response = await fetch(`${service.origin}/clients/${name}`);
  expect(response.status).toBe(200);
  mkdirSync(join(folder, ...path), { recursive: true });
  await Bun.write(join(folder, ...path, name), await response.text());
}

/** Runs a program with the address and the link in its environment. */
async function run(command: readonly string[], more: Record<string, string> = {}) {
  const env = childEnv({
    HOME: folder,
    BOURSE_URL: service.origin,
    BOURSE_LINK: link,
    PERL5LIB: folder,
    PYTHONPATH: folder,
    FQ_LOAD_QUOTELET: "-defaults Bourse",
    // GnuCash asks Alpha Vantage for the rate of the euro, and goes on without it.
    ALPHAVANTAGE_API_KEY: "none",
    https_proxy: "http://127.0.0.1:1",
    ...more,
  });
  return resultOf(spawnChild(command, { cwd: folder, env, stdout: "pipe", stderr: "pipe" }));
}

/** Closes of the newest sessions up to a day, with their dates, as they are stored. */
function newest(country: Country, symbol: string, before = "9999-01-01") {
  const instrument = service.market.instruments.find({ country, symbol });
  if (!instrument) throw new Error(`no ${symbol}`);
  const { dates, close } = service.market.bars.series(instrument.id, 1, { before });
  return { date: dates[0] ?? "", close: close[0] ?? Number.NaN };
}

const SYMBOLS = [
  ["AAPL", "US", "AAPL", "USD"],
  ["7203.T", "JP", "7203", "JPY"],
  ["HOSE:FPT", "VN", "FPT", "VND"],
  ["US:HDB", "US", "HDB", "USD"],
  ["VN:HDB", "VN", "HDB", "VND"],
  ["CL=F", "US", "CL=F", "USD"],
  ["PEPE-USD", "US", "PEPE-USD", "USD"],
] as const;

const isPerl = Bun.spawnSync(["perl", "-MFinance::Quote", "-e", "1"], { stderr: "ignore" });

describe.skipIf(isPerl.exitCode !== 0)("Finance::Quote", () => {
  const PROGRAM = `
    use Finance::Quote; use JSON;
    my $quoter = Finance::Quote->new('Bourse');
    my %info = $quoter->fetch('bourse', @ARGV);
    my %all;
    for (keys %info) { my ($symbol, $label) = split /$;/; $all{$symbol}{$label} = $info{$_}; }
    print encode_json(\\%all);`;
  const fetchQuotes = async (symbols: readonly string[], more: Record<string, string> = {}) => {
    await save("Bourse.pm", "Finance", "Quote");
    const { stdout, stderr } = await run(["perl", "-e", PROGRAM, ...symbols], more);
    if (stderr !== "") throw new Error(stderr);
    return JSON.parse(stdout) as Record<string, Record<string, string | number>>;
  };

  test("has prices of three countries, and says that another symbol is unknown", async () => {
    const quotes = await fetchQuotes([...SYMBOLS.map(([written]) => written), "NONE1"]);
    for (const [written, country, symbol, currency] of SYMBOLS) {
      const { date, close } = newest(country, symbol);
      const quote = quotes[written] ?? {};
      expect(quote).toMatchObject({ success: 1, currency, isodate: date, symbol: written });
      expect(Number(quote["last"])).toBe(close);
    }
    expect(quotes["NONE1"]).toMatchObject({ success: 0, errormsg: "NONE1 is unknown" });
  });

  test("joins by symbol: a comma, a space or an unknown symbol moves no price to another one", async () => {
    const wanted = ["Fund A, acc", "AAPL", ' "X" ', "=CL", "7203.T", "NONE1", " HOSE:FPT"];
    const quotes = await fetchQuotes(wanted);
    expect(quotes["Fund A, acc"]).toEqual(
      expect.objectContaining({ success: 0, errormsg: "a symbol has no comma: Fund A, acc" }),
    );
    for (const [written, country, symbol] of [
      ["AAPL", "US", "AAPL"],
      ["7203.T", "JP", "7203"],
      [" HOSE:FPT", "VN", "FPT"],
    ] as const)
      expect(Number(quotes[written]?.["last"])).toBeCloseTo(newest(country, symbol).close, 2);
    expect(quotes["NONE1"]).toMatchObject({ success: 0 });
    const [, only] = Object.entries(await fetchQuotes(["A,B"]));
    expect(only).toBeUndefined();
  });

  test("asks twice for more than 100 symbols", async () => {
    const symbols = [...Array.from({ length: 100 }, (_, i) => `NONE${i}`), "AAPL"];
    const quotes = await fetchQuotes(symbols);
    expect(Object.values(quotes).filter(({ success }) => success === 1)).toHaveLength(1);
    expect(Object.keys(quotes)).toHaveLength(101);
  });

  test("has our sentence if the link is wrong", async () => {
    const { AAPL } = await fetchQuotes(["AAPL"], { BOURSE_LINK: `${link}x` });
    expect(AAPL).toMatchObject({ success: 0, errormsg: expect.stringContaining("mistyped") });
  });
});

describe.skipIf(!Bun.which("gnucash-cli"))("GnuCash", () => {
  const commodities = SYMBOLS.map(
    ([written]) => `<gnc:commodity version="2.0.0">
  <cmdty:space>SHARES</cmdty:space><cmdty:id>${written}</cmdty:id><cmdty:name>${written}</cmdty:name>
  <cmdty:fraction>1</cmdty:fraction><cmdty:get_quotes/><cmdty:quote_source>bourse</cmdty:quote_source>
  <cmdty:quote_tz/>
</gnc:commodity>`,
  );
  const accounts = SYMBOLS.map(
    ([written], i) => `<gnc:account version="2.0.0">
  <act:name>${written}</act:name><act:id type="guid">b000000000000000000000000000000${i}</act:id><act:type>STOCK</act:type>
  <act:commodity><cmdty:space>SHARES</cmdty:space><cmdty:id>${written}</cmdty:id></act:commodity>
  <act:commodity-scu>1</act:commodity-scu>
  <act:parent type="guid">a0000000000000000000000000000002</act:parent>
</gnc:account>`,
  );
  /** A book with an account for each symbol, whose prices come from the source. */
  const BOOK = `<?xml version="1.0" encoding="utf-8" ?>
<gnc-v2 xmlns:gnc="http://www.gnucash.org/XML/gnc" xmlns:act="http://www.gnucash.org/XML/act"
  xmlns:book="http://www.gnucash.org/XML/book" xmlns:cd="http://www.gnucash.org/XML/cd"
  xmlns:cmdty="http://www.gnucash.org/XML/cmdty" xmlns:slot="http://www.gnucash.org/XML/slot">
<gnc:count-data cd:type="book">1</gnc:count-data>
<gnc:book version="2.0.0">
<book:id type="guid">a0000000000000000000000000000001</book:id>
<gnc:count-data cd:type="commodity">${SYMBOLS.length + 1}</gnc:count-data>
<gnc:count-data cd:type="account">${SYMBOLS.length + 3}</gnc:count-data>
<gnc:commodity version="2.0.0">
  <cmdty:space>CURRENCY</cmdty:space><cmdty:id>USD</cmdty:id>
</gnc:commodity>
<gnc:commodity version="2.0.0">
  <cmdty:space>CURRENCY</cmdty:space><cmdty:id>EUR</cmdty:id><cmdty:get_quotes/>
  <cmdty:quote_source>currency</cmdty:quote_source><cmdty:quote_tz/>
</gnc:commodity>
${commodities.join("\n")}
<gnc:account version="2.0.0">
  <act:name>Root Account</act:name><act:id type="guid">a0000000000000000000000000000002</act:id>
  <act:type>ROOT</act:type>
</gnc:account>
<gnc:account version="2.0.0">
  <act:name>Cash</act:name><act:id type="guid">a0000000000000000000000000000004</act:id><act:type>BANK</act:type>
  <act:commodity><cmdty:space>CURRENCY</cmdty:space><cmdty:id>USD</cmdty:id></act:commodity>
  <act:commodity-scu>100</act:commodity-scu>
  <act:parent type="guid">a0000000000000000000000000000002</act:parent>
</gnc:account>
<gnc:account version="2.0.0">
  <act:name>Euros</act:name><act:id type="guid">a0000000000000000000000000000005</act:id><act:type>BANK</act:type>
  <act:commodity><cmdty:space>CURRENCY</cmdty:space><cmdty:id>EUR</cmdty:id></act:commodity>
  <act:commodity-scu>100</act:commodity-scu>
  <act:parent type="guid">a0000000000000000000000000000002</act:parent>
</gnc:account>
${accounts.join("\n")}
</gnc:book>
</gnc-v2>
`;

  test("gnc-fq-dump can use the quote", async () => {
    await save("Bourse.pm", "Finance", "Quote");
    const { stdout } = await run(["gnc-fq-dump", "bourse", "AAPL"]);
    const { close } = newest("US", "AAPL");
    expect(stdout).toMatch(/symbol: AAPL +<=== required/);
    expect(stdout).toMatch(/currency: USD +<=== required/);
    expect(stdout).toContain(`last: ${close}`);
    expect(stdout).not.toContain("** This stock quote cannot be used by GnuCash!");
  });

  test("gnucash-cli puts the prices into the book", async () => {
    await save("Bourse.pm", "Finance", "Quote");
    const path = join(folder, "book.gnucash");
    await Bun.write(path, BOOK);
    const { stdout, stderr } = await run(["gnucash-cli", "--quotes", "get", path]);
    const saved = Buffer.from(await Bun.file(path).arrayBuffer());
    const text = (saved[0] === 0x1f ? Buffer.from(Bun.gunzipSync(saved)) : saved).toString();
    const prices = new Map(
      text
        .split("<price>")
        .slice(1)
        .map((price) => {
          const [, symbol = ""] = /<price:commodity>[^]*?<cmdty:id>([^<]+)</.exec(price) ?? [];
          const [, currency] = /<price:currency>[^]*?<cmdty:id>([^<]+)</.exec(price) ?? [];
          const [, date] = /<ts:date>(\S+)/.exec(price) ?? [];
          const [, over, under] = /<price:value>(\d+)\/(\d+)</.exec(price) ?? [];
          return [symbol, { currency, date, price: Number(over) / Number(under) }];
        }),
    );
    if (prices.size === 0) throw new Error(stdout + stderr);
    for (const [written, country, symbol, currency] of SYMBOLS) {
      const { date, close } = newest(country, symbol);
      const { price = Number.NaN, ...more } = prices.get(written) ?? {};
      expect([written, more]).toEqual([written, { currency, date }]);
      // GnuCash keeps a fraction near the price: 5/11627907 for 0.00000043.
      expect(price / close).toBeCloseTo(1, 8);
    }
  });
});

describe.skipIf(!Bun.which("bean-price"))("bean-price", () => {
  const prices = async (...args: string[]) => {
    await save("bourse_price.py");
    return run(["bean-price", "--no-cache", "-e", ...args]);
  };

  test("reads the newest closes", async () => {
    const asked = SYMBOLS.map(([written, , , currency]) => `${currency}:bourse_price/${written}`);
    const { stdout } = await prices(...asked);
    const read = stdout
      .trim()
      .split("\n")
      .map((line) => line.split(/\s+/));
    expect(read).toHaveLength(SYMBOLS.length);
    for (const [written, country, symbol, currency] of SYMBOLS) {
      const { date, close } = newest(country, symbol);
      const [day, , , price, unit] = read.find(([, , name]) => name === written) ?? [];
      expect([written, day, Number(price), unit]).toEqual([written, date, close, currency]);
    }
  });

  test.each(["Asia/Tokyo", "UTC", "America/Los_Angeles"])(
    "reads a close of the past as traded, in %s",
    async (TZ) => {
      await save("bourse_price.py");
      const command = ["bean-price", "--no-cache", "-d", "2020-08-30", "-e"];
      const { stdout } = await run([...command, "USD:bourse_price/AAPL"], { TZ });
      // A Sunday, the day before Apple's split of 4:1: the close of Friday is four times the stored one.
      const { date, close } = newest("US", "AAPL", "2020-08-31");
      const [day, , , price] = stdout.trim().split(/\s+/);
      expect(day).toBe(date);
      expect(Number(price)).toBeCloseTo(4 * close, 1);
    },
  );

  test.each(["Pacific/Honolulu", "America/Los_Angeles", "Asia/Tokyo", "Pacific/Kiritimati"])(
    "reads the close of the day that was asked, not of the next one, in %s",
    async (TZ) => {
      await save("bourse_price.py");
      // A Wednesday in winter. In Los Angeles its afternoon is Thursday in UTC.
      const command = ["bean-price", "--no-cache", "-d", "2025-12-03", "-e"];
      const { stdout } = await run([...command, "USD:bourse_price/AAPL"], { TZ });
      const { date, close } = newest("US", "AAPL", "2025-12-04");
      const [day, , , price] = stdout.trim().split(/\s+/);
      expect([day, date]).toEqual(["2025-12-03", "2025-12-03"]);
      expect(Number(price)).toBeCloseTo(close, 2);
    },
  );

  test("prints no price of an unknown symbol, and our sentence if the link is revoked", async () => {
    const unknown = await prices("USD:bourse_price/NONE1");
    expect(unknown.stdout).toBe("");
    expect(unknown.stderr).toContain("Could not fetch");
    service.accounts.revokeToken(id);
    expect((await prices("USD:bourse_price/AAPL")).stderr).toContain("revoked");
  });
});
