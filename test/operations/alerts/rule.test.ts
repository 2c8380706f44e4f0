import { describe, expect, test } from "bun:test";
import { BourseError } from "#domain/errors.ts";
import { parseRule, parseThesis } from "#operations/alerts/rule.ts";

/** What was written, and the rule in its usual form. */
const READ: Readonly<Record<string, string>> = {
  "price<380": "price<380",
  "change_percent<-5": "change_percent<-5",
  "change_percent < −5%": "change_percent<-5%",
  "price>=high_52w": "price>=high_52w",
  "PE < pe_5y_median, RSI<30": "pe<pe_5y_median,rsi<30",
  "pe<the sector median or pb<1": "pe<sector.pe_median or pb<1",
  "rsi between 20 and 30": "rsi>=20,rsi<=30",
  '{"pe":{"lt":15}}': "pe<15",
  "price<$380": "price<380 USD",
  "price < 380 USD": "price<380 USD",
  "price falls below 380": "price<380",
  "price >= 52 week high": "price>=high_52w",
  "株価>=52週高値": "price>=high_52w",
  "PER<PER（5年中央値）": "pe<pe_5y_median",
  "giá <= thấp nhất 52 tuần": "price<=low_52w",
  "price crosses above $380": "price>380 USD",
  株価が380円以下: "price<=380 JPY",
  ＰＥＲは１５を下回る: "pe<15",
  PBR1倍割れ: "pb<1",
  "PER15倍以下、配当利回り3%以上": "pe<=15,dividend_yield>=3%",
  株価が2800円以下になったら: "price<=2800 JPY",
  "株価が2,800円以下": "price<=2800 JPY",
  "giá < 25.000 đồng": "price<25000 VND",
  株価が2800円を割り込んだら: "price<2800 JPY",
  株価が280ドルを超えた時: "price>280 USD",
  PERが10倍を下回る: "pe<10",
  PERが10倍以下かつROEが20以上: "pe<=10,roe>=20",
  "PER<10 または ROE>30": "pe<10 or roe>30",
  "P/E dưới 15 và ROE trên 25%": "pe<15,roe>25%",
  "P/E < 15 hoặc ROE > 25": "pe<15 or roe>25",
  "tiền và tương đương tiền > 5 tỷ": "cash>5B",
  "khi giá dưới 5 đô la": "price<5 USD",
  "pe<20x": "pe<20",
  "price<280 dollars": "price<280 USD",
  "alert me when the price < 2800 yen": "price<2800 JPY",
  "時価総額>5兆ドル": "market_cap>5T USD",
  ストップ高: "below_ceiling<=0",
  "giảm sàn": "above_floor<=0",
  "時価総額>1兆円": "market_cap>1T JPY",
  "giá dưới 25000 đồng": "price<25000 VND",
  "vốn hóa > 10 nghìn tỷ đồng": "market_cap>10T VND",
  earnings: "earnings in 1d",
  "earnings tomorrow": "earnings in 1d",
  "earnings today": "earnings in 0d",
  "2 days before earnings": "earnings in 2d",
  "1 week before ex-dividend date": "ex_date in 7d",
  決算の3日前: "earnings in 3d",
  決算発表: "earnings in 1d",
  権利落ち2日前: "ex_date in 2d",
  "kết quả kinh doanh trong 3 ngày": "earnings in 3d",
  "GDKHQ trước 2 ngày": "ex_date in 2d",
  "earnings in a week": "earnings in 7d",
  "one day before earnings": "earnings in 1d",
  "công bố kết quả kinh doanh trong 3 ngày": "earnings in 3d",
  "có báo cáo tài chính mới": "statement",
  レーティング変更: "rating_change",
  毎日7時半にブリーフ: "brief daily 07:30",
  "毎週月曜 7:30 ブリーフ": "brief weekly mon 07:30",
  "bản tin hàng ngày lúc 7 giờ 30": "brief daily 07:30",
  "new statement": "statement",
  "báo cáo tài chính": "statement",
  "rating change": "rating_change",
  評価の変更: "rating_change",
  "release CPI JP": "release CPI JP",
  "release 10-year yield of the United States": "release 10-year yield US",
  "release 日本 CPI": "release CPI JP",
  日本のCPI発表: "release CPI JP",
  "công bố CPI Việt Nam": "release CPI VN",
  "brief 7:30": "brief daily 07:30",
  "daily brief 07:30": "brief daily 07:30",
  "brief every friday at 7:30pm": "brief weekly fri 19:30",
  "weekly brief mon 12am": "brief weekly mon 00:00",
  "ブリーフ 毎日 7時30分": "brief daily 07:30",
  "ブリーフ 毎週月曜日 午後7時": "brief weekly mon 19:00",
  "bản tin hằng ngày lúc 19h30": "brief daily 19:30",
  "bản tin thứ hai hằng tuần 07:30": "brief weekly mon 07:30",
};

/** What is refused, and words of the sentence and its hint. */
const REFUSED: Readonly<Record<string, readonly string[]>> = {
  "price 380": ["when must be a condition", "price<380 or price>380"],
  "price crosses 380": ["price<380 or price>380"],
  "earning in 1d": ["earnings in 1d"],
  "earnings in 3h": ["days or weeks", "earnings in 1d"],
  "earnings in 60d": ["up to 30 days"],
  "statement in 2d": ["has no meaning", "Write statement"],
  "release CPI": ["the series and the country", "release CPI JP"],
  "brief weekly 07:30": ["needs its day", "brief weekly mon 07:30"],
  "brief daily": ["needs its time of day"],
  "brief daily 25:30": ["needs its time of day"],
  "brief daily 07:30 UTC": ["your own time zone"],
  "brief daily 07:30 +09:00": ["your own time zone"],
  "brief monthly 07:30": ["daily, or weekly on a day"],
  "pe<$15": ["pe is no amount"],
  "price<$380,market_cap>1兆円": ["USD and in JPY", "one currency"],
  "price<390 EUR": ["when must compare price", "USD, JPY or VND"],
  "price<20x": ["when must compare price"],
  "price drops 5%": ["change_percent<-5", "below_high_52w>5"],
  "5%以上上昇": ["change_percent>5"],
  "giá giảm hơn 5%": ["change_percent<-5"],
  "price<3,5": ["write 12.5 with a point"],
  "price<1.199,99": ["thousands without a separator"],
  "giá < 25.000": ["when has 25.000", "Write 25.000 as 25000"],
  "roee>25": ["not a metric", "roe"],
  "price>volume": ["one unit"],
  "list:sp500": ["Give the list in watch"],
  "sector=ngân hàng,price<180": ["sector is none", "list:NAME"],
  "pe<20 and Industry != banks": ["industry is none", "list:NAME"],
  "not country = VN, price<3": ["country is none", "list:NAME"],
  "price<3,exchange:HOSE": ["exchange is none", "list:NAME"],
  hello: ["when must be a condition"],
};

const thrownBy = (text: string, parse: (text: string) => unknown = parseRule): BourseError => {
  try {
    parse(text);
  } catch (thrown) {
    if (thrown instanceof BourseError) return thrown;
  }
  throw new Error(`${text} is not refused.`);
};

const notesOf = (text: string) => parseThesis(text).notes;

describe("a rule of an alert", () => {
  test.each(Object.entries(READ))("%s is read, and its usual form again", (written, text) => {
    expect(parseRule(written).text).toBe(text);
    expect(parseRule(text).text).toBe(text);
  });

  test.each(Object.entries(REFUSED))("%s is refused with the right form", (written, words) => {
    const { code, message, details } = thrownBy(written);
    const said = `${message} ${details.hint}`;
    expect({ code, param: details.param }).toEqual({ code: "invalid_argument", param: "when" });
    for (const word of words) expect(said).toContain(word);
    expect(said).not.toContain("where");
  });

  test("has the currency that is written", () => {
    expect(parseRule("price<$380")).toMatchObject({ currency: "USD" });
    expect(parseRule("時価総額>1兆円")).toMatchObject({ currency: "JPY" });
    expect(parseRule("price<380")).toMatchObject({ currency: null });
  });

  test("says what was probably meant otherwise", () => {
    expect(parseRule("dividend_yield>0.03")).toMatchObject({
      notes: ["percent: 0.03 is 0.03 %; for 3 % write 3"],
    });
  });

  test.each([
    ["price>high_52w", "can never hold"],
    ["low_52w>price", "can never hold"],
    ["price>high_ytd", "can never hold"],
    ["high_ytd<=high_52w", "always holds"],
    ["price>ceiling_price", "can never hold"],
    ["reference_price<floor_price", "can never hold"],
    ["below_ceiling<0", "can never hold"],
    ["above_floor>=0", "always holds"],
    ["below_high_ytd>100", "can never hold"],
    ["traded_value<0", "can never hold"],
    ["price<=high_52w", "always holds"],
    ["price<0", "can never hold"],
    ["rsi<130", "always holds"],
    ["rsi>100", "can never hold"],
    ["rating<0.5", "can never hold"],
    ["pe<10,pe>20", "can never hold together"],
    ["rsi<30 or pe>5,pe<=5", "can never hold together"],
    ["pe<=pe", "always holds"],
    ["change_percent<-100", "can never hold"],
  ])("%s %s, and the rule says it", (written, words) => {
    const notes = notesOf(written);
    expect(notes.join()).toContain(words);
  });

  test.each([
    "price>=high_52w",
    "price<high_52w",
    "rsi<=0",
    "rsi>99.9",
    "pe>=10,pe<=10",
    "enterprise_value<0",
    "roe<-150",
    "eps<0",
    "rating=1",
  ])("%s can hold or not, and nothing is said", (written) => {
    const notes = notesOf(written);
    expect(notes.filter((note) => /never|always/.test(note))).toEqual([]);
  });
});

describe("a thesis", () => {
  test("is a condition", () => {
    expect(parseThesis("ROE > 25, revenue growth > 0").text).toBe("roe>25,revenue_growth>0");
  });

  test("is no event, and the refusal names its own argument", () => {
    const { message, details } = thrownBy("earnings in 1d", parseThesis);
    expect(message).toContain("while must be conditions");
    expect(details.param).toBe("while");
  });
});

test.each([parseRule, parseThesis])(
  "a text that would take long to read is refused: %p",
  (parse) => {
    // 14,000 digits took seconds.
    const { message } = thrownBy(`株価が${"1".repeat(14_000)}円以下`, parse);
    expect(message).toMatch(/^w\w+ has 14006 characters, and at most 1200 are read\.$/);
  },
);
