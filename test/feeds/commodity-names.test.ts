import { expect, test } from "bun:test";
import type { Country } from "#domain/country.ts";
import { CURRENCY_CODES } from "#domain/currency.ts";
import { SYMBOL_PATTERN } from "#domain/instrument.ts";
import { fileNameOf } from "#exports/file-names.ts";
import { beancountName, FileNames, ledgerName, pricedBy } from "#feeds/commodity-names.ts";
import type { FeedInstrument } from "#feeds/request.ts";
import { seeded } from "../support/hostile.ts";

/** A pair has its second currency, any other instrument US dollars. */
const instrument = (country: Country, symbol: string): FeedInstrument => ({
  country,
  symbol,
  name: symbol,
  currency: /^(?:[A-Z]{3}){1,2}=X$/.test(symbol) ? symbol.slice(-5, -2) : "USD",
  price: 1,
  session: "2026-11-20",
});

/** As many instruments as a live market has, with every kind of legal symbol. */
function listMarket(): FeedInstrument[] {
  const random = seeded(20_261_128);
  const pick = (from: string) => from[Math.floor(random() * from.length)] ?? "";
  const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  const word = (length: number, from = letters) =>
    Array.from({ length }, () => pick(from)).join("");
  const known = `CLF CL=F DJT ^DJT SIF SI=F SI COP ALL TOP TRY MXN CON PRN AUX NUL COM1 LPT9 CON.A POINTS BRK.A BRK-A BRK.B
    BAC-PL BTC-USD ETH-USD JPY=X EURUSD=X ^GSPC ^N225 GC=F HDB VNM MSN PLX FPT A A. A- .A -A ^A =A A^ A= A^^ A== A^= A=^
    A.= A0 A_ ${[...CURRENCY_CODES].join(" ")}`;
  const hostile = () => word(1 + Math.floor(random() * 20), "AB0.^=-");
  const symbols = {
    US: () => (random() < 0.5 ? word(1 + Math.floor(random() * 5)) : hostile()),
    JP: () => (random() < 0.7 ? `${word(3, "0123456789")}${pick("0123456789ABCDF")}` : hostile()),
    VN: () => (random() < 0.7 ? word(3) : hostile()),
  };
  const keys = new Set<string>();
  for (const country of ["US", "JP", "VN"] as const) {
    const all = known.split(/\s+/).filter((one) => new RegExp(SYMBOL_PATTERN).test(one));
    for (const symbol of all) keys.add(`${country}:${symbol}`);
    const size = keys.size + 5_000;
    while (keys.size < size) keys.add(`${country}:${symbols[country]()}`);
  }
  return [...keys].map((key) => instrument(key.slice(0, 2) as Country, key.slice(3)));
}

const MARKET = listMarket();
/** What is named: `US:AAPL`, or of a pair the currency. */
const thingOf = (one: FeedInstrument) => {
  const named = pricedBy(one);
  return typeof named === "string" ? named : `${named.country}:${named.symbol}`;
};

/** The things of each name that more than one thing has. */
function collisions(nameOf: (one: FeedInstrument) => string): [string, string[]][] {
  const byName = Map.groupBy(MARKET, nameOf);
  return [...byName].flatMap(([name, owners]): [string, string[]][] => {
    const things = [...new Set(owners.map(thingOf))];
    return things.length > 1 ? [[name, things]] : [];
  });
}

test("the market is as large as a live one", () => {
  expect(MARKET.length).toBeGreaterThan(15_000);
});

test("no two things of the market have one name in beancount, and each name is legal there", () => {
  expect(collisions((one) => beancountName(pricedBy(one)))).toEqual([]);
  const legal = /^[A-Z][A-Z0-9'._-]{0,22}[A-Z0-9]$/;
  expect(MARKET.map((one) => beancountName(pricedBy(one))).filter((n) => !legal.test(n))).toEqual(
    [],
  );
});

test("no two things of the market have one name in ledger with names=country", () => {
  expect(collisions((one) => ledgerName(pricedBy(one), true))).toEqual([]);
});

test("without the country, only equal symbols of several countries have one name in ledger", () => {
  for (const [name, things] of collisions((one) => ledgerName(pricedBy(one), false)))
    expect(things.map((thing) => thing.slice(3))).toEqual(
      things.map(() => name.replaceAll('"', "")),
    );
});

test("in ledger, a name is letters or in quotes, and no share has the name of a currency", () => {
  for (const withCountry of [true, false])
    for (const one of MARKET) {
      const name = ledgerName(pricedBy(one), withCountry);
      expect(name).toMatch(/^(?:[A-Z]+|"[A-Z0-9.:^=-]+")$/);
      if (typeof pricedBy(one) !== "string") expect(CURRENCY_CODES.has(name)).toBe(false);
    }
});

test.each([
  ["US", "AAPL", "AAPL", '"US:AAPL"', "US.AAPL"],
  ["JP", "7203", '"7203"', '"JP:7203"', "JP.7203"],
  ["VN", "FPT", "FPT", '"VN:FPT"', "VN.FPT"],
  ["US", "BRK.B", '"BRK.B"', '"US:BRK.B"', "US.BRK.B"],
  ["US", "COP", '"US:COP"', '"US:COP"', "US.COP"],
  ["US", "CLF", '"US:CLF"', '"US:CLF"', "US.CLF"],
  ["US", "CL=F", '"CL=F"', '"US:CL=F"', "US.CL'F"],
  ["US", "^DJT", '"^DJT"', '"US:^DJT"', "US._DJT"],
  ["US", "BTC-USD", '"BTC-USD"', '"US:BTC-USD"', "US.BTC-USD"],
  ["JP", "JPY=X", "USD", "USD", "USD"],
  ["US", "EURUSD=X", "EUR", "EUR", "EUR"],
  ["US", "A-", '"A-"', '"US:A-"', "US_A-0"],
] as const)("%s:%s is %s, %s and %s", (country, symbol, plain, withCountry, beancount) => {
  const named = pricedBy(instrument(country, symbol));
  expect([ledgerName(named, false), ledgerName(named, true), beancountName(named)]).toEqual([
    plain,
    withCountry,
    beancount,
  ]);
});

test("a share with the symbol of a pair is no currency, because its own currency is another one", () => {
  const share = { ...instrument("US", "ABC=X"), currency: "USD" };
  expect(ledgerName(pricedBy(share), false)).toBe('"ABC=X"');
  expect(beancountName(pricedBy(share))).toBe("US.ABC'X");
});

test("a file refuses two things with one name, and takes the same thing twice", () => {
  const names = new FileNames();
  names.add("HDB", instrument("US", "HDB"));
  names.add("HDB", instrument("US", "HDB"));
  names.add("USD", "USD");
  expect(() => names.add("HDB", instrument("VN", "HDB"))).toThrow(
    "HDB would be the name of US:HDB and VN:HDB.",
  );
  expect(() => names.add("USD", instrument("US", "USD"))).toThrow("the currency USD and US:USD");
});

test.each([".", "_"] as const)(
  "files of symbols differ, also without letter case, and none is a device of Windows (%s)",
  (dot) => {
    const ofUs = MARKET.filter(({ country }) => country === "US").map(({ symbol }) => symbol);
    const files = ofUs.map((symbol) => `${fileNameOf(symbol, dot).name}.csv`.toLowerCase());
    expect(new Set(files).size).toBe(ofUs.length);
    // https://learn.microsoft.com/windows/win32/fileio/naming-a-file
    const devices = new Set("con prn aux nul".split(" "));
    for (let i = 0; i < 10; i++) for (const name of ["com", "lpt"]) devices.add(name + i);
    expect(files.filter((file) => devices.has(file.split(".")[0] ?? ""))).toEqual([]);
    // zipline takes the part before the first full stop as the symbol.
    if (dot === "_") expect(files.filter((file) => file.split(".").length > 2)).toEqual([]);
  },
);

test.each([
  ["AAPL", "AAPL", "AAPL"],
  ["BRK.B", "BRK.B", "BRK_B"],
  ["CON", "CON_", "CON_"],
  ["CON.A", "CON_.A", "CON_A"],
  ["CON.", "CON_.", "CON__"],
  ["CON..", "CON_..", "CON___"],
  ["CONE", "CONE", "CONE"],
  ["COM1", "COM1_", "COM1_"],
])("the file of %s is %s, and without full stops %s", (symbol, name, plain) => {
  expect([fileNameOf(symbol).name, fileNameOf(symbol, "_").name]).toEqual([name, plain]);
});
