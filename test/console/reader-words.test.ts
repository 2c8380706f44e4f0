import { afterEach, expect, test } from "bun:test";
import { closureText } from "#console/app/pages/calendar/holidays.ts";
import { localHostOf } from "#console/app/pages/programs/address.ts";
import { summaryText } from "#console/app/pages/symbol/summary.ts";
import { quarterText } from "#console/app/pages/symbol/quarters.ts";
import { formatDayOfMonth } from "#console/app/format.ts";
import { axisText } from "#console/app/parts/axis-text.ts";
import { inUnit } from "#console/app/parts/unit-text.ts";
import { reader } from "#console/app/reader.ts";
import { showLanguage, t, translate } from "#console/app/words.ts";
import { listRecipes } from "#feeds/recipes/recipes.ts";
import { listUniverse, sampleInstrument } from "#sample/universe.ts";

afterEach(async () => {
  await showLanguage("en");
  reader.value = { language: "en" };
});

test.each([
  ["en", "2026", "Nov", "4 Nov"],
  ["ja", "2026年", "11月", "11月4日"],
  ["vi", "2026", "Tháng 11", "04/11"],
] as const)("in %s, each label of the axis names its month", (language, year, month, day) => {
  reader.value = { language };
  const units = ["year", "month", "day"] as const;
  expect(units.map((unit) => axisText("2026-11-04", unit))).toEqual([year, month, day]);
});

test.each([
  ["en", "4 Nov"],
  ["ja", "11月4日"],
  ["vi", "04/11"],
] as const)("in %s, a day without its year is %s", (language, expected) => {
  reader.value = { language };
  expect(formatDayOfMonth("2026-11-04")).toBe(expected);
});

test.each([
  ["en", "Value, JPY"],
  ["ja", "評価額（円）"],
  ["vi", "Giá trị, yên"],
] as const)("in %s, a currency in a sentence has its name: %s", async (language, expected) => {
  await showLanguage(language);
  expect<string>(t("Value, {currency}", { currency: "JPY" })).toBe(expected);
});

test.each([
  // 1 bn = 10 億, 1 thousand = 0.1 万, 1 million = 100 万.
  ["ja", "464", "JPY bn", "4,640億円"],
  ["ja", "-1,279.5", "USD bn", "−12,795億ドル"],
  ["ja", "+15", "JPY bn", "+150億円"],
  ["ja", "233", "thousand", "23.3万"],
  ["ja", "3.92", "million", "392万"],
  ["ja", "4.4", "million t", "440万トン"],
  ["ja", "423", "million bbl", "4.23億バレル"],
  ["ja", "250", "USD m", "2.50億ドル"],
  ["ja", "—", "USD bn", "—十億ドル"],
  ["en", "464", "JPY bn", "464JPY bn"],
  ["vi", "-68.2", "USD bn", "−68,2tỷ USD"],
] as const)("in %s, %s %s is %s", async (language, figure, unit, expected) => {
  await showLanguage(language);
  expect(inUnit(figure, unit).join("")).toBe(expected);
});

test.each([
  ["en", "Asia/Tokyo", "US exchange closes at 13:00 in New York (Sat 03:00 yours): Christmas Eve"],
  ["en", "Europe/Paris", "US exchange closes at 13:00 in New York (19:00 yours): Christmas Eve"],
  ["en", "America/New_York", "US exchange closes at 13:00: Christmas Eve"],
  [
    "ja",
    "Asia/Tokyo",
    "米国の取引所はニューヨーク時間13:00（表示時刻 土 03:00）に終了：クリスマスイブ",
  ],
  [
    "vi",
    "Asia/Ho_Chi_Minh",
    "Sở giao dịch Mỹ đóng lúc 13:00 giờ New York (Thứ 7 01:00 giờ của bạn): Đêm Giáng sinh",
  ],
] as const)("in %s and %s, an early close is also in the reader's time", async (...row) => {
  const [language, timeZone, expected] = row;
  await showLanguage(language);
  reader.value = { language, timeZone };
  // 18:00 UTC: New York is five hours behind.
  const day = { date: "2027-12-24", country: "US", name: "Christmas Eve", closesAt: "13:00" };
  const country = translate("US");
  expect(closureText(country, { ...day, timeZone: "America/New_York" })).toBe(expected);
});

test.each([
  ["en", "Q2 2027", "2026-09-30", "Q2 of fiscal year 2027, to 30 Sept 2026", "Q2 FY27"],
  ["ja", "Q2 2027", "2026-09-30", "2027年3月期第2四半期（2026/09/30まで）", "27/3期2Q"],
  // A fiscal year of 52 weeks that ends in the first days of the next month.
  ["ja", "Q4 2026", "2026-10-03", "2026年9月期第4四半期（2026/10/03まで）", "26/9期4Q"],
  ["ja", "Q3 2026", "2026-09-30", "2026年12月期第3四半期（2026/09/30まで）", "26/12期3Q"],
  ["vi", "Q2 2027", "2026-09-30", "quý 2 năm tài chính 2027 (đến 30/09/2026)", "Q2/2027"],
  ["en", "Q3 2027", "", "Q3 of fiscal year 2027", "Q3 FY27"],
  ["vi", "Q3 2027", "", "quý 3 năm tài chính 2027", "Q3/2027"],
  ["ja", "FY 2026", "2026-03-31", "2026年3月期", "2026年3月期"],
  ["vi", "FY 2025", "2025-12-31", "Năm 2025", "Năm 2025"],
  // The month in which the year ends follows from that of the quarter.
  ["ja", "Q3 2027", "", "Q3 2027", "Q3 2027"],
  ["en", "H1 2027", "2026-09-30", "H1 2027", "H1 2027"],
] as const)("in %s, %s that ends on %s is a fiscal period", async (...row) => {
  const [language, period, end, withEnd, short] = row;
  await showLanguage(language);
  expect(quarterText(period, end)).toMatchObject({ withEnd, short });
});

test.each(["ja", "vi"] as const)(
  "companies of the sample are described in %s",
  async (language) => {
    const summaries = listUniverse()
      .filter(({ assetType }) => assetType === "stock" || assetType === "reit")
      .map((one) => sampleInstrument(one, one.sharesOutstanding).summary ?? "");
    await showLanguage(language);
    expect(summaries.length).toBeGreaterThan(100);
    expect(summaries.filter((one) => /generated| is a | in /.test(summaryText(one)))).toEqual([]);
    expect(summaryText("Makes cars.")).toBe("Makes cars.");
  },
);

test.each([
  ["http://localhost:7001", "localhost"],
  ["http://127.0.0.1:7001", "127.0.0.1"],
  ["http://[::1]:7001/", "[::1]"],
  ["http://192.168.1.4", "192.168.1.4"],
  ["http://172.20.0.2", "172.20.0.2"],
  ["http://nas:7001", "nas"],
  ["http://bourse.local", "bourse.local"],
  ["http://[fd12::1]", "[fd12::1]"],
  ["http://172.32.0.2", null],
  ["https://bourse.example.com", null],
  ["https://10.example.com", null],
  ["https://[2606:4700::1]", null],
] as const)("%s is local: %s", (url, host) => {
  expect(localHostOf(url)).toBe(host);
});

test("programs are marked whose sentences say that servers elsewhere read the address", () => {
  const programs = listRecipes().filter(({ isReadByServers }) => isReadByServers);
  expect(programs.map(({ program }) => program)).toEqual([
    "claude.ai",
    "ChatGPT",
    "Google Sheets",
    "Calendars",
  ]);
  expect(listRecipes().filter(({ how }) => / servers\b/.test(how))).toEqual(programs);
});

test.each([
  ["{count} remarks", 1, "1 remark"],
  ["{count} companies", "1", "1 company"],
  ["{count} companies", 0, "0 companies"],
  ["{count} companies", "11", "11 companies"],
  [
    "The market has this figure of {count} companies.",
    1,
    "The market has this figure of 1 company.",
  ],
] as const)("in English, %j of %j is %j", async (sentence, count, text) => {
  expect<string>(t(sentence, { count })).toBe(text);
  await showLanguage("ja");
  expect<string>(t("{count} remarks", { count: 1 })).toBe("備考1件");
});
