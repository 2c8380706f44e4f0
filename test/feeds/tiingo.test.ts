import { afterAll, describe, expect, test } from "bun:test";
import { startService } from "../support/service.ts";

const service = await startService();
afterAll(() => service.stop());
const { token, link } = service.createFeedLink();

const get = (path: string) =>
  fetch(`${service.origin}/feed/tiingo/tiingo/${path}`, {
    headers: { authorization: `Token ${link}` },
  });

interface Row {
  readonly date: string;
  readonly close: number;
  readonly adjClose: number | null;
  readonly volume: number;
  readonly adjVolume: number;
  readonly divCash: number | null;
  readonly splitFactor: number | null;
}
const rowsOf = async (path: string) => (await (await get(path)).json()) as Row[];

async function closes(query: string): Promise<number[]> {
  const path = `/data/stocks/AAPL/history?country=US&from=2020-08-03&to=2020-09-30&${query}`;
  return (await service.payload<{ closes: number[] }>(path, token)).closes;
}

describe("the daily prices of Tiingo", () => {
  const period = "daily/AAPL/prices?startDate=2020-08-03&endDate=2020-09-30";

  test("have the closes of get_stock_price_history as traded and with dividends", async () => {
    const rows = await rowsOf(period);
    expect(rows.map(({ close }) => close)).toEqual(await closes("adjust=none"));
    expect(rows.map(({ adjClose }) => adjClose)).toEqual(await closes("adjust=total"));
  });

  test("have a split and a dividend on their day", async () => {
    const rows = await rowsOf(period);
    // Apple split 4:1 on 31 August 2020, so a day before it has a quarter of the adjusted volume.
    const split = rows.find(({ date }) => date === "2020-08-31T00:00:00.000Z");
    expect(split?.splitFactor).toBe(4);
    expect(rows.filter(({ splitFactor }) => splitFactor !== 1)).toHaveLength(1);
    const [first] = rows;
    expect((first?.adjVolume ?? 0) / (first?.volume ?? 1)).toBeCloseTo(4, 3);
    expect(rows.filter(({ divCash }) => divCash !== 0)).toHaveLength(1);
  });

  test("have the dividend as it was paid, before a split", async () => {
    const paid = await rowsOf("daily/AAPL/prices?startDate=2020-06-16&endDate=2020-06-16");
    const path = "/data/stocks/AAPL/history?country=US&range=max&dividends=true&limit=1";
    const { data } = (await (await service.request(path, token)).json()) as {
      data: { dividends: { rows: [string, number][] } };
    };
    const adjusted = data.dividends.rows.find(([date]) => date === "2020-06-16")?.[1] ?? 0;
    // The prices are rounded, so their ratio is 4 to four digits.
    expect((paid[0]?.divCash ?? 0) / adjusted).toBeCloseTo(4, 2);
  });

  test("have in a week the dividends and splits of all its days", async () => {
    const weeks = await rowsOf(
      "daily/AAPL/prices?startDate=2020-06-01&endDate=2020-12-31&resampleFreq=weekly",
    );
    // Monday to Friday: the ex-dates are Tuesday 16 June, Wednesday 16 September and Wednesday 16 December. The dividend
    // of June, 0.13 in today's shares, was paid before the split 4:1.
    expect(weeks.filter(({ divCash }) => divCash !== 0)).toMatchObject([
      { date: expect.stringContaining("2020-06-19"), divCash: 0.52 },
      { date: expect.stringContaining("2020-09-18"), divCash: 0.13 },
      { date: expect.stringContaining("2020-12-18"), divCash: 0.13 },
    ]);
    expect(weeks.filter(({ splitFactor }) => splitFactor !== 1)).toHaveLength(1);
  });

  test("are the newest one without a period, and CSV if asked for", async () => {
    expect(await rowsOf("daily/7203.T/prices")).toHaveLength(1);
    const csv = await (await get(`${period}&format=csv`)).text();
    expect(csv).toStartWith(
      "date,close,high,low,open,volume,adjClose,adjHigh,adjLow,adjOpen,adjVolume,divCash,splitFactor\r\n2020-08-03,",
    );
  });

  test("describe a symbol and find one by name; an unknown one is 404 in its form", async () => {
    expect(await (await get("daily/FPT.VN")).json()).toMatchObject({
      ticker: "FPT",
      exchangeCode: "VN",
      endDate: "2026-11-20",
    });
    const found = (await (await get("utilities/search?query=toyota")).json()) as object[];
    expect(found[0]).toMatchObject({ ticker: "JP:7203", countryCode: "JP" });
    const unknown = await get("daily/NONE1/prices");
    expect([unknown.status, await unknown.json()]).toEqual([
      404,
      { detail: expect.stringContaining("Not found") },
    ]);
  });
});

test("quotes of several symbols have their newest sessions, without the unknown ones", async () => {
  const read = async (path: string) =>
    (await (await fetch(`${service.origin}/feed/tiingo/iex${path}token=${link}`)).json()) as {
      ticker: string;
    }[];
  const [apple, toyota, ...others] = await read("/?tickers=AAPL,7203.T,NONE1,AAPL&");
  expect(others).toEqual([]);
  const toyotas = service.market.instruments.find({ country: "JP", symbol: "7203" });
  const { close, volume } = service.market.bars.series(toyotas?.id ?? 0, 2);
  expect(toyota).toMatchObject({
    ticker: "JP:7203",
    last: close[1],
    prevClose: close[0],
    volume: volume[1],
    // Tokyo closes at 15:30, nine hours ahead of UTC.
    lastSaleTimestamp: "2026-11-20T06:30:00.000Z",
    bidPrice: null,
  });
  expect(await read("/AAPL?")).toEqual([apple as { ticker: string }]);
});
