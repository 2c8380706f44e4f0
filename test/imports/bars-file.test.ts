import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { DailyBar } from "#domain/daily-bar.ts";
import { BourseError } from "#domain/errors.ts";
import { type BarsFileOptions, parseBars } from "#imports/bars-file.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

const defaults: BarsFileOptions = { country: "US", assetType: "stock", fileName: "X.csv" };

const read = (text: string, options: Partial<BarsFileOptions> = {}) =>
  parseBars(text, { ...defaults, ...options });
const barsOf = (text: string, options: Partial<BarsFileOptions> = {}) => read(text, options).bars;
const datesOf = (text: string) => barsOf(text).map(({ date }) => date);

/** The sentence with which a text is refused. */
function refusalOf(text: string, options: Partial<BarsFileOptions> = {}): string {
  try {
    read(text, options);
  } catch (error) {
    if (error instanceof BourseError && error.code === "invalid_argument") return error.message;
    throw error;
  }
  throw new Error("the text was accepted");
}

function bar(
  date: string,
  open: number,
  high: number,
  low: number,
  close: number,
  volume: number | null = null,
): DailyBar {
  return { date, open, high, low, close, volume };
}

const STOOQ = "Date,Open,High,Low,Close\n";
const STOOQ_VOLUME = "Date,Open,High,Low,Close,Volume\n";
const INVESTING = '"Date","Price","Open","High","Low","Vol.","Change %"\n';
const VNSTOCK = "time,open,high,low,close,volume\n";

/** What a file without peculiarities has beside its shape and bars. */
const PLAIN = {
  filledForward: 0,
  otherSymbols: 0,
  splits: [],
  unread: [],
  unit: "line",
  skipped: [],
  widened: [],
} as const;

/** A file of investing.com with these dates and one price. */
const investingWith = (...dates: string[]) =>
  INVESTING + dates.map((date) => `"${date}","10","10","10","10","1K","0%"\n`).join("");

describe("shapes", () => {
  test("a file without volume is read, and nothing is left out", () => {
    expect(read(`${STOOQ}2024-01-02,10,12,9,11\n`)).toEqual({
      ...PLAIN,
      shape: "stooq",
      bars: [bar("2024-01-02", 10, 12, 9, 11)],
    });
  });

  test("a midnight with an offset is the date as written", () => {
    const rows = "2024-01-02 00:00:00-05:00,10,12,9,11\n2024-01-03 00:00:00+09:00,10,12,9,11\n";
    expect(datesOf(STOOQ + rows)).toEqual(["2024-01-02", "2024-01-03"]);
  });

  /** The date of a row with that stamp in a file of one instrument; the sentence if it is refused. */
  const dateIn = (
    options: Partial<BarsFileOptions>,
    stamp: string,
    header = "Date;Open;High;Low;Close",
  ) => {
    const text = `${header}\n${stamp};1;1;1;1\n`;
    try {
      return barsOf(text, options)[0]?.date;
    } catch (error) {
      return (error as Error).message;
    }
  };
  const JP = { country: "JP" } as const;
  const US = { country: "US" } as const;

  // Tokyo is 9 hours ahead of UTC, Ha Noi 7 and New York 5 behind (4 in summer).
  test.each([
    [JP, "2024-01-09 15:00:00+00:00", "2024-01-10"],
    [JP, "2024-01-09T15:00:00.000Z", "2024-01-10"],
    [JP, "2024-01-09 15:00:00+00", "2024-01-10"],
    [JP, "20240109T150000Z", "2024-01-10"],
    [JP, "2024-01-09 15:00 UTC", "2024-01-10"],
    [JP, "Tue, 09 Jan 2024 15:00:00 GMT", "2024-01-10"],
    [JP, "Wed Jan 10 2024 00:00:00 GMT+0900 (Japan Standard Time)", "2024-01-10"],
    [JP, "2024-01-10T09:00+09:00[Asia/Tokyo]", "2024-01-10"],
    [JP, "2024-01-10 16:00 America/New_York", "2024-01-11"],
    [JP, "2024年1月10日 15:00", "2024-01-10"],
    [{ country: "VN" } as const, "2024-01-09 17:00:00+00:00", "2024-01-10"],
    [US, "2024-01-10 16:00:00-05:00", "2024-01-10"],
    [US, "2024-01-10T21:00:00Z", "2024-01-10"],
    [US, "2024-07-11 01:00:00Z", "2024-07-10"],
    [US, "25.01.2024 4:00 PM EST", "2024-01-25"],
    [US, "25.01.2024 17:35 Uhr", "2024-01-25"],
    // A midnight of the written zone only names its day, and so do midnights of UTC.
    [US, "2024-01-10 00:00:00+00:00", "2024-01-10"],
    [US, "2024-01-10 12:00 AM JST", "2024-01-10"],
    [US, "2024-01-10 09:00:00+09:00", "2024-01-10"],
    [US, "20240109 16:00:00 US/Eastern", "2024-01-09"],
    [JP, "20240109-15:00:00Z", "2024-01-10"],
    [JP, "20240109  15:00 UTC", "2024-01-10"],
    // Coins have days of UTC. Days of currencies begin at 17:00 in New York, days of futures at 18:00.
    [{ ...JP, assetType: "cryptocurrency" } as const, "2024-07-14 23:59:59Z", "2024-07-14"],
    [{ ...US, assetType: "currency" } as const, "2024-07-14 21:00:00Z", "2024-07-15"],
    [{ ...US, assetType: "currency" } as const, "2024-01-12 21:59:59Z", "2024-01-12"],
    [{ ...US, assetType: "currency" } as const, "2024-03-20 21:00:00Z", "2024-03-21"],
    [{ ...US, assetType: "currency" } as const, "2024-03-31 23:00:00Z", "2024-04-01"],
    [{ ...US, assetType: "commodity" } as const, "2024-01-14 23:00:00Z", "2024-01-15"],
    [{ ...US, assetType: "commodity" } as const, "2024-01-12 17:00:00-05:00", "2024-01-12"],
    [{ ...US, assetType: "commodity" } as const, "2024-07-12 16:00:00-05:00", "2024-07-12"],
  ])("of %o, the stamp %s is of %s", (options, stamp, date) => {
    expect(dateIn(options, stamp)).toBe(date);
  });

  test("a midnight of Tokyo among others in UTC is of the next day, a midnight of UTC of its own", () => {
    const stamps = ["2024-01-09 15:00:00+00:00", "2024-01-11 00:00:00+00:00"];
    const rows = stamps.map((stamp) => `${stamp},1,1,1,1\n`).join("");
    expect(barsOf(STOOQ + rows, JP).map(({ date }) => date)).toEqual(["2024-01-10", "2024-01-11"]);
  });

  test.each([
    ["Date (UTC);Open;High;Low;Close", "2024-01-09 15:00"],
    ["Date (UTC);Open;High;Low;Close", "2024-01-10"],
    ["Date (UTC);Open;High;Low;Close", "45300.625"],
    ["time_utc;open;high;low;close", "2024-01-09 15:00:00"],
    ["Gmt time;Open;High;Low;Close", "2024-01-09 15:00:00.000"],
    ["Local time;Open;High;Low;Close", "2024-01-09 22:00:00.000 GMT+0700"],
    ["日時(協定世界時);始値;高値;安値;終値", "2024/1/9 15:00"],
    ["日時（日本時間）;始値;高値;安値;終値", "2024/1/10 15:00"],
    ["Date (America/New_York);Open;High;Low;Close", "2024-01-09 10:00"],
    ["Date (New York time);Open;High;Low;Close", "2024-01-09 10:00"],
    ["datetime[UTC+7];open;high;low;close", "2024-01-09 22:00"],
    ["Date;UTC offset;Open;High;Low;Close", "2024-01-09 16:00;+01:00"],
    ["Date;Time (UTC);Open;High;Low;Close", "2024-01-09;15:00"],
    ["Date;Time;Open;High;Low;Close", "2024-01-09;15:00Z"],
    ["Date;Time;Open;High;Low;Close", "2024-01-10;18:00"],
    ["日時;タイムゾーン;始値;高値;安値;終値", "2024-01-09 15:00;UTC"],
    ["Date;Time;Timezone;Open;High;Low;Close", "2024-01-09;15:00;Europe/London"],
    ["Timezone: UTC\nDate;Open;High;Low;Close", "2024-01-09 15:00"],
    ["All times in UTC\nDate;Time;Open;High;Low;Close", "2024-01-09;15:00"],
    ["Múi giờ: GMT+7\nDate;Open;High;Low;Close", "2024-01-09 22:00"],
    ["Exported 2024-02-01, local time: 10:00 EST\nDate;Open;High;Low;Close", "2024-01-10 15:00"],
  ])("under the header %s, %s is 10 January in Tokyo", (header, stamp) => {
    expect(dateIn(JP, stamp, header)).toBe("2024-01-10");
  });

  test("JSON names a zone around its list", () => {
    const json = (fields: object) =>
      JSON.stringify({ ...fields, values: [{ datetime: "2024-01-09 15:00:00", close: 1 }] });
    const dateOf = (fields: object) => barsOf(json(fields), JP)[0]?.date;
    expect(dateOf({ meta: { exchange_timezone: "UTC" } })).toBe("2024-01-10");
    expect(dateOf({ meta: { "5. Time Zone": "US/Eastern" } })).toBe("2024-01-10");
    expect(dateOf({ timezone: "Asia/Tokyo" })).toBe("2024-01-09");
    expect(dateOf({})).toBe("2024-01-09");
  });

  test.each([
    ["2024-01-09 15:00 CST", undefined],
    ["2024-01-09 15:00", "Date (CST);Open;High;Low;Close"],
  ])("the zone of %s under %s is unknown, so it is refused", (stamp, header) => {
    expect(dateIn(JP, stamp, header)).toBe(
      "X.csv, line 2: the time zone 'CST' in '2024-01-09 15:00 CST' is unknown or means several: write the offset from UTC, such as +09:00, or the date alone",
    );
  });

  test("the three header rows of yfinance are read as one, for one ticker too", () => {
    const text =
      "Price,Close,High,Low,Open,Volume\nTicker,ABC,ABC,ABC,ABC,ABC\nDate,,,,,\n" +
      "2024-01-02,11,12,9,10,500\n";
    expect(barsOf(text)).toEqual([bar("2024-01-02", 10, 12, 9, 11, 500)]);
    expect(refusalOf(text.replace("12,9", "x,9"))).toBe("X.csv, line 4: high is not a number: 'x'");
  });

  test("an investing.com file is read with its quotes, thousands and volume letters", () => {
    const text =
      '\uFEFF"Date","Price","Open","High","Low","Vol.","Change %"\r\n' +
      '"16/01/2024","1,234.5","1,230.0","1,240.0","1,229.5","791.82K","0.1%"\r\n' +
      '"15/01/2024","1,230.0","1,230.0","1,240.0","1,229.5","7.27M","0.1%"\r\n' +
      '"12/01/2024","1,230.0","1,230.0","1,240.0","1,229.5","1.2B","0.1%"\r\n' +
      '"11/01/2024","1,230.0","1,230.0","1,240.0","1,229.5","3080000","0.1%"\r\n' +
      '"10/01/2024","1,230.0","1,230.0","1,240.0","1,229.5","-","0.1%"\r\n';
    expect(read(text)).toEqual({
      ...PLAIN,
      shape: "investing.com",
      bars: [
        bar("2024-01-10", 1230, 1240, 1229.5, 1230),
        bar("2024-01-11", 1230, 1240, 1229.5, 1230, 3_080_000),
        bar("2024-01-12", 1230, 1240, 1229.5, 1230, 1_200_000_000),
        bar("2024-01-15", 1230, 1240, 1229.5, 1230, 7_270_000),
        bar("2024-01-16", 1230, 1240, 1229.5, 1234.5, 791_820),
      ],
      unread: ["Change %"],
    });
  });

  test("investing.com names its close Last as well as Price", () => {
    const text = investingWith("2024-01-02");
    expect(read(text.replace("Price", "Last"))).toEqual(read(text));
  });

  test("a header is known in any letter case, with spaces around and other columns between", () => {
    const text = "no, DATE ,open,HIGH,Low,close,note,VOLUME\n1,2024-01-02,10,12,9,11,é,5\n";
    expect(read(text)).toEqual({
      ...PLAIN,
      shape: "csv",
      bars: [bar("2024-01-02", 10, 12, 9, 11, 5)],
      unread: ["no", "note"],
    });
  });

  test("lines may end in CRLF, LF or CR, with blank ones between", () => {
    const rows = ["Date,Open,High,Low,Close", "", "2024-01-02,10,12,9,11", "2024-01-03,1,2,1,2"];
    const expected = [bar("2024-01-02", 10, 12, 9, 11), bar("2024-01-03", 1, 2, 1, 2)];
    for (const end of ["\r\n", "\n", "\r"]) expect(barsOf(rows.join(end))).toEqual(expected);
  });

  test("a number with an exponent is read", () => {
    expect(barsOf(`${STOOQ}2024-01-02,1e-05,1.5E-5,9e-6,1.2e-5\n`)).toEqual([
      bar("2024-01-02", 0.00001, 0.000015, 0.000009, 0.000012),
    ]);
  });
});

describe("the unit of vnstock files", () => {
  const text = `${VNSTOCK}2024-01-02 07:00:00,64.1,72.23,1.005,69.07,1906800\n`;

  test("a Vietnamese stock, ETF or REIT is in thousand VND, exactly a thousand times as much", () => {
    // In binary fractions 64.1 * 1000 is 64099.99999999999 and 1.005 * 1000 is 1004.9999999999999.
    const inVnd = [bar("2024-01-02", 64_100, 72_230, 1_005, 69_070, 1_906_800)];
    for (const assetType of ["stock", "etf", "reit"] as const) {
      expect(read(text, { country: "VN", assetType })).toMatchObject({
        shape: "vnstock",
        bars: inVnd,
      });
    }
  });

  test("an index is in points, and so is a file of another country", () => {
    const asWritten = [bar("2024-01-02", 64.1, 72.23, 1.005, 69.07, 1_906_800)];
    expect(barsOf(text, { country: "VN", assetType: "index" })).toEqual(asWritten);
    expect(barsOf(text, { country: "US" })).toEqual(asWritten);
  });

  test("other formats of a Vietnamese stock are in VND", () => {
    const investing = investingWith("2024-01-02");
    expect(barsOf(investing, { country: "VN" })[0]?.close).toBe(10);
    expect(barsOf(`${STOOQ}2024-01-02,10,12,9,11\n`, { country: "VN" })[0]?.close).toBe(11);
  });

  test("prices that are in VND already are refused", () => {
    const inVnd = `${VNSTOCK}2024-01-02,64100,72200,64000,69100,1906800\n`;
    expect(refusalOf(inVnd, { country: "VN" })).toBe(
      "X.csv, line 2: high 72200 is too high for thousand VND, the unit of such files: " +
        "give --unit 1 if the file is in VND",
    );
    expect(barsOf(inVnd, { country: "VN", unit: 1 })[0]?.close).toBe(69_100);
  });
});

describe("units that a file names", () => {
  /** Open, close and volume of the only bar; the sentence if the file is refused. */
  const readOne = (
    country: "US" | "JP" | "VN",
    text: string,
    options: Partial<BarsFileOptions> = {},
  ) => {
    try {
      const [first] = barsOf(text, { country, ...options });
      return [first?.open, first?.close, first?.volume];
    } catch (error) {
      return (error as Error).message;
    }
  };
  const ROW = "2024-01-09;10;11;9;10.5;5\n";

  test.each([
    ["US", "Date;Open (USD);High (USD);Low (USD);Close (USD);Volume", [10, 10.5, 5]],
    [
      "US",
      "Date;Open (cents);High (cents);Low (cents);Close (cents);Volume (k)",
      [0.1, 0.105, 5_000],
    ],
    ["US", "Date;Open;High;Low;Close;Volume (millions of shares)", [10, 10.5, 5e6]],
    ["JP", "日付;始値(円);高値(円);安値(円);終値(円);出来高(千株)", [10, 10.5, 5_000]],
    ["JP", "日付;始値（千円）;高値（千円）;安値（千円）;終値（千円）;売買高(株)", [1e4, 10_500, 5]],
    [
      "VN",
      "Ngày;Mở cửa (nghìn VND);Cao nhất (nghìn VND);Thấp nhất (nghìn VND);Giá đóng cửa (nghìn VND);KL (triệu)",
      [1e4, 10_500, 5e6],
    ],
    [
      "VN",
      "Ngày;Mở cửa (x1000);Cao nhất (x1000);Thấp nhất (x1000);Đóng cửa (x1000);KLGD (10 CP)",
      [1e4, 10_500, 50],
    ],
    [
      "VN",
      "Ngay;Gia mo cua (nghin VND);Gia cao nhat (nghin VND);Gia thap nhat (nghin VND);Gia dong cua (nghin VND);KL (trieu)",
      [1e4, 10_500, 5e6],
    ],
    ["VN", "Đơn vị: nghìn đồng\nNgày;Mở cửa;Cao nhất;Thấp nhất;Đóng cửa;KL", [1e4, 10_500, 5]],
    ["JP", "単位:円、千株\n日付;始値;高値;安値;終値;出来高", [10, 10.5, 5_000]],
    ["US", "Prices in cents\nDate;Open;High;Low;Close;Volume", [0.1, 0.105, 5]],
    [
      "US",
      "Prices in USD, volume in thousands\nDate;Open;High;Low;Close;Volume",
      [10, 10.5, 5_000],
    ],
    ["US", "Volume: in thousands\nDate;Open;High;Low;Close;Volume", [10, 10.5, 5_000]],
    ["US", "(in cents)\nDate;Open;High;Low;Close;Volume", [0.1, 0.105, 5]],
    ["US", "Date;Open ($);High ($);Low ($);Close ($);Volume (mil.)", [10, 10.5, 5e6]],
    ["JP", "日付;始値(円);高値(円);安値(円);終値(円);出来高(十万株)", [10, 10.5, 5e5]],
    ["US", "Date;Open;High;Low;Close;Volume (тыс.)", [10, 10.5, 5_000]],
    ["US", "Date;Open;High;Low;Close;Volume (tys.)", [10, 10.5, 5_000]],
    ["US", "Date;Open;High;Low;Close;Volume (milliers)", [10, 10.5, 5_000]],
    ["US", "Date;Open;High;Low;Close;Volume (млн)", [10, 10.5, 5e6]],
    // A turnover, or lots of an unknown size, is no number of shares.
    ["US", "Date;Open;High;Low;Close;Volume (USD)", [10, 10.5, null]],
    ["JP", "日付;始値;高値;安値;終値;出来高（百万円）", [10, 10.5, null]],
    ["VN", "Ngày;Mở cửa;Cao nhất;Thấp nhất;Đóng cửa;Khối lượng (lô)", [10, 10.5, null]],
  ] as const)("of %s, the header %j is read", (country, header, expected) => {
    expect(readOne(country, `${header}\n${ROW}`)).toEqual([...expected]);
  });

  test("a volume with the sign of money is none", () => {
    for (const volume of ["$5", "5 €", "5円", "5 zł"])
      expect(
        readOne("US", `Date;Open;High;Low;Close;Volume\n2024-01-09;10;11;9;10.5;${volume}\n`),
      ).toEqual([10, 10.5, null]);
  });

  test("a price with the mark of a footnote is refused", () => {
    const text = "Date;Open;High;Low;Close;Volume\n2024-01-09;10;11;9;10.5¹;5\n";
    expect(readOne("US", text)).toContain("'10.5¹'");
  });

  test("a change in percent or a logarithm is no price", () => {
    for (const unit of ["%", "log"])
      expect(readOne("US", `Date;Close (${unit})\n2024-01-09;10.5\n`)).not.toEqual([
        10.5,
        10.5,
        null,
      ]);
    const header = "Date;Close (%);Open;High;Low;Close;Volume";
    expect(readOne("US", `${header}\n2024-01-09;1;10;11;9;10.5;5\n`)).toEqual([10, 10.5, 5]);
  });

  // A number or a letter that multiplies nothing: a time, a date, a delay, a company's name, a unit of trading.
  test.each([
    ["US", "AAPL in the last 100 days"],
    ["US", "Currency in USD. Data delayed 10 minutes"],
    ["US", "Currency: USD (Class B), as of 2024-10-10 15:10"],
    ["US", "Market cap in millions"],
    ["US", "Market cap (in millions)"],
    ["US", "Trading unit: 100 shares"],
    ["JP", "単位:円 (百十四銀行)"],
    ["JP", "売買単位:100株、呼値の単位:10円"],
    ["VN", "Đơn vị: Công ty CP FPT"],
    ["VN", "Đơn vị giao dịch: 100 CP"],
  ] as const)("of %s, the line %j names no factor", (country, line) => {
    const header = "Date;Open;High;Low;Close;Volume";
    expect(readOne(country, `${line}\n${header}\n${ROW}`)).toEqual([10, 10.5, 5]);
  });

  test.each([
    "10-min delayed",
    "15:10",
    "2024-10-01",
    "100% adj.",
    "Class B",
    "千葉銀行",
    "Công ty",
  ])("the header Close (%s) names no factor", (words) => {
    const header = `Date;Open (${words});High (${words});Low (${words});Close (${words});Volume (${words})`;
    expect(readOne("US", `${header}\n${ROW}`)).toEqual([10, 10.5, 5]);
  });

  test.each([
    ["Date;Open;High;Low;Close (EUR);Volume", "line 1: 'Close (EUR)' names EUR"],
    ["Date;Open;High;Low;Close (pence);Volume", "line 1: 'Close (pence)' names GBX"],
    ["Currency;EUR\nDate;Open;High;Low;Close;Volume", "line 2: 'EUR' names EUR"],
    ["Date;Open;High;Low;Close (HK$);Volume", "line 1: 'Close (HK$)' names HKD"],
    ["Date;Open;High;Low;Close (₹);Volume", "line 1: 'Close (₹)' names INR"],
    ["Date;Open;High;Low;Close (eur);Volume", "line 1: 'Close (eur)' names EUR"],
    ["Currency: eur\nDate;Open;High;Low;Close;Volume", "line 2: 'eur' names EUR"],
  ])("prices in another currency, %j, are refused", (header, words) => {
    expect(readOne("US", `${header}\n${ROW}`)).toBe(
      `X.csv, ${words}, but the prices of the instrument are in USD: import prices in USD, or give --unit 1 if they are`,
    );
    expect(readOne("US", `${header}\n${ROW}`, { unit: 1 })).toEqual([10, 10.5, 5]);
  });

  test("cells, a column and JSON name a currency too", () => {
    const refused = (where: string) => `${where}, but the prices of the instrument are in USD`;
    expect(readOne("US", `${STOOQ}2024-01-09,€10,€11,€9,€10\n`)).toContain(
      refused("open names EUR"),
    );
    expect(readOne("JP", `${STOOQ}2024-01-09,$10,$11,$9,$10\n`)).toContain("open names USD");
    expect(readOne("US", `${STOOQ}2024-01-09,$10,$11,$9,10.5 USD\n`)).toEqual([10, 10.5, null]);
    const column = "Date,Open,High,Low,Close,Currency\n2024-01-09,10,11,9,10.5,";
    expect(readOne("US", `${column}CAD`)).toContain(refused("currency names CAD"));
    expect(readOne("US", `${column}Hong Kong Dollar`)).toContain(refused("currency names HKD"));
    expect(readOne("US", `${column}Bahamian Dollar`)).toContain(
      refused("currency names Bahamian Dollar"),
    );
    expect(readOne("US", `${column}NZ$`)).toContain(refused("currency names NZD"));
    for (const code of ["USD", "usd", "US Dollar", "U.S. dollars", "$", "米ドル"])
      expect(readOne("US", column + code)).toEqual([10, 10.5, null]);
    const json = (code: string) =>
      JSON.stringify({
        meta: { currency: code },
        values: [{ datetime: "2024-01-09", close: "10" }],
      });
    expect(readOne("US", json("GBp"))).toContain(refused("'GBp' names GBX"));
    expect(readOne("US", json("USD"))).toEqual([10, 10, null]);
    expect(readOne("US", json("USX"))).toEqual([0.1, 0.1, null]);
    expect(readOne("US", json("eur"))).toContain(refused("'eur' names EUR"));
    expect(readOne("US", json("USDT"))).toContain(refused("'USDT' names USDT"));
    // An index has points.
    expect(readOne("JP", json("USD"), { assetType: "index" })).toEqual([10, 10, null]);
  });

  test("a ticker that is also the code of a currency names no currency", () => {
    // Allstate, and the lek of Albania.
    const prices = "2024-01-09,10,11,9,10.5\n";
    const zoo = `Index,ALL.Open,ALL.High,ALL.Low,ALL.Close\n${prices}`;
    expect(readOne("US", zoo, { symbol: "ALL" })).toEqual([10, 10.5, null]);
    const flat = `Date,Open ALL,High ALL,Low ALL,Close ALL\n${prices}`;
    const columns = { open: "Open ALL", high: "High ALL", low: "Low ALL", close: "Close ALL" };
    expect(readOne("US", flat, { symbol: "ALL", columns })).toEqual([10, 10.5, null]);
    expect(readOne("US", flat, { symbol: "ALB", columns })).toContain("names ALL, but");
  });

  test("prices in different units are refused", () => {
    const mixed = `Ngày;Mở cửa;Cao nhất;Thấp nhất;Đóng cửa (x1000);KL\n${ROW}`;
    expect(readOne("VN", mixed, { unit: 1_000 })).toEqual([10_000, 10_500, 5]);
    expect(readOne("VN", mixed)).toBe(
      "X.csv, line 1: 'Đóng cửa (x1000)' and 'Mở cửa' are different units of prices: write all prices in one unit, or give --unit",
    );
  });

  test("volumes of shares with the decimal mark of prices in groups of three are whole", () => {
    const of = (assetType: "stock" | "cryptocurrency", volume: string, price: string) =>
      readOne(
        "US",
        `Date;Open;High;Low;Close;Volume\n2024-01-09;${`${price};`.repeat(4)}${volume}\n`,
        { assetType },
      )[2];
    expect(of("stock", "1.234", "12.34")).toBe(1_234);
    expect(of("stock", "58,414", "12,34")).toBe(58_414);
    expect(of("stock", "1.2345", "12.34")).toBe(1.2345);
    expect(of("cryptocurrency", "1.234", "12.34")).toBe(1.234);
    // Volumes that were divided by a reverse split have fractions.
    expect(readOne("US", `${STOOQ_VOLUME}2024-01-09,12.34,12.34,12.34,12.34,123.456`)[2]).toBe(
      123.456,
    );
  });
});

describe("dates of investing.com", () => {
  test("a first number above 12 makes every date of the file day first", () => {
    const text = investingWith("05/02/2024", "31/01/2024");
    expect(datesOf(text)).toEqual(["2024-01-31", "2024-02-05"]);
  });

  test("a second number above 12 makes every date of the file month first", () => {
    const text = investingWith("2/5/2024", "1/31/2024");
    expect(datesOf(text)).toEqual(["2024-01-31", "2024-02-05"]);
  });

  test("without such a number, the order in which the dates only rise or only fall is used", () => {
    // Day first: 2 Feb, 11 Jan, 10 Jan. Month first: 2 Feb, 1 Nov, 1 Oct, which neither only rise nor only fall.
    const newestFirst = ["02/02/2024", "11/01/2024", "10/01/2024"];
    const expected = ["2024-01-10", "2024-01-11", "2024-02-02"];
    expect(datesOf(investingWith(...newestFirst))).toEqual(expected);
    expect(datesOf(investingWith(...newestFirst.toReversed()))).toEqual(expected);
    // Month first: 2 Feb, 11 Jan, 10 Jan.
    expect(datesOf(investingWith("02/02/2024", "01/11/2024", "01/10/2024"))).toEqual(expected);
  });

  test("dates that fit both orders are refused", () => {
    // 5, 4 and 3 March, or 3 May, 3 April and 3 March.
    expect(refusalOf(investingWith("03/03/2024", "04/03/2024", "05/03/2024"))).toBe(
      "X.csv, line 3: nothing in the file shows whether '04/03/2024' is day/month or month/day: " +
        "give --date-order dmy or mdy",
    );
  });

  test("dates that fit neither order are refused", () => {
    const dates = ["01/05/2024", "05/01/2024", "02/06/2024", "06/02/2024"];
    expect(refusalOf(investingWith(...dates))).toContain("whether '01/05/2024' is day/month or");
  });

  test("dates that are the same in both orders are accepted", () => {
    expect(datesOf(investingWith("02/02/2024", "01/01/2024"))).toEqual([
      "2024-01-01",
      "2024-02-02",
    ]);
  });

  test("a date that contradicts the file's order is refused", () => {
    expect(refusalOf(investingWith("31/01/2024", "01/30/2024"))).toBe(
      "X.csv, line 3: date is not a calendar date: '01/30/2024'",
    );
  });

  test("dots and hyphens may replace the slashes, and ISO dates are read", () => {
    const expected = ["2024-01-30", "2024-01-31"];
    expect(datesOf(investingWith("31.01.2024", "30.01.2024"))).toEqual(expected);
    expect(datesOf(investingWith("31-01-2024", "30-01-2024"))).toEqual(expected);
    expect(datesOf(investingWith("2024-01-31", "2024-01-30"))).toEqual(expected);
  });
});

describe("order and gaps", () => {
  test("bars are returned oldest first, for any order of the rows", () => {
    const days = Array.from({ length: 28 }, (_, i) => `2024-02-${String(i + 1).padStart(2, "0")}`);
    const shuffled = fc.shuffledSubarray(days, { minLength: 1 });
    fc.assert(
      fc.property(shuffled, (dates) => {
        const text = STOOQ + dates.map((date) => `${date},10,12,9,11\n`).join("");
        // A currency, because an instrument with sessions has no bar on a weekend.
        const bars = barsOf(text, { assetType: "currency" });
        expect(bars.map(({ date }) => date)).toEqual(dates.toSorted());
      }),
    );
  });

  test("a row with only a close is a bar of one price without volume", () => {
    const text = `${INVESTING}"31/12/2024","13,696.0","","","","",""\n`;
    expect(barsOf(text)).toEqual([bar("2024-12-31", 13_696, 13_696, 13_696, 13_696)]);
    expect(barsOf("Datum;Kurs\n30.12.2024;12,50\n")).toEqual([
      bar("2024-12-30", 12.5, 12.5, 12.5, 12.5),
    ]);
  });

  test("a row without any price is not a bar", () => {
    const text =
      `${STOOQ_VOLUME}2024-01-02,10,12,9,11,5\n2024-01-03,,,,,\n` +
      "2024-01-04,null,null,null,null,null\n2024-01-05,NaN,NaN,NaN,NaN,0\n";
    expect(datesOf(text)).toEqual(["2024-01-02"]);
  });

  test("an empty volume is null and a volume of 0 stays", () => {
    const text = `${STOOQ_VOLUME}2024-01-02,10,12,9,11,\n2024-01-03,10,12,9,11,0\n`;
    expect(barsOf(text).map(({ volume }) => volume)).toEqual([null, 0]);
  });

  const standstill =
    `${STOOQ_VOLUME}2024-01-05,11,11,11,11,7\n2024-01-04,11,11,11,11,0\n` +
    "2024-01-03,11,11,11,11,0\n2024-01-02,10,12,9,11,5\n";

  test("a day on which a share had no trades is not a bar", () => {
    for (const assetType of ["stock", "etf", "reit"] as const) {
      const bars = barsOf(standstill, { assetType });
      expect(bars.map(({ date }) => date)).toEqual(["2024-01-02", "2024-01-05"]);
    }
  });

  test("an index, a currency and a first row keep such a day", () => {
    expect(barsOf(standstill, { assetType: "index" })).toHaveLength(4);
    expect(barsOf(standstill, { assetType: "currency" })).toHaveLength(4);
    expect(barsOf(`${STOOQ_VOLUME}2024-01-02,10,10,10,10,0\n`)).toHaveLength(1);
  });

  test("a close that was filled forward over a holiday or a weekend is not a bar", () => {
    // Tokyo is closed on Thursday 23 November 2023 and trades on the 22nd and the 24th.
    const filled =
      `${STOOQ}2023-11-22,10,12,9,11\n2023-11-23,11,11,11,11\n2023-11-24,11,11,11,11\n` +
      "2023-11-25,11,11,11,11\n";
    const dates = (assetType: BarsFileOptions["assetType"]) =>
      barsOf(filled, { country: "JP", assetType }).map(({ date }) => date);
    expect(dates("stock")).toEqual(["2023-11-22", "2023-11-24"]);
    expect(dates("index")).toEqual(["2023-11-22", "2023-11-24"]);
    expect(dates("cryptocurrency")).toHaveLength(4);
    // A price that moved is a bar, also on a day without a session.
    expect(barsOf(`${STOOQ}2023-11-23,10,12,9,11\n`, { country: "JP" })).toHaveLength(1);
  });
});

describe("ranges", () => {
  const stock = (prices: string) => `${STOOQ}2024-01-02,${prices}\n`;

  test("a high and a low that rounding put inside of open and close are widened", () => {
    expect(barsOf(stock("10,10.999995,10.000005,11"))).toEqual([bar("2024-01-02", 10, 11, 10, 11)]);
  });

  test("a high below open or close is refused", () => {
    expect(refusalOf(stock("10,10.9,9,11"))).toBe("X.csv, line 2: high 10.9 is below close 11");
    expect(refusalOf(stock("11,10.9,9,10"))).toBe("X.csv, line 2: high 10.9 is below open 11");
  });

  test("a low above open or close is refused", () => {
    expect(refusalOf(stock("10,12,10.1,11"))).toBe("X.csv, line 2: low 10.1 is above open 10");
    expect(refusalOf(stock("11,12,10.1,10"))).toBe("X.csv, line 2: low 10.1 is above close 10");
  });

  test("a high below the low is refused, of an index too", () => {
    const text = stock("10,9,11,10");
    expect(refusalOf(text)).toBe("X.csv, line 2: high 9 is below low 11");
    expect(refusalOf(text, { assetType: "index" })).toBe(refusalOf(text));
  });

  test("an index's range is widened by up to 5 % and refused beyond", () => {
    const index = { assetType: "index" } as const;
    expect(barsOf(stock("100,102,101,103"), index)).toEqual([
      bar("2024-01-02", 100, 103, 100, 103),
    ]);
    expect(refusalOf(stock("100,101,100,107"), index)).toBe(
      "X.csv, line 2: high 101 is below close 107",
    );
    expect(refusalOf(stock("100,108,107,108"), index)).toBe(
      "X.csv, line 2: low 107 is above open 100",
    );
  });
});

describe("what is refused, with file, line and reason", () => {
  const good = "2024-01-02,10,12,9,11\n";
  const row = (text: string) => STOOQ + good + text;

  test.each([
    ["2024-01-03,10,12,9,abc", "close is not a number: 'abc'"],
    ["2024-01-03,0x1F,12,9,11", "open is not a number: '0x1F'"],
    ["2024-01-03,10,Infinity,9,11", "high is not a number: 'Infinity'"],
    ["2024-01-03,10,1e999,9,11", "high is not a number: '1e999'"],
    [
      '2024-01-03,10.5,12,"9,5",11',
      "'9,5' does not fit '10.5' in line 3: write all numbers with one decimal mark",
    ],
    ["2024-01-03,0,12,9,11", "open is not above 0: '0'"],
    ["2024-01-03,10,12,-9,11", "low is not above 0: '-9'"],
    ["2024-01-03,,12,9,11", "open is missing"],
    ["2024-01-03,10,,9,11", "high is missing"],
    ["2024-01-03,10,12,,11", "low is missing"],
    ["2024-01-03,10,12,9,", "close is missing"],
    ["2024-13-03,10,12,9,11", "date is not a calendar date: '2024-13-03'"],
    ["2023-02-29,10,12,9,11", "date is not a calendar date: '2023-02-29'"],
    ["2024-00-10,10,12,9,11", "date is not a calendar date: '2024-00-10'"],
    ["0024-01-03,10,12,9,11", "date is not a calendar date: '0024-01-03'"],
    ["2024-01-03 noon,10,12,9,11", "date is not a calendar date: '2024-01-03 noon'"],
    [",10,12,9,11", "date is not a calendar date: ''"],
    ["2024-01-03,10,12,9", "the row has 4 cells, the header has 5"],
    ["2024-01-03,1,234,1,235,1,230,1,231", "the row has 9 cells, the header has 5"],
    [
      "2024-01-02,10,12,9,11",
      "date 2024-01-02 appears here and in line 2: a file holds one bar a day",
    ],
    ['2024-01-03,10,12,9,"11', "a quote is never closed"],
    ["2024-01-03,10,12,9,\uFFFD", "the file is not text in a known encoding: save it as UTF-8"],
    ["2024-01-03,10,12,9,\0", "the file is not text in a known encoding: save it as UTF-8"],
  ])("the row %j", (text, reason) => {
    expect(refusalOf(row(`${text}\n`))).toBe(`X.csv, line 3: ${reason}`);
  });

  test("a leap day is a date", () => {
    expect(datesOf(row("2024-02-29,10,12,9,11\n"))).toContain("2024-02-29");
  });

  test.each([
    ["many", "volume is not a number: 'many'"],
    ["K", "volume is not a number: 'K'"],
    ["5X", "volume is not a number: '5X'"],
    ["-5", "volume is below 0: '-5'"],
  ])("the volume %j", (volume, reason) => {
    const text = `${STOOQ_VOLUME}2024-01-02,10,12,9,11,${volume}\n`;
    expect(refusalOf(text)).toBe(`X.csv, line 2: ${reason}`);
  });

  test("a date after today; today itself is accepted", () => {
    const text = row("2024-01-03,10,12,9,11\n");
    expect(refusalOf(text, { today: "2024-01-02" })).toBe(
      "X.csv, line 3: date 2024-01-03 is after today, 2024-01-02",
    );
    expect(barsOf(text, { today: "2024-01-03" })).toHaveLength(2);
  });

  test("a file without content, and a header without a price", () => {
    expect(refusalOf("")).toBe("X.csv, line 1: the file is empty");
    expect(refusalOf("\uFEFF\r\n\r\n")).toBe("X.csv, line 1: the file is empty");
    const reason = "X.csv, line 1: no row with a price follows the header";
    expect(refusalOf(STOOQ)).toBe(reason);
    expect(refusalOf(INVESTING)).toBe(reason);
    expect(refusalOf("Price,Close,High,Low,Open,Volume\n")).toContain("X.csv, line 1: the header");
    expect(refusalOf(`${STOOQ}2024-01-02,,,,\n`)).toBe(reason);
  });

  test("an unknown header, naming it and the flag that names its columns", () => {
    const advice =
      "name the columns with --columns date=NAME,open=NAME,high=NAME,low=NAME,close=NAME,volume=NAME";
    expect(refusalOf("Datum;Erster;Hoch\n2024-01-02;1;2\n")).toBe(
      `X.csv, line 1: the header 'Datum;Erster;Hoch' has no known name for close and low: ${advice}`,
    );
    expect(refusalOf("No data\n")).toBe(
      `X.csv, line 1: the header 'No data' has no known name for date and close: ${advice}`,
    );
    expect(refusalOf(`${"x".repeat(1000)}\n`)).toContain(`the header '${"x".repeat(60)}…' has`);
    expect(refusalOf("Date,High,Close\n2024-01-02,2,1\n")).toBe(
      "X.csv, line 1: the header has no column for open and low: " +
        "name it with --columns open=NAME,low=NAME",
    );
  });

  test("a file of several instruments", () => {
    const text =
      "Price,Close,Close,High,High,Low,Low,Open,Open\nTicker,A,B,A,B,A,B,A,B\nDate,,,,,,,,\n" +
      "2024-01-02,11,21,12,22,9,19,10,20\n";
    expect(refusalOf(text)).toBe(
      "X.csv, line 1: the header has 2 columns for close (Close, Close): " +
        "name the right one with --columns close=NAME, or the instrument with --symbol",
    );
  });

  test("a file whose rows name their instruments, which may differ from the requested one", () => {
    const text =
      "country,symbol,date,open,high,low,close,volume\nUS,AAPL,2024-01-02,10,12,9,11,100\n";
    expect(refusalOf(text)).toBe(
      "X.csv, line 1: the header has country and symbol, so each row names its instrument: " +
        "leave out --country and --symbol",
    );
  });

  test("a web page saved as CSV", () => {
    const reason = "X.csv, line 1: the file is a web page, not CSV: download it again";
    expect(refusalOf("<!DOCTYPE html>\n<html><body>Sign in</body></html>\n")).toBe(reason);
    expect(refusalOf("\uFEFF\n <html lang=en>\n")).toBe(reason);
    expect(refusalOf('<?xml version="1.0"?>\n')).toBe(reason);
  });

  test("a workbook and UTF-16 saved as CSV", () => {
    const workbook = new TextDecoder().decode(new Uint8Array([0x50, 0x4b, 3, 4, 0x14, 0, 0xff]));
    expect(refusalOf(workbook)).toBe(
      "X.csv, line 1: the file is a workbook or a ZIP archive: save it as CSV, or unpack it",
    );
    const utf16 = new TextDecoder().decode(Buffer.from(STOOQ + good, "utf16le"));
    expect(refusalOf(utf16)).toBe(
      "X.csv, line 1: the file is not text in a known encoding: save it as UTF-8",
    );
  });
});

const textOf = (name: string) => recordedText(`prices/${name}`);

describe.skipIf(!hasRecordings)("real files (../shared/data/prices)", () => {
  // Rows: lines of the file without the header. Bars: copied from its first and last line.
  test.each([
    {
      fileName: "7203.csv",
      country: "JP",
      assetType: "stock",
      shape: "stooq",
      rows: 6819,
      filledForward: 130,
      oldest: bar("1999-05-06", 384.8149, 398.0463, 380.4044, 398.0463),
      newest: bar("2026-08-21", 3066, 3132, 3056, 3132),
    },
    {
      fileName: "nkx.csv",
      country: "JP",
      assetType: "index",
      shape: "stooq",
      rows: 15151,
      filledForward: 4,
      oldest: bar("1965-01-05", 1257.72, 1257.72, 1257.72, 1257.72),
      newest: bar("2026-08-21", 65427.6914, 66125.8828, 65260.2188, 66016.3594),
    },
    {
      fileName: "AAPL_yfinance.csv",
      country: "US",
      assetType: "stock",
      shape: "yfinance",
      rows: 60,
      oldest: bar(
        "2026-05-27",
        308.3299865722656,
        313.260009765625,
        308.29998779296875,
        310.8500061035156,
        50_430_900,
      ),
      newest: bar(
        "2026-08-20",
        317.4599914550781,
        320.2799987792969,
        310.6499938964844,
        311.29998779296875,
        40_895_100,
      ),
    },
    {
      fileName: "FPT_investing.csv",
      country: "VN",
      assetType: "stock",
      shape: "investing.com",
      rows: 1750,
      oldest: bar("2018-12-28", 13_696, 13_696, 13_696, 13_696),
      newest: bar("2025-12-31", 96_800, 97_000, 95_200, 95_800, 3_080_000),
    },
    {
      // Written as 47.56, 47.66, 47.26, 47.36 and 71.1, 71.7, 70.3, 70.8 thousand VND.
      fileName: "FPT_vci.csv",
      country: "VN",
      assetType: "stock",
      shape: "vnstock",
      rows: 1213,
      oldest: bar("2021-08-16", 47_560, 47_660, 47_260, 47_360, 1_906_800),
      newest: bar("2026-08-07", 71_100, 71_700, 70_300, 70_800, 4_301_800),
    },
    {
      fileName: "VNINDEX.csv",
      country: "VN",
      assetType: "index",
      shape: "vnstock",
      rows: 5633,
      // Line 1146: Saturday 16 August 2008 at 900.26, between 488.94 on Friday and 520.51 on Monday.
      skipped: [1146],
      oldest: bar("2004-01-05", 167.69, 169.16, 167.69, 169.16, 202_210),
      newest: bar("2026-08-21", 1733.52, 1768.31, 1725.4, 1768.12, 783_548_119),
    },
  ] as const)("$fileName is read whole", ({ fileName, rows, oldest, newest, ...row }) => {
    const { skipped, filledForward, ...file } = { skipped: [], filledForward: 0, ...row };
    const text = textOf(fileName);
    expect(text.trim().split("\n")).toHaveLength(rows + 1);
    const options = { ...file, fileName, today: "2026-08-21" };
    const { shape, bars, ...read } = parseBars(text, { ...options, onBad: "skip" });
    if (skipped.length === 0) expect(parseBars(text, options).bars).toEqual(bars);
    expect(shape).toBe(file.shape);
    expect(read.skipped.map(({ line }) => line)).toEqual([...skipped]);
    expect(bars).toHaveLength(rows - filledForward - skipped.length);
    expect(bars[0]).toEqual(oldest);
    expect(bars.at(-1)).toEqual(newest);
    for (const { open, high, low, close } of bars) {
      expect(low).toBeLessThanOrEqual(Math.min(open, close));
      expect(high).toBeGreaterThanOrEqual(Math.max(open, close));
    }
  });

  test("two sources of FPT have the same days and, except for dividends, the same closes", () => {
    const investing = barsOf(textOf("FPT_investing.csv"), { country: "VN" });
    const vnstock = barsOf(textOf("FPT_vci.csv"), { country: "VN" });
    const closes = new Map(investing.map(({ date, close }) => [date, close]));
    const shared = vnstock.filter(({ date }) => date <= "2025-12-31");
    expect(shared).toHaveLength(1066);
    for (const { date, close } of shared) {
      // Five years of dividends make the adjusted closes of one up to 3.6 % lower.
      expect(close / (closes.get(date) ?? 0)).toBeWithin(0.96, 0.99);
    }
  });

  test("VNINDEX.csv is read as written except for a Saturday and 29 ranges that miss open or close", () => {
    const text = textOf("VNINDEX.csv");
    const options = { country: "VN", assetType: "index", fileName: "VNINDEX.csv" } as const;
    expect(refusalOf(text, options)).toBe(
      "VNINDEX.csv, line 1146: 2008-08-16 is a Saturday, when VN exchanges are closed: " +
        "check the dates, or give --on-bad skip to leave such rows out",
    );
    const written = text
      .trim()
      .split("\n")
      .slice(1)
      .filter((line) => !line.startsWith("2008-08-16"))
      .map((line) => line.split(",").slice(1, 5).map(Number));
    const { bars, widened } = read(text, { ...options, onBad: "skip" });
    expect(widened).toHaveLength(29);
    const changed = bars.filter(
      (read, i) => String([read.open, read.high, read.low, read.close]) !== String(written[i]),
    );
    expect(changed).toHaveLength(29);
    // Line 389: 253.58,254.15,253.58,246.31.
    expect(changed[0]).toEqual(bar("2005-07-25", 253.58, 254.15, 246.31, 246.31, 273_820));
    const fault = "low 253.58 is above close 246.31";
    expect(widened[0]).toEqual({ line: 389, reason: fault });
    expect(refusalOf(text, { ...options, assetType: "stock" })).toBe(
      `VNINDEX.csv, line 389: ${fault}`,
    );
    // As the file of a stock, all 29 are widened with onBad widen. The Saturday is still refused.
    expect(refusalOf(text, { ...options, assetType: "stock", onBad: "widen" })).toContain(
      "line 1146",
    );
  });
});

describe("long cells", () => {
  const digits = `${"9".repeat(40_000)}x`;

  test.each([
    [`${STOOQ}2024-01-02,1,2,1,2\n2024-01-03,1,2,1,${digits}\n`, "line 3"],
    [`${STOOQ}2024-01-02,1,2,1,2\n${digits},1,2,1,2\n`, "line 3"],
    [`${STOOQ}2024-01-02,1,2,1,2\n2024-01-03,1,2,1,2${" ".repeat(600)}000\n`, "line 3"],
    [`${"prices in x ".repeat(20_000)}\n${STOOQ}2024-01-02,1,2,1,x\n`, "line 3"],
  ])("are no figure, in time (%#)", (text, place) => {
    expect(refusalOf(text)).toContain(place);
  });

  test("that are not read do not matter", () => {
    const text = `Date,Open,High,Low,Close,Note\n2024-01-02,1,2,1,2,${"word ".repeat(2_000)}\n`;
    expect(barsOf(text)).toEqual([bar("2024-01-02", 1, 2, 1, 2)]);
  });
});
