import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { bar } from "../exports/split-share.ts";
import { instrument, SAMPLE } from "../support/market.ts";
import { startService } from "../support/service.ts";

const service = await startService({ sample: false });
afterAll(() => service.stop());
const { link } = service.createFeedLink();

const SHARES = [
  ["US", "HDB", 60.5],
  ["VN", "HDB", 31_000],
  ["US", "COP", 88.25],
  ["US", "CLF", 12.5],
  ["JP", "7203", 2_800],
] as const;
const OTHERS = [
  ["US", "CL=F", "commodity", 71.25],
  ["US", "^DJT", "index", 16_000.5],
  ["US", "SHIB-USD", "cryptocurrency", 4.3e-7],
  ["US", "COP=X", "currency", 4_100.5],
  ["US", "CENT-USD", "cryptocurrency", 0.236],
] as const;

beforeAll(() => {
  const { market } = service;
  const shares = SHARES.map(([country, symbol]) => instrument(country, symbol));
  const others = OTHERS.map(([country, symbol, assetType]) =>
    instrument(country, symbol, { assetType, currency: symbol === "COP=X" ? "COP" : "USD" }),
  );
  market.put("instruments", [...shares, ...others], SAMPLE);
  const closes = [
    ...SHARES,
    ...OTHERS.map(([country, symbol, , close]) => [country, symbol, close] as const),
  ];
  const bars = closes.map(([country, symbol, close]) => ({
    country,
    symbol,
    bars: [bar("2026-11-18", close), bar("2026-11-19", close)],
  }));
  market.put("bars", bars, SAMPLE);
  const splits = SHARES.map(([country, symbol]) => ({ country, symbol, splits: [] }));
  market.documents.put("splits", splits, SAMPLE);
});

async function read(form: "ledger" | "beancount", query: string) {
  const period = "from=2026-11-19&to=2026-11-19";
  const url = `${service.origin}/feed/${link}/prices/prices.${form}?${period}&symbols=${query}`;
  const response = await fetch(url);
  const [, ...all] = (await response.text()).trimEnd().split("\n");
  const lines = all.filter((line) => !line.startsWith("decimal-mark "));
  return { status: response.status, lines, mark: all.find((line) => !lines.includes(line)) };
}

describe("names", () => {
  test("of a share, a future, an index and a currency differ", async () => {
    const query = "US:CLF,CL=F,%5EDJT,US:COP,COP=X,7203";
    expect((await read("ledger", query)).lines).toEqual([
      '; CLF alone is the code of a currency, so it is "US:CLF" here.',
      'P 2026-11-19 "US:CLF" 12.5 USD',
      'P 2026-11-19 "CL=F" 71.25 USD',
      'P 2026-11-19 "^DJT" 16000.5 POINTS',
      '; COP alone is the code of a currency, so it is "US:COP" here.',
      'P 2026-11-19 "US:COP" 88.25 USD',
      "P 2026-11-19 USD 4100.5 COP",
      'P 2026-11-19 "7203" 2800 JPY',
    ]);
    expect((await read("beancount", query)).lines).toEqual([
      "2026-11-19 price US.CLF 12.5 USD",
      "2026-11-19 price US.CL'F 71.25 USD",
      "2026-11-19 price US._DJT 16000.5 POINTS",
      "2026-11-19 price US.COP 88.25 USD",
      "2026-11-19 price USD 4100.5 COP",
      "2026-11-19 price JP.7203 2800 JPY",
    ]);
  });

  test("of one symbol in two countries are refused, or have the country with names=country", async () => {
    const both = "US:HDB,VN:HDB";
    const plain = await read("ledger", both);
    expect(plain).toMatchObject({ status: 400, lines: [] });
    const text = await fetch(
      `${service.origin}/feed/${link}/prices/prices.ledger?symbols=${both}`,
    ).then((response) => response.text());
    expect(text).toBe(
      "; HDB would be the name of US:HDB and VN:HDB. Ask with names=country, which writes the country before every symbol.\n",
    );
    expect(await read("ledger", `${both},US:COP&names=country`)).toMatchObject({
      status: 200,
      lines: [
        'P 2026-11-19 "US:HDB" 60.5 USD',
        'P 2026-11-19 "VN:HDB" 31000 VND',
        'P 2026-11-19 "US:COP" 88.25 USD',
      ],
    });
    expect((await read("beancount", both)).lines).toEqual([
      "2026-11-19 price US.HDB 60.5 USD",
      "2026-11-19 price VN.HDB 31000 VND",
    ]);
    expect((await read("ledger", "7203&names=long")).status).toBe(400);
  });

  test("do not depend on what else is asked", async () => {
    const alone = (await read("ledger", "US:HDB")).lines;
    expect(alone).toEqual(["P 2026-11-19 HDB 60.5 USD"]);
    expect((await read("ledger", "US:CLF,US:HDB,CL=F")).lines).toContain(alone[0] ?? "");
  });
});

test("a price below a millionth has no exponent", async () => {
  expect((await read("ledger", "SHIB-USD")).lines).toEqual([
    'P 2026-11-19 "SHIB-USD" 0.00000043 USD',
  ]);
  expect((await read("beancount", "SHIB-USD")).lines).toEqual([
    "2026-11-19 price US.SHIB-USD 0.00000043 USD",
  ]);
});

test("three decimals are no thousands, with a point and with a comma", async () => {
  const symbols = "CENT-USD,SHIB-USD,7203";
  expect(await read("ledger", symbols)).toMatchObject({
    mark: "decimal-mark .",
    lines: [
      'P 2026-11-19 "CENT-USD" 0.2360 USD',
      'P 2026-11-19 "SHIB-USD" 0.00000043 USD',
      'P 2026-11-19 "7203" 2800 JPY',
    ],
  });
  expect(await read("ledger", `${symbols}&decimal=comma`)).toMatchObject({
    mark: "decimal-mark ,",
    lines: [
      'P 2026-11-19 "CENT-USD" 0,2360 USD',
      'P 2026-11-19 "SHIB-USD" 0,00000043 USD',
      'P 2026-11-19 "7203" 2800 JPY',
    ],
  });
  expect((await read("beancount", "CENT-USD")).lines).toEqual([
    "2026-11-19 price US.CENT-USD 0.236 USD",
  ]);
  expect((await read("beancount", "CENT-USD&decimal=comma")).status).toBe(400);
  expect((await read("ledger", "CENT-USD&decimal=dot")).status).toBe(400);
});

describe("unknown symbols", () => {
  test("are comments beside the prices of the others", async () => {
    expect(await read("ledger", "NONE1,7203,HDB")).toMatchObject({
      status: 200,
      lines: [
        expect.stringMatching(/^; .*NONE1: Not found in US, JP or VN\.$/),
        'P 2026-11-19 "7203" 2800 JPY',
        expect.stringMatching(/^; .*HDB: Several countries have it: US:HDB .*, VN:HDB /),
      ],
    });
  });

  test("are an error if no symbol is known, so that curl -f keeps the old file", async () => {
    const { status } = await read("beancount", "NONE1,NONE2");
    expect(status).toBe(404);
    const url = `${service.origin}/feed/${link}/prices/prices.ledger?symbols=NONE1,NONE2`;
    expect(await (await fetch(url)).text()).toMatch(/^; .*NONE1.*NONE2.*\n$/);
  });
});
