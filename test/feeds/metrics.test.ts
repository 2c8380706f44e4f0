import { afterAll, expect, test } from "bun:test";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const { token, link } = service.createFeedLink();

const get = (query: string) => fetch(`${service.origin}/feed/${link}/metrics?${query}`);
/** The values by name and labels. */
async function read(query: string): Promise<ReadonlyMap<string, string>> {
  const lines = (await (await get(query)).text()).split("\n");
  return new Map(
    lines
      .filter((line) => line !== "" && !line.startsWith("#"))
      .map((line) => [line.slice(0, line.lastIndexOf(" ")), line.slice(line.lastIndexOf(" ") + 1)]),
  );
}

test("have the figures of compare_stocks with country, symbol and currency", async () => {
  const path =
    "/data/stocks/compare?symbols=US:AAPL,JP:7203&metrics=price,change_percent,market_cap";
  type Table = { columns: string[]; rows: (string | number)[][] };
  const data = await service.payload<Table>(path, token);
  const values = await read("symbols=AAPL,7203.T");
  for (const row of data.rows) {
    const cell = (name: string) => row[data.columns.indexOf(name)];
    const labels = `country="${cell("country")}",symbol="${cell("symbol")}",currency="${cell("currency")}"`;
    expect(values.get(`bourse_price{${labels}}`)).toBe(String(cell("price")));
    expect(values.get(`bourse_market_cap{${labels}}`)).toBe(String(cell("market_cap")));
    expect(Number(values.get(`bourse_change_ratio{${labels}}`))).toBeCloseTo(
      Number(cell("change_percent")) / 100,
      8,
    );
  }
  // Tokyo closed at 15:30 on 20 November, nine hours ahead of UTC.
  const toyota = 'bourse_price_time_seconds{country="JP",symbol="7203",currency="JPY"}';
  expect(values.get(toyota)).toBe(String(Date.parse("2026-11-20T06:30:00Z") / 1000));
  expect((await get("symbols=AAPL")).headers.get("content-type")).toBe(
    "text/plain; version=0.0.4; charset=utf-8",
  );
});

test("have one sample of an instrument, none of an unknown figure, and name an unknown symbol", async () => {
  const values = await read(`symbols=AAPL,US:AAPL,^GSPC,JPY=X,${encodeURIComponent('NO"NE')}`);
  expect([...values.keys()].filter((name) => name.startsWith("bourse_price{"))).toEqual([
    'bourse_price{country="US",symbol="AAPL",currency="USD"}',
    // An index has no currency.
    'bourse_price{country="US",symbol="^GSPC"}',
    'bourse_price{country="JP",symbol="JPY=X",currency="JPY"}',
  ]);
  expect([...values.keys()].filter((name) => name.startsWith("bourse_market_cap"))).toHaveLength(1);
  expect(values.get('bourse_symbol_unknown{symbol="NO\\"NE"}')).toBe("1");
});

test("have an error as a comment", async () => {
  const response = await get("");
  expect([response.status, await response.text()]).toEqual([400, "# symbols is missing.\n"]);
});
