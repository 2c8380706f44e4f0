import { afterAll, describe, expect, test } from "bun:test";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const { token, link } = service.createFeedLink();

async function read(path: string): Promise<string> {
  const response = await fetch(`${service.origin}/feed/${link}/sheets/${path}`);
  if (response.status !== 200) throw new Error(`${response.status} ${await response.text()}`);
  return response.text();
}

/** The cells of CSV without quotes. */
const cells = (csv: string) =>
  csv
    .trimEnd()
    .split("\r\n")
    .map((line) => line.split(","));

async function rest(path: string): Promise<string> {
  return (await service.request(path, token)).text();
}

describe("quotes.csv", () => {
  test("has the figures of compare_stocks in the order of the symbols, whatever their notation", async () => {
    const csv = await read(
      "quotes.csv?symbols=7203.T,AAPL,HOSE:FPT,AAPL&fields=price,changepct,pe,currency",
    );
    const compared = await rest(
      "/data/stocks/compare?symbols=JP:7203,US:AAPL,VN:FPT&metrics=price,change_percent,pe&format=csv",
    );
    const [names = [], ...rows] = cells(compared.replaceAll(/"[^"]*"/g, ""));
    const figures = (symbol: string) => {
      const row = rows.find((one) => one[names.indexOf("symbol")] === symbol);
      return ["price", "change_percent", "pe", "currency"].map(
        (name) => row?.[names.indexOf(name)],
      );
    };
    expect(cells(csv)).toEqual([
      ["symbol", "price", "change_percent", "pe", "currency"],
      ["7203.T", ...figures("7203")],
      ["AAPL", ...figures("AAPL")],
      ["HOSE:FPT", ...figures("FPT")],
      ["AAPL", ...figures("AAPL")],
    ] as string[][]);
  });

  test("an empty parameter is one that is left out", async () => {
    expect(await read("quotes.csv?symbols=AAPL&fields=")).toBe(
      await read("quotes.csv?symbols=AAPL"),
    );
    const value = await read("value?symbol=AAPL&field=");
    expect([value, Number(value) > 0]).toEqual([await read("value?symbol=AAPL"), true]);
  });

  test("one value of a delisted share says when it was delisted", async () => {
    const response = await fetch(`${service.origin}/feed/${link}/sheets/value?symbol=TWTR`);
    expect([response.status, await response.text()]).toEqual([
      404,
      expect.stringContaining("TWTR (Twitter, Inc.) was delisted on 2022-10-27"),
    ]);
  });

  test("has every figure of compare_stocks with fields=all", async () => {
    const [names = [], row = []] = cells(await read("quotes.csv?symbols=7203&fields=all"));
    const path = "/data/stocks/compare?symbols=JP:7203&metrics=all&format=csv";
    const [columns = []] = cells(await rest(path));
    expect(names.toSorted()).toEqual(columns.toSorted());
    expect(row[0]).toBe("7203");
  });

  test("has a row of empty cells for an unknown symbol", async () => {
    const rows = cells(await read("quotes.csv?symbols=NONE,AAPL&fields=price"));
    expect(rows[1]).toEqual(["NONE", ""]);
    expect(Number(rows[2]?.[1])).toBeGreaterThan(0);
  });

  test("has a row for each place between commas, so that rows stay beside their cells", async () => {
    const rows = cells(await read("quotes.csv?symbols=AAPL,,MSFT,%20,&fields=price,currency"));
    const prices = rows
      .slice(1)
      .map(([symbol, price, currency]) => [symbol, price !== "", currency]);
    expect(prices).toEqual([
      ["AAPL", true, "USD"],
      ["", false, ""],
      ["MSFT", true, "USD"],
      ["", false, ""],
      ["", false, ""],
    ]);
  });

  test("refuses a field that does not exist, more than 100 symbols, and none", async () => {
    for (const [query, words] of [
      ["symbols=AAPL&fields=prise", "Did you mean price"],
      [`symbols=${"AAPL,".repeat(101)}`, "1 to 100 symbols"],
      ["symbols=,", "1 to 100 symbols"],
      ["fields=price", "symbols is missing"],
    ] as const)
      expect(String(await read(`quotes.csv?${query}`).catch((error) => error))).toContain(words);
  });
});

test("value is one bare figure", async () => {
  const rows = cells(await read("quotes.csv?symbols=VNINDEX&fields=price"));
  expect(await read("value?symbol=VNINDEX")).toBe(rows[1]?.[1] ?? "");
  expect(await read("value?symbol=7203.T&field=name")).toBe("Toyota Motor Corporation");
});

test("history.csv has the bars of get_stock_price_history", async () => {
  const csv = await read("history.csv?symbol=FPT.VN&range=3m&interval=1wk");
  const query = "country=VN&range=3m&interval=1wk&fields=ohlcv&format=csv";
  expect(csv).toBe(await rest(`/data/stocks/FPT/history?${query}`));
});

test("label=start dates a week by its Monday and a month by its first day, with the same prices", async () => {
  for (const [interval, isFirst] of [
    ["1wk", (day: Date) => day.getUTCDay() === 1],
    ["1mo", (day: Date) => day.getUTCDate() === 1],
  ] as const) {
    const path = `history.csv?symbol=AAPL&range=6m&interval=${interval}`;
    const [[, ...bySession], [, ...byStart]] = [
      cells(await read(path)),
      cells(await read(`${path}&label=start`)),
    ];
    expect(byStart.map(([, ...prices]) => prices)).toEqual(
      bySession.map(([, ...prices]) => prices),
    );
    expect(byStart.every(([date]) => isFirst(new Date(String(date))))).toBe(true);
    expect(bySession.every(([date]) => isFirst(new Date(String(date))))).toBe(false);
  }
  const days = "history.csv?symbol=AAPL&range=1m";
  expect(await read(`${days}&label=start`)).toBe(await read(days));
  expect(await read(`${days}&label=end`).catch(String)).toContain("label must be session");
  expect(await read(`${days}&label=start&interval=weekly`).catch(String)).toContain(
    "With label=start, interval must be one of 1d, 1wk, 1mo.",
  );
});

test("decimal=comma is in tables and in one value", async () => {
  const swap = (text: string) => text.replaceAll(",", ";").replaceAll(".", ",");
  for (const path of ["quotes.csv?symbols=AAPL,MSFT&fields=price,pe", "value?symbol=AAPL"])
    expect(await read(`${path}&decimal=comma`)).toBe(swap(await read(path)));
  const history = "history.csv?symbol=7203.T&range=1m";
  expect(await read(`${history}&decimal=comma`)).toBe(swap(await read(history)));
  const wrong = await read("value?symbol=AAPL&decimal=dot").catch(String);
  expect(wrong).toContain("decimal must be point or comma");
});
