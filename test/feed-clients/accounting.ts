import { beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { PLANS } from "#access/plans.ts";
import { childEnv, outputOf, resultOf, spawnChild } from "../support/child-process.ts";
import { putLookalikes } from "../support/lookalikes.ts";
import { fillRecipes } from "../support/recipes.ts";
import { startForPrograms } from "../support/program-service.ts";

// Not part of the suite: it needs the Debian packages hledger, ledger and beancount.

const { service, folder } = await startForPrograms();
putLookalikes(service.market);
const { textOf, link, token } = fillRecipes(service);

/** Debian's, which has the modules. */
const PYTHON = "/usr/bin/python3";
/** After the newest price. */
const TODAY = "2026-11-30";

interface Holding {
  readonly account: string;
  readonly units: number;
  /** As a request names it; null for money. */
  readonly symbol: string | null;
  /** The names in ledger and hledger, with `names=country` and without; null without one. */
  readonly ledger: { readonly country: string; readonly symbol: string | null };
  readonly beancount: string;
  readonly currency: string;
}

/** A holding that is an instrument. Its name in ledger is without quotes here. */
const share = (
  [account, units]: readonly [string, number],
  symbol: string,
  ledger: string | null,
  beancount: string,
  currency = "USD",
): Holding => ({
  account,
  units,
  symbol,
  ledger: { country: `"${symbol}"`, symbol: ledger && `"${ledger}"` },
  beancount,
  currency,
});
const money = (account: string, units: number, code: string): Holding => ({
  account,
  units,
  symbol: null,
  ledger: { country: code, symbol: code },
  beancount: code,
  currency: code,
});

/** Things that one name could mean, and prices that are hard to write. */
const HOLDINGS: readonly Holding[] = [
  share(["Apple", 10], "US:AAPL", "AAPL", "US.AAPL"),
  share(["Toyota", 100], "JP:7203", "7203", "JP.7203", "JPY"),
  share(["HdbUs", 10], "US:HDB", "HDB", "US.HDB"),
  share(["HdbVn", 1000], "VN:HDB", null, "VN.HDB", "VND"),
  // CLF is a unit of account of Chile, COP the peso of Colombia.
  share(["Cliffs", 7], "US:CLF", "US:CLF", "US.CLF"),
  share(["Oil", 3], "US:CL=F", "CL=F", "US.CL'F"),
  share(["Media", 5], "US:DJT", "DJT", "US.DJT"),
  share(["Transport", 2], "US:^DJT", "^DJT", "US._DJT", "POINTS"),
  share(["Conoco", 20], "US:COP", "US:COP", "US.COP"),
  share(["Coins", 1_000_000_000], "US:PEPE-USD", "PEPE-USD", "US.PEPE-USD"),
  share(["Huge", 3], "US:HUGE", "HUGE", "US.HUGE"),
  money("Pesos", 1_000_000, "COP"),
  money("Cash", 1.25, "USD"),
];
const PAIRS = ["USD/JPY", "USD/VND", "USD/COP"];
const SYMBOLS = [...HOLDINGS.flatMap(({ symbol }) => symbol ?? []), ...PAIRS].join(",");

/** The API's price of each symbol, and of a dollar in each currency. */
const prices = new Map<string, number>();
/** What the holding is worth in its currency. */
const worth = ({ symbol, units }: Holding) =>
  symbol === null ? units : units * (prices.get(symbol) ?? Number.NaN);
/** What a unit of the currency is worth in dollars; NaN for the points of an index. */
const inDollars = (currency: string) =>
  currency === "USD" ? 1 : 1 / (prices.get(`USD/${currency}`) ?? Number.NaN);

beforeAll(async () => {
  const path = `/data/stocks/compare?symbols=${encodeURIComponent(SYMBOLS)}&metrics=price`;
  const { data } = (await (await service.request(path, token)).json()) as {
    data: { columns: string[]; rows: unknown[][] };
  };
  const at = data.columns.indexOf("price");
  for (const [i, symbol] of SYMBOLS.split(",").entries())
    prices.set(symbol, Number(data.rows[i]?.[at]));
  expect([...prices.values()].every((price) => price > 0)).toBe(true);
});

const pricesUrl = (file: string, symbols: string) =>
  `${service.origin}/feed/${link}/prices/${file}&symbols=${encodeURIComponent(symbols)}`;

/** Saves a price file, and returns its path. */
async function savePrices(form: "ledger" | "beancount", symbols: string, names = "symbol") {
  const response = await fetch(pricesUrl(`prices.${form}?names=${names}`, symbols));
  const text = await response.text();
  expect([response.status, text]).toEqual([200, expect.any(String)]);
  const path = join(folder, `prices.${form}`);
  await Bun.write(path, text);
  return path;
}

/** Saves a journal of holdings for ledger and hledger, and their prices. */
async function saveJournal(names: "country" | "symbol", holdings: readonly Holding[]) {
  const postings = holdings.map(
    ({ account, units, ledger }) => `  assets:${account}   ${units} ${ledger[names]}`,
  );
  const journal = join(folder, "journal.ledger");
  await Bun.write(journal, ["2026-01-05 shares", ...postings, "  equity:all", ""].join("\n"));
  const symbols = [...holdings.flatMap(({ symbol }) => symbol ?? []), ...PAIRS];
  return { journal, prices: await savePrices("ledger", symbols.join(","), names) };
}

/** The dollars of each account in lines such as `"assets:Oil","189.81 USD"`. */
function dollarsByAccount(printed: string): Map<string, number> {
  return new Map(
    [...printed.matchAll(/assets:(\w+)\W+(?:USD ?)?([\d.,]+)(?: USD)?"?$/gim)].map(
      ([, account = "", number = ""]) => [account, Number(number.replaceAll(",", ""))],
    ),
  );
}

/** Checks the dollars of holdings, but the points of an index. */
function expectDollars(values: ReadonlyMap<string, number>, holdings = HOLDINGS): void {
  const inMoney = holdings.filter(({ currency }) => currency !== "POINTS");
  const apart = inMoney.map((holding): [string, number] => {
    const expected = worth(holding) * inDollars(holding.currency);
    return [holding.account, Math.abs((values.get(holding.account) ?? Number.NaN) - expected)];
  });
  // Programs show cents.
  expect(apart.filter(([, difference]) => !(difference <= 0.0051))).toEqual([]);
}

/** What hledger and ledger say of the assets in dollars. */
const VALUERS = {
  hledger: (journal: string, prices: string) =>
    outputOf(
      // prettier-ignore
      ["hledger", "-f", journal, "-f", prices, "bal", "assets", `--value=${TODAY},USD`, "-N", "-O", "csv"],
    ),
  ledger: (journal: string, prices: string) =>
    outputOf(
      // prettier-ignore
      ["ledger", "-f", journal, "--price-db", prices, "bal", "assets", "-X", "USD", "--now", TODAY, "--flat", "--no-total", "--format", "%(account) %(display_total)\n"],
    ),
};
const isMissing = (program: string) => !Bun.which(program);

describe("holdings whose names and prices are alike are worth what the API says in", () => {
  for (const [program, value] of Object.entries(VALUERS))
    test.skipIf(isMissing(program)).each(["country", "symbol"] as const)(
      `${program}, with names=%s`,
      async (names) => {
        const holdings = HOLDINGS.filter(({ ledger }) => ledger[names] !== null);
        const { journal, prices: file } = await saveJournal(names, holdings);
        expectDollars(dollarsByAccount(await value(journal, file)), holdings);
      },
    );

  test.skipIf(isMissing("bean-check"))("beancount", async () => {
    await savePrices("beancount", SYMBOLS);
    const path = join(folder, "ledger.beancount");
    const accounts = HOLDINGS.map(({ account }) => `2026-01-01 open Assets:${account}`);
    const postings = HOLDINGS.map(
      ({ account, units, beancount }) => `  Assets:${account}   ${units} ${beancount}`,
    );
    const opened = ["2026-01-01 open Equity:All", ...accounts];
    const lines = [
      'include "prices.beancount"',
      ...opened,
      '2026-01-05 * "shares"',
      ...postings,
      "  Equity:All",
    ];
    await Bun.write(path, `${lines.join("\n")}\n`);
    expect(await outputOf(["bean-check", path])).toBe("");
    const program = `
import sys
from beancount import loader
from beancount.core import convert, data, prices
entries, errors, _ = loader.load_file(sys.argv[1])
price_map = prices.build_price_map(entries)
for entry in data.filter_txns(entries):
    for account, units, *_ in entry.postings:
        value = convert.convert_amount(units, "USD", price_map, via=["JPY", "VND", "COP"])
        print(account.replace("A", "a", 1), value)`;
    expectDollars(dollarsByAccount(await outputOf([PYTHON, "-c", program, path])));
  });
});

describe("a journal with a decimal comma", () => {
  /** Saves the prices of a coin at 0.236 and a journal that includes them; the journal alone is `plain`. */
  async function saveComma(decimal: "point" | "comma") {
    const url = pricesUrl(`prices.ledger?decimal=${decimal}`, "CENT-USD");
    await Bun.write(join(folder, "cent.ledger"), await (await fetch(url)).text());
    const lines = `2026-01-05 coins
  assets:Coins   1000 "CENT-USD"
  assets:Cash    1.234,56 USD
  equity:all
`;
    const [plain, including] = ["plain", "including"].map((name) => join(folder, `${name}.ledger`));
    await Bun.write(plain ?? "", lines);
    await Bun.write(including ?? "", `${lines}include cent.ledger\n`);
    return { plain: plain ?? "", including: including ?? "", file: join(folder, "cent.ledger") };
  }
  /** What the coins are worth, as it is shown; null after an error. */
  const coins = async (...command: string[]) => {
    const child = spawnChild(command, { stdout: "pipe", stderr: "pipe" });
    const { code, stdout } = await resultOf(child);
    return code === 0 ? /[\d.,]+(?= USD\W+assets:coins)/i.exec(stdout)?.[0] : null;
  };
  const value = ["bal", "assets:Coins"];

  test.skipIf(isMissing("hledger")).each(["point", "comma"] as const)(
    "is worth the same in hledger, with prices beside it or included, with a %s",
    async (decimal) => {
      const { plain, including, file } = await saveComma(decimal);
      const report = [...value, `--value=${TODAY},USD`, "-N"];
      expect(await coins("hledger", "-f", plain, "-f", file, ...report)).toBe("236,00");
      expect(await coins("hledger", "-f", including, ...report)).toMatch(/^236,0+$/);
    },
  );

  test.skipIf(isMissing("ledger"))("is worth the same in ledger with decimal=comma", async () => {
    const { plain, including, file } = await saveComma("comma");
    const report = [...value, "-X", "USD", "--now", TODAY];
    for (const flags of [[], ["--decimal-comma"]]) {
      const ledger = ["ledger", ...flags, "-f"];
      expect(await coins(...ledger, plain, "--price-db", file, ...report)).toBe("236,00");
      expect(await coins(...ledger, including, ...report)).toBe("236,00");
    }
  });

  test.skipIf(isMissing("ledger"))("is right or refused in ledger without it", async () => {
    const { plain, including, file } = await saveComma("point");
    const report = [...value, "-X", "USD", "--now", TODAY];
    expect(await coins("ledger", "-f", plain, "--price-db", file, ...report)).toBe("236,00");
    expect(await coins("ledger", "-f", including, ...report)).toBeNull();
    const flagged = ["ledger", "--decimal-comma", "-f", plain, "--price-db", file];
    expect(await coins(...flagged, ...report)).toBeNull();
  });
});

describe("a list with an unknown symbol", () => {
  // ledger shows cents only if the journal has some.
  const SOME = HOLDINGS.filter(({ account }) => ["Apple", "Toyota", "Cash"].includes(account));

  test("has a comment on it, and the prices of the others", async () => {
    const text = await (
      await fetch(pricesUrl("prices.ledger?range=5d", "NONE1,US:AAPL,JP:7203,NONE2"))
    ).text();
    const comments = text.split("\n").filter((line) => line.startsWith(";"));
    expect(comments.filter((line) => /NONE[12]/.test(line))).toHaveLength(2);
  });

  test.skipIf(isMissing("hledger")).each(["hledger", "ledger"] as const)(
    "does not change what the others are worth in %s",
    async (program) => {
      const { journal } = await saveJournal("country", SOME);
      const file = await savePrices("ledger", "NONE1,US:AAPL,JP:7203,USD/JPY,NONE2", "country");
      expectDollars(dollarsByAccount(await VALUERS[program](journal, file)), SOME);
    },
  );
});

test.skipIf(isMissing("hledger"))(
  "a used-up quota and a revoked link leave the prices, and what hledger says, as they were",
  async () => {
    const { user } = service.createToken("free");
    const free = service.accounts.createToken(user, "ledger", null, "feed");
    const lines = textOf("hledger").replace(link, free.token);
    const home = join(folder, "home");
    await Bun.write(
      join(home, "journal.ledger"),
      '2026-01-05 shares\n  assets:Apple   10 AAPL\n  assets:Toyota   100 "7203"\n  equity:all\n',
    );
    const run = async () => {
      const dated = `hledger() { command hledger --today=${TODAY} "$@"; }\n${lines}`;
      const command = ["bash", "-euo", "pipefail", "-c", dated];
      const child = spawnChild(command, { cwd: home, stdout: "pipe", stderr: "pipe" });
      return resultOf(child);
    };
    const first = await run();
    expect(first).toMatchObject({ code: 0, stderr: "" });
    expect(first.stdout).toContain("USD  assets:Apple");
    const { hourly } = PLANS.free;
    for (let i = 0; i < hourly; i++)
      await fetch(`${service.origin}/feed/${free.token}/sheets/value?symbol=AAPL`);
    expect(await run()).toEqual({ ...first, stderr: expect.stringContaining("429") });
    service.accounts.revokeToken(free.id);
    expect(await run()).toEqual({ ...first, stderr: expect.stringContaining("401") });
  },
);

describe.skipIf(isMissing("bean-price"))("bean-price", () => {
  const run = async (...args: string[]) => {
    const module = await fetch(`${service.origin}/clients/bourse_price.py`);
    await Bun.write(join(folder, "bourse_price.py"), await module.text());
    const env = childEnv({ PYTHONPATH: folder, BOURSE_URL: service.origin, BOURSE_LINK: link });
    return outputOf(["bean-price", "--no-cache", ...args], { cwd: folder, env });
  };
  const priceOf = (printed: string) => printed.trim().split(/\s+/).slice(2).join(" ");

  test("rounds to the decimals of a ledger, but not a price that is asked for alone", async () => {
    const path = join(folder, "rounded.beancount");
    await Bun.write(
      path,
      `2026-01-01 commodity COIN
  price: "USD:bourse_price/PEPE-USD"
2026-01-01 open Assets:Coins
2026-01-01 open Assets:Cash
2026-01-05 * "coins"
  Assets:Coins   1000 COIN {0.01 USD}
  Assets:Cash   -10.00 USD
`,
    );
    expect(priceOf(await run(path))).toBe("COIN 0.00 USD");
    const alone = priceOf(await run("-e", "USD:bourse_price/PEPE-USD"));
    expect(alone).toEndWith(" 0.00000043 USD");
  });
});
