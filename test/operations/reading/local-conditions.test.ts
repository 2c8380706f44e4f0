import { describe, expect, test } from "bun:test";
import { METRIC_NAMES } from "#analytics/metrics.ts";
import { BourseError } from "#domain/errors.ts";
import { adviceOn } from "#operations/reading/metric-advice.ts";
import { findMetric, vietnameseNames } from "#operations/reading/metric-names.ts";
import { parseScreen } from "#operations/reading/screen-language.ts";
import { readConditions, splitCurrency } from "#operations/reading/written-conditions.ts";

/** The screen that a text means: `pe>=5,pe<=10`. Amounts are without their currency. */
const meaning = (text: string): string =>
  parseScreen((readConditions(text) ?? text).replaceAll(/(?<=[<>=≤≥])(?:USD|JPY|VND)/g, ""))
    .map((alternative) =>
      alternative
        .map(({ metric, operator, right }) =>
          right.kind === "number" ? `${metric}${operator}${right.value}` : `${metric}${operator}?`,
        )
        .join(","),
    )
    .join(" or ");

const refusalOf = (text: string): BourseError => {
  try {
    throw new Error(`${text} is read as ${meaning(text)}.`);
  } catch (error) {
    if (error instanceof BourseError) return error;
    throw error;
  }
};

test.each([
  "next_ex_date>=2026-11-21",
  "next_ex_date>=2026-11-21,next_ex_date<=2026-11-28",
  "next_ex_date<=2026-11-28 and pe<20",
  "next_ex_date<=2026/11/28 or next_ex_date>=2026.12.01",
])("the date in %s is no range of numbers", (text) => {
  expect(readConditions(text)).toBeNull();
});

describe("conditions as people in Japan write them", () => {
  test.each(
    Object.entries({
      "時価総額 5,000億円以上": "market_cap>=500000000000",
      "時価総額が1兆5,000億円以上": "market_cap>=1500000000000",
      "時価総額1,000億円~5,000億円": "market_cap>=100000000000,market_cap<=500000000000",
      "株価が1,000円以下": "price<=1000",
      "price<¥1,000": "price<1000",
      // As listings and 決算短信 write amounts: github.com/geolonia/japanese-numeral/issues/20, birchill/10ten-ja-reader/issues/1399.
      "株価>1万4200円": "price>14200",
      "株価が1万2,000円以下": "price<=12000",
      "時価総額>39,800万円": "market_cap>398000000",
      "売上高10,000百万円以上": "revenue>=10000000000",
      "配当利回り　３％　以上": "dividend_yield>=3",
      "配当利回り3～5%": "dividend_yield>=3,dividend_yield<=5",
      PER10倍以上20倍以下: "pe>=10,pe<=20",
      PER10倍以上20倍未満: "pe>=10,pe<20",
      "PERが10〜20倍": "pe>=10,pe<=20",
      "PBR<1 and ROE5~10%": "pb<1,roe>=5,roe<=10",
      "PBR<1 or ROE5から10%": "pb<1 or roe>=5,roe<=10",
      連続増配10年以上: "dividend_years_raised>=10",
      従業員数1000人以上: "employees>=1000",
      従業員数が1000人未満: "employees<1000",
      値上がり率5パーセント以上: "change_percent>=5",
      実績PER15倍以下: "pe<=15",
      来期PER15倍以下: "forward_pe<=15",
      "騰落率（1年）>20": "return_1y>20",
      ストップ高銘柄: "below_ceiling<=0",
      "ＲＯＥ≧１０％、PER≦15": "roe>=10,pe<=15",
      "ROE8%以上 PBR1倍以下": "roe>=8,pb<=1",
      "PER15倍以下・PBR 1倍以下": "pe<=15,pb<=1",
      "PER15倍以下 または ROE10%以上": "pe<=15 or roe>=10",
      連続増配5期以上: "dividend_years_raised>=5",
      従業員1万人以上: "employees>=10000",
      "PER10〜20倍かつROE10%以上": "pe>=10,pe<=20,roe>=10",
      PER10倍以上かつ20倍以下かつROE8以上: "pe>=10,pe<=20,roe>=8",
      "騰落率-10〜-5%": "change_percent>=-10,change_percent<=-5",
      "52週高値1000〜2000円": "high_52w>=1000,high_52w<=2000",
      外国人保有枠の残り10万株以上: "foreign_room>=100000",
      "1年>5年": "return_1y>?",
      "PER15倍以下 || ROE10%以上": "pe<=15 or roe>=10",
      "PER15倍以下 && ROE10%以上": "pe<=15,roe>=10",
      "PER15倍以下 hoặc ROE>10": "pe<=15 or roe>10",
    }),
  )("%s", (text, expected) => {
    expect(meaning(text)).toBe(expected);
  });
});

describe("conditions as people in Viet Nam write them", () => {
  test.each(
    Object.entries({
      "vốn hóa > 10.000 tỷ": "market_cap>10000000000000",
      "vốn hóa trên 1,5 nghìn tỷ": "market_cap>1500000000000",
      "vốn hóa > 10 ngàn tỷ": "market_cap>10000000000000",
      "vốn hóa > 10k tỷ đồng": "market_cap>10000000000000",
      "vốn hóa từ 1000 tỷ đến 5000 tỷ": "market_cap>=1000000000000,market_cap<=5000000000000",
      "vốn hóa 1.000 - 5.000 tỷ": "market_cap>=1000000000000,market_cap<=5000000000000",
      "vốn hóa 1000 tỷ trở lên": "market_cap>=1000000000000",
      "giá < 20.000đ": "price<20000",
      "giá ≥ 20.000₫": "price>=20000",
      "vốn hóa 10-20 nghìn tỷ": "market_cap>=10000000000000,market_cap<=20000000000000",
      "P/E 5-10": "pe>=5,pe<=10",
      "giá từ 20.000 đến 30.500 đồng": "price>=20000,price<=30500",
      "KLGD > 1.234.567 cổ phiếu": "volume>1234567",
      "vốn hóa > 500tr đồng": "market_cap>500000000",
      "nợ vay/vốn chủ sở hữu < 0,5": "debt_to_equity<0.5",
      "ROE từ 15% trở lên": "roe>=15",
      "ROE > 15 %": "roe>15",
      "ROE lớn hơn hoặc bằng 15,5%": "roe>=15.5",
      "P/E từ 5 đến 10 và P/B < 1,2": "pe>=5,pe<=10,pb<1.2",
      "cổ tức tiền mặt > 1000 đồng": "dividend_per_share>1000",
      "cổ phiếu tăng trần": "below_ceiling<=0",
      "hiệu suất 1 năm > 20%": "return_1y>20",
      "von hoa > 10 nghin ty": "market_cap>10000000000000",
      "von hoa tren 1.000 ty dong": "market_cap>1000000000000",
      "von hoa tu 1000 ty den 5000 ty": "market_cap>=1000000000000,market_cap<=5000000000000",
      "gia duoi 20 nghin va ROE > 15%": "price<20000,roe>15",
      "tang truong doanh thu > 20%": "revenue_growth>20",
      "ty suat co tuc>5 hoac pe<5": "dividend_yield>5 or pe<5",
      "bien loi nhuan gop>=30": "gross_margin>=30",
      "khi gia duoi 20 nghin": "price<20000",
      "gia duoi 20.000 dong va P/E tu 5 den 10": "price<20000,pe>=5,pe<=10",
      "ROE từ 15% trở lên và P/B < 1": "roe>=15,pb<1",
      "tiền và tương đương tiền > 5 tỷ và tiền mặt < 9 tỷ": "cash>5000000000,cash<9000000000",
      // A multiple and a percentage hardly have thousands.
      "P/E > 12.345 lần": "pe>12.345",
      "ROE > 12.345 và giá < 20 nghìn": "roe>12.345,price<20000",
    }),
  )("%s", (text, expected) => {
    expect(meaning(text)).toBe(expected);
  });

  test.each(
    Object.entries({
      "giá < 12.345": "Write 12.345 as 12345 if",
      "gia < 12.345": "Write 12.345 as 12345 if",
      "EPS trên 3.525": "Write 3.525 as 3525 if",
      "khối lượng > 1.000.000": "Write 1.000.000 as 1000000 if",
      // Without marks, T is as unclear as with them: tỷ or nghìn tỷ.
      "von hoa > 10T": "Write 10 tỷ for 10 billion",
      "doanh thu>10T": "Write 10 tỷ for 10 billion",
      "P/E<10,LNST>5T": "Write 5 tỷ for 5 billion",
      "cổ tức > 5%": "write dividend_yield",
      // In English, tr is a trillion.
      "volume>1tr": "Separate conditions with commas",
    }),
  )("%s is asked back", (text, hint) => {
    expect(refusalOf(text).details.hint).toContain(hint);
  });

  test("English conditions stay as they are", () => {
    for (const text of [
      "market_cap>10T",
      "price<12.345",
      "pe<10",
      "market_cap>1.234B",
      "next_ex_date<2026-12-01",
      "filing_date≥2026-12-01",
      "fiscal_period>=2026-Q3,next_ex_date>=2026-11-01 and next_ex_date<=2026-11-30",
    ])
      expect(readConditions(text)).toBeNull();
  });

  test.each(
    Object.entries({
      "return_1y 5-10": "return_1y>=5,return_1y<=10",
      "52 week low 100-200": "low_52w>=100,low_52w<=200",
      "revenue_growth -5-5": "revenue_growth>=-5,revenue_growth<=5",
      "change_percent -5 - -1": "change_percent>=-5,change_percent<=-1",
      "market_cap $10-20B": "market_cap>=10000000000,market_cap<=20000000000",
      "market cap 1B-5B": "market_cap>=1000000000,market_cap<=5000000000",
      "price between 100 and 300 JPY": "price>=100,price<=300",
      "ROE 5%-10": "roe>=5,roe<=10",
      "alert me when pe 10 - 15": "pe>=10,pe<=15",
      "next_ex_date between 2026-12-01 and 2026-12-31": "next_ex_date>=20788,next_ex_date<=20818",
    }),
  )("the range %s has its whole name and its signs", (text, expected) => {
    expect(meaning(text)).toBe(expected);
  });

  test.each([
    "next_ex_date 2026-12-01",
    "PER20〜10倍",
    "株価5000-1万円",
    "時価総額5億〜10",
    "株価10倍以上",
    "配当利回り3倍以上",
    "株価が3期以上",
    "PER100人以下",
    "自己資本比率5年超え",
    "ROE > 5 cổ phiếu",
    "giá > 5 lần",
    "株価>US$100円",
    "時価総額10.000億円以上",
  ])("%s is refused: its unit or its order fits no figure", (text) => {
    expect(refusalOf(text).code).toBe("invalid_argument");
  });

  test("a currency is read beside an amount only", () => {
    const read = (text: string) => splitCurrency(readConditions(text) ?? text);
    for (const text of ["ROE>5円", "出来高>5万円", "pe<$10", "tỷ suất cổ tức > 500 đồng"])
      expect(() => read(text)).toThrow("is no amount");
    expect(read("price>¥500,pe<10")).toEqual({ where: "price>500,pe<10", currency: "JPY" });
  });

  test("a text of the longest length is read within 20 ms", () => {
    const words = ["PERが", "giá ", "1", "1-", "pe between ", "=1 và ", " ", "not ", "từ 5 "];
    for (const text of words.map((word) => word.repeat(1_000).slice(0, 1_000))) {
      // The quickest of five, because other programs use the machine too.
      const times = Array.from({ length: 5 }, () => {
        const before = performance.now();
        readConditions(text);
        return performance.now() - before;
      });
      expect([text.slice(0, 9), Math.min(...times) < 20]).toEqual([text.slice(0, 9), true]);
    }
  });

  test("names without marks have the meaning of the names with them", () => {
    for (const [plain, marked] of vietnameseNames()) {
      expect([plain, findMetric(plain)]).toEqual([plain, findMetric(marked)]);
      expect(findMetric(marked)).not.toBeNull();
    }
    expect(vietnameseNames().get("von hoa")).toBe("vốn hóa");
  });
});

describe("a name that the market can mean otherwise has a note", () => {
  test.each(
    Object.entries({
      "予想PER<15": "the next fiscal year",
      "nợ/vốn chủ sở hữu<1": "borrowings",
      "biến động>5%": "annual",
      "bien dong>5": "annual",
      "lợi nhuận từ hoạt động kinh doanh>0": "line 30 of VAS",
    }),
  )("%s", (text, note) => {
    expect(parseScreen(readConditions(text) ?? text)[0]?.[0]?.note).toContain(note);
  });

  test("a name that says the year has none", () => {
    expect(parseScreen("予想PER（来期）<15")[0]?.[0]?.note).toBeUndefined();
  });
});

describe("words for questions and absent figures are refused with what to write", () => {
  test.each(
    Object.entries({
      高配当: "dividend_yield>=4",
      割安株: "pe<15 or pb<1",
      年初来高値更新: "below_high_ytd<1",
      "vượt đỉnh 52 tuần": "below_high_52w<1",
      増収増益: "revenue_growth>0,eps_growth>0",
      赤字: "net_income<0",
      フリーキャッシュフロー黒字: "free_cash_flow>0",
      ネットキャッシュ: "net_debt<0",
      "流動比率200%以上": "write 2 for 200%",
      "配当>3%": "dividend_yield",
      "lợi nhuận ròng dương": ">0",
      "ngành ngân hàng": "give industry or sector",
      "sàn HOSE": "give exchange",
      "RSI quá bán": "rsi<30",
      "vốn hóa lớn": "market_cap>10 nghìn tỷ",
      "値下がり率>3%": "change_percent<-3",
      "経常利益>100億円": "get_stock_statements",
      "予想配当利回り>3%": "get_stock_forecast",
      "今期予想PER<15": "get_stock_forecast",
      "25日移動平均乖離率>5": "get_stock_technicals",
      "信用倍率<1": "No source",
      株主優待: "No source",
      "tăng trưởng lợi nhuận>20%": "eps_growth",
      "tang truong loi nhuan>20%": "eps_growth",
      "lợi nhuận trước thuế>0": "get_stock_statements",
      "tự doanh>0": "No source",
      "cổ tức bằng cổ phiếu": "number of shares",
      "PER<業種平均": "sector.pe_median or industry.pe_median",
      "P/E < trung vị ngành": "sector.pe_median or industry.pe_median",
    }),
  )("%s", (text, hint) => {
    expect(refusalOf(text).details.hint).toContain(hint);
  });

  test("no metric is taken for one of them", () => {
    expect(METRIC_NAMES.filter((name) => adviceOn(name) !== null)).toEqual([]);
  });
});
