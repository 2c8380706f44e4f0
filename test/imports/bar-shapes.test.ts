import { describe, expect, test } from "bun:test";
import { BourseError } from "#domain/errors.ts";
import { type BarsFileOptions, parseBars } from "#imports/bars-file.ts";
import { decodeText } from "#imports/text-encoding.ts";

/**
 * Files of daily bars as tools write them, typed by hand from their documented formats. Each holds the
 * same two days of its country, so the expected bars are written once: date, open, high, low, close,
 * volume.
 */
const US = [
  ["2024-01-02", 187.15, 188.44, 183.89, 185.64, 82_488_700],
  ["2024-01-03", 184.22, 185.88, 183.43, 184.25, 58_414_500],
] as const;
const JP = [
  ["2024-01-04", 2550, 2605.5, 2528, 2600, 33_124_500],
  ["2024-01-05", 2617, 2655, 2611, 2640.5, 35_443_700],
] as const;
const VN = [
  ["2024-01-02", 96_100, 96_900, 95_800, 96_400, 1_562_300],
  ["2024-01-03", 96_400, 96_700, 95_100, 95_700, 1_906_800],
] as const;

const OF = {
  US: { expected: US, options: { country: "US", symbol: "AAPL" } },
  JP: { expected: JP, options: { country: "JP", symbol: "7203" } },
  VN: { expected: VN, options: { country: "VN", symbol: "FPT" } },
} as const;

const read = (content: string | Uint8Array, options: Partial<BarsFileOptions>) => {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  return parseBars([...decodeText([bytes])].join(""), {
    country: "US",
    assetType: "stock",
    fileName: "x.csv",
    today: "2026-11-20",
    ...options,
  });
};

/** As UTF-16 with its byte order mark; `swap` for big endian. */
function utf16(text: string, { swap = false, mark = true } = {}): Uint8Array {
  const bytes = Buffer.from((mark ? "\uFEFF" : "") + text, "utf16le");
  return swap ? bytes.swap16() : bytes;
}

/** The Shift-JIS bytes of the Japanese header 日付,始値,高値,安値,終値,出来高. */
const SJIS_HEADER = Uint8Array.from(
  "93fa9574 2c 8e6e926c 2c 8d82926c 2c 88c0926c 2c 8f49926c 2c 8f6f97888d82 0d0a"
    .replaceAll(" ", "")
    .match(/../g) ?? [],
  (hex) => Number.parseInt(hex, 16),
);
const ascii = (text: string) => new TextEncoder().encode(text);
const latin1 = (text: string) => Uint8Array.from(text, (character) => character.charCodeAt(0));

type Country = keyof typeof OF;
type Text = string | Uint8Array;
/** A file that needs options, or has no volumes. */
interface Shape {
  readonly text: Text;
  readonly options?: Partial<BarsFileOptions>;
  readonly hasNoVolume?: true;
}

/** The files of each country. A key is where the file is from, and the name that the report gives it. */
const SHAPES: Readonly<Record<Country, Readonly<Record<string, Text | Shape>>>> = {
  US: {
    "Stooq → stooq":
      "Date,Open,High,Low,Close,Volume\r\n2024-01-02,187.15,188.44,183.89,185.64,82488700\r\n2024-01-03,184.22,185.88,183.43,184.25,58414500\r\n",
    "Stooq's bulk ASCII files → Stooq bulk":
      "<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>,<OPENINT>\nAAPL.US,D,20240102,000000,187.15,188.44,183.89,185.64,82488700,0\nAAPL.US,D,20240103,000000,184.22,185.88,183.43,184.25,58414500,0\n",
    "stooq.pl → stooq.pl":
      "Data,Otwarcie,Najwyzszy,Najnizszy,Zamkniecie,Wolumen\n2024-01-02,187.15,188.44,183.89,185.64,82488700\n2024-01-03,184.22,185.88,183.43,184.25,58414500\n",
    // 1704205800 is 2024-01-02 14:30 UTC, 9:30 in New York.
    "TradingView, its default with Unix time at the opening of the session → TradingView":
      "time,open,high,low,close,Volume\n1704205800,187.15,188.44,183.89,185.64,82488700\n1704292200,184.22,185.88,183.43,184.25,58414500\n",
    "TradingView with ISO time and an indicator → TradingView":
      "time,open,high,low,close,MA,Volume\n2024-01-02,187.15,188.44,183.89,185.64,,82488700\n2024-01-03,184.22,185.88,183.43,184.25,185.1,58414500\n",
    "Nasdaq.com, newest first → Nasdaq.com":
      "Date,Close/Last,Volume,Open,High,Low\n01/16/2024,$183.63,65603040,$182.16,$184.26,$180.934\n01/03/2024,$184.25,58414500,$184.22,$185.88,$183.43\n01/02/2024,$185.64,82488700,$187.15,$188.44,$183.89\n",
    "Alpha Vantage → Alpha Vantage":
      "timestamp,open,high,low,close,volume\r\n2024-01-03,184.2200,185.8800,183.4300,184.2500,58414500\r\n2024-01-02,187.1500,188.4400,183.8900,185.6400,82488700\r\n",
    "Alpha Vantage, adjusted → Alpha Vantage":
      "timestamp,open,high,low,close,adjusted_close,volume,dividend_amount,split_coefficient\r\n2024-01-03,184.22,185.88,183.43,184.25,182.1,58414500,0.0000,1.0\r\n2024-01-02,187.15,188.44,183.89,185.64,183.5,82488700,0.0000,1.0\r\n",
    "Alpha Vantage's JSON → Alpha Vantage":
      '{"Meta Data":{"2. Symbol":"AAPL"},"Time Series (Daily)":{"2024-01-03":{"1. open":"184.22","2. high":"185.88","3. low":"183.43","4. close":"184.25","5. volume":"58414500"},"2024-01-02":{"1. open":"187.15","2. high":"188.44","3. low":"183.89","4. close":"185.64","5. volume":"82488700"}}}',
    "Twelve Data → Twelve Data":
      "datetime;open;high;low;close;volume\n2024-01-03;184.22000;185.88000;183.42999;184.25000;58414500\n2024-01-02;187.14999;188.44000;183.89000;185.64000;82488700\n"
        .replace("183.42999", "183.43")
        .replace("187.14999", "187.15"),
    "Twelve Data's JSON → Twelve Data":
      '{"meta":{"symbol":"AAPL"},"values":[{"datetime":"2024-01-03","open":"184.22","high":"185.88","low":"183.43","close":"184.25","volume":"58414500"},{"datetime":"2024-01-02","open":"187.15","high":"188.44","low":"183.89","close":"185.64","volume":"82488700"}],"status":"ok"}',
    // 1704171600000 is 2024-01-02 05:00 UTC.
    "Polygon's aggregates as CSV, midnight of New York in milliseconds → Polygon":
      "t,o,h,l,c,v\n1704171600000,187.15,188.44,183.89,185.64,82488700\n1704258000000,184.22,185.88,183.43,184.25,58414500\n",
    "Polygon's JSON → Polygon":
      '{"ticker":"AAPL","queryCount":2,"results":[{"v":82488700,"vw":186.1,"o":187.15,"c":185.64,"h":188.44,"l":183.89,"t":1704171600000,"n":1},{"v":58414500,"vw":184.3,"o":184.22,"c":184.25,"h":185.88,"l":183.43,"t":1704258000000,"n":1}],"status":"OK"}',
    "Polygon's flat files, in nanoseconds, with other instruments → Polygon":
      "ticker,volume,open,close,high,low,window_start,transactions\nA,1,1,1,1,1,1704171600000000000,5\nAAPL,82488700,187.15,185.64,188.44,183.89,1704171600000000000,5\nAAPL,58414500,184.22,184.25,185.88,183.43,1704258000000000000,5\n",
    "Tiingo → Tiingo":
      "date,close,high,low,open,volume,adjClose,adjHigh,adjLow,adjOpen,adjVolume,divCash,splitFactor\n2024-01-02 00:00:00+00:00,185.64,188.44,183.89,187.15,82488700,184.9,187.6,183.1,186.3,82488700,0.0,1.0\n2024-01-03 00:00:00+00:00,184.25,185.88,183.43,184.22,58414500,183.5,185.1,182.7,183.4,58414500,0.0,1.0\n",
    "EODHD → EODHD":
      "Date,Open,High,Low,Close,Adjusted_close,Volume\n2024-01-02,187.15,188.44,183.89,185.64,184.9,82488700\n2024-01-03,184.22,185.88,183.43,184.25,183.5,58414500\n",
    "Yahoo's download → Yahoo Finance":
      "Date,Open,High,Low,Close,Adj Close,Volume\n2024-01-02,187.150000,188.440002,183.889999,185.639999,184.938217,82488700\n2024-01-03,184.220001,185.880005,183.429993,184.250000,183.553482,58414500\n"
        .replace("188.440002", "188.44")
        .replace("183.889999", "183.89")
        .replace("185.639999", "185.64")
        .replace("184.220001", "184.22")
        .replace("185.880005", "185.88")
        .replace("183.429993", "183.43"),
    "Yahoo's page, copied into a sheet (tab) → Yahoo Finance":
      "Date\tOpen\tHigh\tLow\tClose\tAdj Close\tVolume\nJan 3, 2024\t184.22\t185.88\t183.43\t184.25\t182.98\t58,414,500\nJan 2, 2024\t187.15\t188.44\t183.89\t185.64\t184.36\t82,488,700\n",
    "yfinance → yfinance":
      "Date,Open,High,Low,Close,Volume,Dividends,Stock Splits\n2024-01-02 00:00:00-05:00,187.15,188.44,183.89,185.64,82488700,0.0,0.0\n2024-01-03 00:00:00-05:00,184.22,185.88,183.43,184.25,58414500,0.0,0.0\n",
    "yfinance of several tickers, fields over tickers → yfinance":
      "Price,Close,Close,High,High,Low,Low,Open,Open,Volume,Volume\nTicker,AAPL,MSFT,AAPL,MSFT,AAPL,MSFT,AAPL,MSFT,AAPL,MSFT\nDate,,,,,,,,,,\n2024-01-02,185.64,370.87,188.44,375.9,183.89,366.77,187.15,373.86,82488700,25258600\n2024-01-03,184.25,370.6,185.88,373.26,183.43,368.51,184.22,369.01,58414500,23083500\n",
    "yfinance of several tickers, tickers over fields → yfinance":
      "Ticker,MSFT,MSFT,MSFT,MSFT,MSFT,AAPL,AAPL,AAPL,AAPL,AAPL\nPrice,Open,High,Low,Close,Volume,Open,High,Low,Close,Volume\nDate,,,,,,,,,,\n2024-01-02,373.86,375.9,366.77,370.87,25258600,187.15,188.44,183.89,185.64,82488700\n2024-01-03,369.01,373.26,368.51,370.6,23083500,184.22,185.88,183.43,184.25,58414500\n",
    "pandas with its numbered index → csv":
      ",Date,Open,High,Low,Close,Volume\n0,2024-01-02,187.15,188.44,183.89,185.64,82488700\n1,2024-01-03,184.22,185.88,183.43,184.25,58414500\n",
    "pandas with the date as a nameless index → csv":
      ",open,high,low,close,volume\n2024-01-02,187.15,188.44,183.89,185.64,82488700\n2024-01-03,184.22,185.88,183.43,184.25,58414500\n",
    "quantmod's write.zoo, with prefixed columns → csv":
      '"Index","AAPL.Open","AAPL.High","AAPL.Low","AAPL.Close","AAPL.Volume","AAPL.Adjusted"\n2024-01-02,187.15,188.44,183.89,185.64,82488700,184.7\n2024-01-03,184.22,185.88,183.43,184.25,58414500,183.3\n',
    "Google Sheets' GOOGLEFINANCE → Google Sheets":
      "Date,Open,High,Low,Close,Volume\n1/2/2024 16:00:00,187.15,188.44,183.89,185.64,82488700\n1/3/2024 16:00:00,184.22,185.88,183.43,184.25,58414500\n1/16/2024 16:00:00,182.16,184.26,180.93,183.63,65603000\n",
    // 45293 is 2024-01-02: 45292 days from 1899-12-31 with Excel's 29 February 1900, plus one.
    "a sheet whose dates became Excel's serial numbers → csv":
      "Date,Open,High,Low,Close,Volume\n45293,187.15,188.44,183.89,185.64,82488700\n45294,184.22,185.88,183.43,184.25,58414500\n",
    "investing.com → investing.com":
      '\uFEFF"Date","Price","Open","High","Low","Vol.","Change %"\n"01/16/2024","183.63","182.16","184.26","180.93","65.08M","-1.23%"\n"01/03/2024","184.25","184.22","185.88","183.43","58.4145M","-0.75%"\n"01/02/2024","185.64","187.15","188.44","183.89","82.4887M","-3.58%"\n',
    "investing.com in German → investing.com":
      '\uFEFF"Datum","Zuletzt","Eröffn.","Hoch","Tief","Vol.","+/- %"\n"16.01.2024","183,63","182,16","184,26","180,93","65,08M","-1,23%"\n"03.01.2024","184,25","184,22","185,88","183,43","58,4145M","-0,75%"\n"02.01.2024","185,64","187,15","188,44","183,89","82,4887M","-3,58%"\n',
    "Excel in German: semicolons and decimal commas, windows-1252 → csv": latin1(
      "Datum;Eröffnung;Hoch;Tief;Schlußkurs;Stücke\r\n02.01.2024;187,15;188,44;183,89;185,64;82488700\r\n03.01.2024;184,22;185,88;183,43;184,25;58414500\r\n16.01.2024;182,16;184,26;180,93;183,63;65603000\r\n;;;;;\r\n",
    ),
    "ariva.de: grouped counts of shares, and a turnover → csv":
      "Datum;Erster;Hoch;Tief;Schlusskurs;Stuecke;Volumen\n2024-01-03;184,22;185,88;183,43;184,25;58.414.500;10.762.871.625\n2024-01-02;187,15;188,44;183,89;185,64;82.488.700;15.313.202.268\n",
    "Excel with sep= in its first line → csv":
      "sep=;\r\nDate;Open;High;Low;Close;Volume\r\n2024-01-02;187.15;188.44;183.89;185.64;82488700\r\n2024-01-03;184.22;185.88;183.43;184.25;58414500\r\n",
    "UTF-16 BE → stooq": utf16(
      "Date,Open,High,Low,Close,Volume\n2024-01-02,187.15,188.44,183.89,185.64,82488700\n2024-01-03,184.22,185.88,183.43,184.25,58414500\n",
      { swap: true },
    ),
    "UTF-16 LE without a byte order mark → stooq": utf16(
      "Date,Open,High,Low,Close,Volume\n2024-01-02,187.15,188.44,183.89,185.64,82488700\n2024-01-03,184.22,185.88,183.43,184.25,58414500\n",
      { mark: false },
    ),
    "MetaTrader 5: tabs, dots in dates, no count of shares → MetaTrader": {
      text: "<DATE>\t<OPEN>\t<HIGH>\t<LOW>\t<CLOSE>\t<TICKVOL>\t<VOL>\t<SPREAD>\r\n2024.01.02\t187.15\t188.44\t183.89\t185.64\t51234\t0\t3\r\n2024.01.03\t184.22\t185.88\t183.43\t184.25\t49876\t0\t3\r\n",
      hasNoVolume: true,
    },
    "MetaTrader 4: no header → MetaTrader":
      "2024.01.02,00:00,187.15,188.44,183.89,185.64,82488700\r\n2024.01.03,00:00,184.22,185.88,183.43,184.25,58414500\r\n",
    "an unknown format, with --columns by name → csv": {
      text: "when|first|top|bottom|fixing|pieces\n2024-01-02|187.15|188.44|183.89|185.64|82488700\n2024-01-03|184.22|185.88|183.43|184.25|58414500\n",
      options: {
        columns: {
          date: "when",
          open: "first",
          high: "top",
          low: "bottom",
          close: "fixing",
          volume: "pieces",
        },
      },
    },
    "an unknown format without header, with --columns by position → csv": {
      text: "185.64;2024-01-02;187.15;188.44;183.89;82488700\n184.25;2024-01-03;184.22;185.88;183.43;58414500\n",
      options: { columns: { date: "2", open: "3", high: "4", low: "5", close: "1", volume: "6" } },
    },
  },
  JP: {
    "TradingView of a Tokyo share, whose session opens at 0:00 UTC → TradingView":
      "time,open,high,low,close,Volume\n1704326400,2550,2605.5,2528,2600,33124500\n1704412800,2617,2655,2611,2640.5,35443700\n",
    "investing.com in Japanese → investing.com":
      '\uFEFF"日付け","終値","始値","高値","安値","出来高","変化率 %"\n"2024年01月05日","2,640.5","2,617.0","2,655.0","2,611.0","35.4437M","1.56%"\n"2024年01月04日","2,600.0","2,550.0","2,605.5","2,528.0","33.1245M","0.37%"\n',
    "Excel's Unicode text: UTF-16 LE, tabs → csv": utf16(
      "日付\t始値\t高値\t安値\t終値\t出来高\r\n2024/1/4\t2,550\t2,605.5\t2,528\t2,600\t33,124,500\r\n2024/1/5\t2,617\t2,655\t2,611\t2,640.5\t35,443,700\r\n",
    ),
    "a Japanese broker's Shift-JIS → csv": Buffer.concat([
      SJIS_HEADER,
      ascii(
        "2024/01/04,2550,2605.5,2528,2600,33124500\r\n2024/01/05,2617,2655,2611,2640.5,35443700\r\n",
      ),
    ]),
    "Kabutan: two-digit years, newest first → Kabutan":
      "日付\t始値\t高値\t安値\t終値\t前日比\t前日比％\t売買高(株)\n24/01/05\t2,617\t2,655\t2,611\t2,640.5\t+40.5\t+1.6\t35,443,700\n24/01/04\t2,550\t2,605.5\t2,528\t2,600\t+9.5\t+0.4\t33,124,500\n",
    "Yahoo! Finance Japan, copied → Yahoo Finance Japan":
      "日付\t始値\t高値\t安値\t終値\t出来高\t調整後終値\n2024年1月5日\t2,617\t2,655\t2,611\t2,640.5\t35,443,700\t2,640.5\n2024年1月4日\t2,550\t2,605.5\t2,528\t2,600\t33,124,500\t2,600\n",
    "k-db: a title before the header → csv":
      "7203-T,トヨタ自動車,東証1部\n日付,始値,高値,安値,終値,出来高,売買代金\n2024-01-05,2617,2655,2611,2640.5,35443700,93000000000\n2024-01-04,2550,2605.5,2528,2600,33124500,85000000000\n",
    "J-Quants, version 1: the columns that are adjusted for a later split of five for one → J-Quants":
      "Date,Code,Open,High,Low,Close,UpperLimit,LowerLimit,Volume,TurnoverValue,AdjustmentFactor,AdjustmentOpen,AdjustmentHigh,AdjustmentLow,AdjustmentClose,AdjustmentVolume\n2024-01-04,72030,12750,13027.5,12640,13000,0,0,6624900,1,1.0,2550,2605.5,2528,2600,33124500\n2024-01-05,72030,13085,13275,13055,13202.5,0,0,7088740,1,1.0,2617,2655,2611,2640.5,35443700\n",
    "J-Quants, version 2: short names → J-Quants":
      "Date,Code,O,H,L,C,UL,LL,Vo,Va,AdjFactor,AdjO,AdjH,AdjL,AdjC,AdjVo\n2024-01-04,72030,12750,13027.5,12640,13000,0,0,6624900,1,1.0,2550,2605.5,2528,2600,33124500\n2024-01-05,72030,13085,13275,13055,13202.5,0,0,7088740,1,1.0,2617,2655,2611,2640.5,35443700\n",
    "J-Quants, version 2, without adjusted columns → J-Quants":
      "Date,Code,O,H,L,C,Vo,Va\n2024-01-04,72030,2550,2605.5,2528,2600,33124500,1\n2024-01-05,72030,2617,2655,2611,2640.5,35443700,1\n",
    "a Japanese file with the dates of an era → csv":
      "日付,始値,高値,安値,終値,出来高\n令和6年1月4日,2550,2605.5,2528,2600,33124500\nR6.1.5,2617,2655,2611,2640.5,35443700\n",
  },
  VN: {
    "investing.com in Vietnamese → investing.com":
      '"Ngày","Lần cuối","Mở","Cao","Thấp","KL","% Thay đổi"\n"16/01/2024","96,400.0","96,400.0","96,400.0","96,400.0","0.01K","0%"\n"03/01/2024","95,700.0","96,400.0","96,700.0","95,100.0","1.9068M","-0.73%"\n"02/01/2024","96,400.0","96,100.0","96,900.0","95,800.0","1.5623M","0.31%"\n"29/12/2023","96,100.0","96,100.0","96,100.0","96,100.0","0.01K","0%"\n',
    "CafeF: thousand VND, all tickers of an exchange in one file → CafeF":
      "<Ticker>,<DTYYYYMMDD>,<Open>,<High>,<Low>,<Close>,<Volume>\nAAA,20240103,9.6,9.8,9.5,9.7,1000\nFPT,20240103,96.4,96.7,95.1,95.7,1906800\nFPT,20240102,96.1,96.9,95.8,96.4,1562300\nVNM,20240102,67.6,68.2,67.5,68,1000\n",
    "vnstock: thousand VND → vnstock":
      "time,open,high,low,close,volume\n2024-01-02,96.1,96.9,95.8,96.4,1562300\n2024-01-03,96.4,96.7,95.1,95.7,1906800\n",
    "vnstock with pandas' index → vnstock":
      ",time,open,high,low,close,volume\n0,2024-01-02 07:00:00,96.1,96.9,95.8,96.4,1562300\n1,2024-01-03 07:00:00,96.4,96.7,95.1,95.7,1906800\n",
    "SSI: day before month, each row with its symbol → csv":
      "Symbol,Market,TradingDate,Open,High,Low,Close,Volume,Value\nFPT,HOSE,02/01/2024,96100,96900,95800,96400,1562300,1\nFPT,HOSE,03/01/2024,96400,96700,95100,95700,1906800,1\nFPT,HOSE,16/01/2024,96400,96700,95100,95700,1906800,1\n",
    // 1704160800 is 2024-01-02 02:00 UTC, 9:00 in Viet Nam.
    "a broker's chart data (UDF): arrays by column, thousand VND → UDF": {
      text: '{"t":[1704160800,1704247200],"o":[96.1,96.4],"h":[96.9,96.7],"l":[95.8,95.1],"c":[96.4,95.7],"v":[1562300,1906800],"s":"ok"}',
      options: { unit: 1_000 },
    },
    "FireAnt's JSON → json": {
      text: '[{"date":"2024-01-03T00:00:00","symbol":"FPT","priceHigh":96.7,"priceLow":95.1,"priceOpen":96.4,"priceAverage":96,"priceClose":95.7,"totalVolume":1906800},{"date":"2024-01-02T00:00:00","symbol":"FPT","priceHigh":96.9,"priceLow":95.8,"priceOpen":96.1,"priceAverage":96,"priceClose":96.4,"totalVolume":1562300}]',
      options: { unit: 1_000 },
    },
    "CafeF's page: Vietnamese headers, an adjusted price first → csv": {
      text: "Ngày;Giá điều chỉnh;Giá đóng cửa;Thay đổi;Khối lượng khớp lệnh;Giá mở cửa;Giá cao nhất;Giá thấp nhất\n16/01/2024;81,2;95,7;-0,7;1.906.800;96,4;96,7;95,1\n03/01/2024;81,2;95,7;-0,7;1.906.800;96,4;96,7;95,1\n02/01/2024;81,8;96,4;0,3;1.562.300;96,1;96,9;95,8\n",
      options: { unit: 1_000 },
    },
  },
};

describe("files of daily bars from many tools", () => {
  const files = Object.entries(SHAPES).flatMap(([country, shapes]) =>
    Object.entries(shapes).map(([name, shape]) => [name, country as Country, shape] as const),
  );
  test.each(files)("%s", (name, country, written) => {
    const { expected, options } = OF[country];
    const shape: Shape =
      typeof written === "string" || written instanceof Uint8Array ? { text: written } : written;
    const file = read(shape.text, { ...options, ...shape.options });
    const days = new Set<string>(expected.map(([date]) => date));
    const rows = file.bars
      .filter(({ date }) => days.has(date))
      .map((bar) => [bar.date, bar.open, bar.high, bar.low, bar.close, bar.volume]);
    const wanted = expected.map((row) =>
      shape.hasNoVolume ? [...row.slice(0, 5), null] : [...row],
    );
    expect(rows).toEqual(wanted);
    expect(file.shape).toBe(name.split(" → ").at(-1) ?? "");
    expect([file.skipped, file.widened]).toEqual([[], []]);
  });
});

const FLAGS = "--columns date=NAME,open=NAME,high=NAME,low=NAME,close=NAME,volume=NAME";

describe("files that are refused, with a sentence that says what to do", () => {
  test.each<[string, string | Uint8Array, string]>([
    [
      "prices whose decimal mark the file does not show",
      "Date;Open;High;Low;Close\n2024-01-02;1.234;1.236;1.230;1.235\n",
      "line 2: nothing in the file shows whether the mark in '1.234' is a decimal mark: give --decimal point or --decimal comma",
    ],
    [
      "several bars a day",
      "time,open,high,low,close,Volume\n1704205800,1,1,1,1,1\n1704209400,1,2,1,1,1\n",
      "line 3: date 2024-01-02 appears here and in line 2: a file holds one bar a day",
    ],
    [
      "an adjusted close alone",
      "Date,Open,High,Low,Adj Close\n2024-01-02,1,1,1,1\n",
      `line 1: the header 'Date,Open,High,Low,Adj Close' has no known name for close: name the columns with ${FLAGS}`,
    ],
    [
      "bars of another instrument",
      "<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>\nMSFT.US,D,20240102,000000,1,1,1,1,1\n",
      "line 1: the rows belong to 'MSFT.US', not to AAPL: give --columns symbol=none if they are the same",
    ],
    [
      "yfinance's columns of another instrument",
      "Price,Close,High,Low,Open,Volume\nTicker,MSFT,MSFT,MSFT,MSFT,MSFT\nDate,,,,,\n2024-01-02,1,1,1,1,1\n",
      "line 1: the file is of 'MSFT', not of AAPL: give --columns symbol=none if they are the same",
    ],
    [
      "yfinance's columns of several others",
      "Price,Close,Close\nTicker,MSFT,KO\nDate,,\n2024-01-02,1,1\n",
      "line 2: the columns belong to 'MSFT', 'KO', not to the instrument",
    ],
    [
      "JSON that names another instrument",
      '{"meta":{"symbol":"KO"},"values":[{"datetime":"2024-01-03","close":"7"}]}',
      "record 1: the file is of 'KO', not of AAPL: give --columns symbol=none if they are the same",
    ],
    [
      "JSON without bars",
      '{"quoteSummary":{"result":[{"price":{"maxAge":1}}]}}',
      `the JSON has no list with a date and a close: name its fields with ${FLAGS}`,
    ],
    [
      "a workbook",
      Uint8Array.from([0x50, 0x4b, 3, 4, 0x14, 0, 6, 0]),
      "line 1: the file is a workbook or a ZIP archive: save it as CSV, or unpack it",
    ],
    [
      "an old workbook",
      Uint8Array.from([0xd0, 0xcf, 0x11, 0xe0, 0xa1, 0xb1, 0x1a, 0xe1]),
      "line 1: the file is a workbook or a ZIP archive: save it as CSV, or unpack it",
    ],
    [
      "a compressed file",
      Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0]),
      "line 1: the file is compressed: unpack it, such as with <(gzip -dc FILE)",
    ],
    [
      "a date after the end of a Japanese era",
      "日付,始値,高値,安値,終値\nH31.5.7,1,1,1,1\n",
      "line 2: date is not a calendar date: 'H31.5.7'",
    ],
    [
      "a figure that a spreadsheet could not compute",
      "Date,Open,High,Low,Close\n2024-01-02,1,1,1,#N/A\n",
      "line 2: close is not a number: '#N/A': give --on-bad skip to leave such rows out",
    ],
    [
      "a dividend between prices, as pasted from a page",
      "Date,Open,High,Low,Close,Volume\n2024-01-02,1,1,1,1,5\n2024-01-03,0.24 Dividend\n",
      "line 3: the row has 2 cells, the header has 6: give --on-bad skip to leave such rows out",
    ],
    [
      "CafeF's trading of foreign investors",
      "Ngày,KLGD ròng,GTGD ròng,Thay đổi,KL mua,GT mua,KL bán,GT bán,Giá đóng cửa\n02/01/2024,1,1,1,1,1,1,1,96.4\n",
      "of shares that investors bought and sold, not of prices: import a file with the prices",
    ],
    [
      "the same as JSON",
      '{"Data":[{"Ngay":"02/01/2024","KLMua":1,"GtMua":1,"KLBan":1,"GtBan":1}]}',
      "of shares that investors bought and sold, not of prices: import a file with the prices",
    ],
  ])("%s", (_, text, words) => {
    let message = "accepted";
    try {
      read(text, { symbol: "AAPL" });
    } catch (error) {
      if (!(error instanceof BourseError)) throw error;
      message = error.message;
    }
    expect(message).toContain(words);
    expect(message).toStartWith("x.csv, ");
    expect(message).not.toContain("\n");
  });
});

test.each([
  ["MSFT", "stock", "MSFT"],
  ["NASDAQ:MSFT", "stock", "MSFT"],
  ["BRK-B", "stock", "BRK.B"],
  ["7203.TYO", "stock", "7203"],
  ["TSE:72030", "stock", "7203"],
  ["", "stock", "MSFT"],
  ["USD/JPY", "currency", "JPY=X"],
  ["SPX", "index", "^GSPC"],
] as const)("a file of %s is one of the %s %s", (ticker, assetType, symbol) => {
  for (const text of [
    `Price,Close\nTicker,${ticker}\nDate,\n2024-01-02,7\n`,
    `{"meta":{"symbol":"${ticker}"},"values":[{"datetime":"2024-01-02","close":"7"}]}`,
    `{"Meta Data":{"2. Symbol":"${ticker}"},"Series":{"2024-01-02":{"4. close":"7"}}}`,
  ])
    expect(read(text, { symbol, assetType }).bars.map(({ close }) => close)).toEqual([7]);
});

test("a file of another instrument is read with symbol=none", () => {
  const text = '{"ticker":"KO","prices":[{"time":"2024-01-02","close":7}]}';
  expect(() => read(text, { symbol: "AAPL" })).toThrow("the file is of 'KO', not of AAPL");
  expect(read(text, { symbol: "AAPL", columns: { symbol: null } }).bars).toHaveLength(1);
});

test("a JSON list may name a column in its last rows only", () => {
  const rows = Array.from({ length: 12 }, (_, i) => ({
    date: `2024-01-${String(i + 1).padStart(2, "0")}`,
    close: 100 + i,
    ...(i >= 10 && { open: 100, high: 120, low: 90, volume: i }),
  }));
  const { bars } = read(JSON.stringify(rows), { assetType: "cryptocurrency" });
  expect(bars.slice(-3).map(({ volume }) => volume)).toEqual([null, 10, 11]);
});

test.each([
  ["令和元年5月7日", "2019-05-07"],
  ["令和5年1月4日(水)", "2023-01-04"],
  ["R05/01/04", "2023-01-04"],
  ["平成31年4月26日", "2019-04-26"],
  ["H1.1.9", "1989-01-09"],
  ["昭和63年12月28日", "1988-12-28"],
  ["S24-05-16", "1949-05-16"],
])("the date %s is %s", (written, date) => {
  const text = `日付,始値,高値,安値,終値\n${written},1,1,1,1\n`;
  expect(read(text, { country: "JP" }).bars.map((bar) => bar.date)).toEqual([date]);
});

test("columns without a meaning are named, and a column of splits is read", () => {
  const file = read(
    "Date,Open,High,Low,Close,Adj Close,Volume,Dividends,Stock Splits\n2020-08-28,1,1,1,1,1,5,0,0\n2020-08-31,1,1,1,1,1,5,0,4\n",
    {},
  );
  expect(file.unread).toEqual(["Adj Close", "Dividends"]);
  expect(file.splits).toEqual([{ exDate: "2020-08-31", numerator: 4, denominator: 1 }]);
});

test("our own export has a split_factor, which is no split of its day", () => {
  const text =
    "symbol,date,open,high,low,close,volume,split_factor,total_return_factor\n" +
    "AAPL,2024-01-02,10,12,9,11,100,4,0.98\nAAPL,2024-01-03,10,12,9,11,100,1,1\n";
  const file = parseBars(text, { country: "US", assetType: "stock", fileName: "US.csv" });
  expect([file.splits, file.unread]).toEqual([[], ["split_factor", "total_return_factor"]]);
});

test.each([
  ["US", "Aug 31, 2020\t4:1 Stock Splits", 4, 1],
  ["US", "Aug 31, 2020\t1:8 Stock Split\t\t\t\t\t", 1, 8],
  ["US", "2020-08-31\t1-for-10 reverse split", 1, 10],
  ["JP", "2020年8月31日\t分割: 1株 -> 5株", 5, 1],
  // A page that is read into a data frame repeats the cell.
  ["JP", `2020年8月31日${"\t分割: 1株 -> 1.1株".repeat(6)}`, 1.1, 1],
  ["JP", "2020年8月31日\t併合：10株 → 1株", 1, 10],
] as const)("of %s, the row %j among prices is a split", (country, row, numerator, denominator) => {
  const prices = "Date\tOpen\tHigh\tLow\tClose\tAdj Close\tVolume\n2020-08-28\t1\t1\t1\t1\t1\t5\n";
  const file = read(prices + row, { country });
  expect(file.splits).toEqual([{ exDate: "2020-08-31", numerator, denominator }]);
  expect([file.bars.length, file.skipped]).toEqual([1, []]);
});

test.each(["配当: 60円", "0.24 Dividend", "0.5 Capital Gain", "分割", "Cổ tức 10%"])(
  "the row of an event, %s, is refused with the flag that skips it",
  (event) => {
    const text = `Date,Open,High,Low,Close\n2020-08-28,1,1,1,1\n2020-08-31,${event}\n`;
    expect(() => read(text, {})).toThrow(
      "line 3: the row has 2 cells, the header has 5: give --on-bad skip to leave such rows out",
    );
    expect(read(text, { onBad: "skip" }).bars).toHaveLength(1);
  },
);
