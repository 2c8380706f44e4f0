import { COUNTRIES, type Country } from "#domain/country.ts";
import { notFound } from "#domain/errors.ts";
import { curveMaturity, type MacroSeries } from "#domain/macro.ts";
import { slugOf } from "#domain/taxonomy.ts";
import { SERIES_TERMS } from "#domain/terms.ts";
import { similarNames } from "#lib/closest.ts";
import { normalForm, withoutMarks } from "#lib/normal-form.ts";
import type { TextLanguage } from "#panels/local-text.ts";
import { quoteValue } from "./decode.ts";

/** What people call a series in three languages, with the names that it has in a country, the best one first. */
const OTHER_NAMES: readonly (readonly [words: string, names: readonly RegExp[]])[] = [
  [
    "interest rate|interest rates|policy rate|key rate|base rate|central bank rate|fed rate|fed funds|fed funds rate|federal funds rate|boj rate|金利|政策金利|lãi suất|lãi suất điều hành|lãi suất chính sách",
    [/^fed funds target/, /policy rate$/, /^refinancing rate$/, /^overnight call rate$/],
  ],
  [
    "inflation|inflation rate|cpi|consumer prices|consumer price index|インフレ|インフレ率|物価|消費者物価|消費者物価指数|lạm phát|tỷ lệ lạm phát|chỉ số giá tiêu dùng",
    [/^cpi inflation yoy$/],
  ],
  [
    "core inflation|core cpi|コアインフレ率|コアcpi|コア消費者物価指数|lạm phát cơ bản|cpi cơ bản",
    [/^core (?:cpi )?inflation yoy$/],
  ],
  ["pce|pce inflation|pceデフレーター", [/^pce inflation yoy$/]],
  [
    "ppi|producer prices|企業物価|生産者物価|生産者物価指数|giá sản xuất",
    [/^producer prices yoy$/],
  ],
  [
    "unemployment|jobless rate|失業率|完全失業率|thất nghiệp|tỷ lệ thất nghiệp",
    [/^unemployment rate$/],
  ],
  [
    "nfp|payrolls|jobs report|雇用統計|非農業部門雇用者数|việc làm phi nông nghiệp",
    [/^nonfarm payrolls/],
  ],
  ["jobless claims|unemployment claims|新規失業保険申請件数", [/^initial jobless claims$/]],
  [
    "gdp|gdp growth|economic growth|growth|gdp成長率|経済成長率|実質gdp成長率|tăng trưởng|tăng trưởng gdp|tăng trưởng kinh tế",
    [/^gdp growth yoy$/],
  ],
  [
    "10 year yield|10-year yield|10y|10y yield|10 year treasury|treasury yield|bond yield|jgb|長期金利|国債利回り|10年国債利回り|lợi suất trái phiếu|lợi suất 10 năm",
    [/^10-year /],
  ],
  ["money supply|m2|マネーストック|cung tiền|cung tiền m2", [/^m2 money supply/, /^broad money/]],
  ["credit|tín dụng|tăng trưởng tín dụng", [/^credit growth/]],
  ["retail sales|小売売上高|doanh số bán lẻ|bán lẻ", [/^retail (?:sales|trade|volume)/]],
  [
    "industrial production|industrial output|iip|鉱工業生産|sản xuất công nghiệp|chỉ số sản xuất công nghiệp",
    [/^industrial output/, /^industrial production/],
  ],
  ["pmi|製造業pmi|pmi sản xuất", [/^manufacturing pmi$/]],
  ["trade deficit|trade surplus|貿易収支|cán cân thương mại", [/^(?:goods )?trade balance$/]],
  ["exports|輸出|xuất khẩu", [/^(?:goods )?exports/]],
  ["imports|輸入|nhập khẩu", [/^(?:goods )?imports/]],
  ["経常収支|cán cân vãng lai", [/^current account$/]],
  [
    "consumer confidence|consumer sentiment|消費者信頼感|消費者態度指数|niềm tin tiêu dùng",
    [/^consumer (?:confidence|sentiment)$/],
  ],
  ["housing starts|住宅着工|住宅着工件数", [/^housing starts/]],
  [
    "government debt|public debt|national debt|debt to gdp|政府債務|nợ công",
    [/^(?:public|federal) debt to gdp$/],
  ],
  [
    "oil|oil price|crude oil|wti|原油|原油価格|giá dầu",
    [/^(?:wti|brent) crude oil/, /crude oil import price/],
  ],
  ["gas price|gasoline|petrol|ガソリン|ガソリン価格|giá xăng", [/gasoline|^petrol/]],
  [
    "wages|wage growth|賃金|実質賃金|tiền lương|thu nhập",
    [/wages|earnings|^average monthly income$/],
  ],
  ["fdi|vốn fdi", [/^fdi/]],
  ["短観|日銀短観|日銀短観 大企業製造業", [/^tankan large manufacturers/, /^tankan/]],
  ["訪日外客数|訪日外国人|インバウンド|khách quốc tế|khách du lịch quốc tế", [/^foreign visitors/]],
  [
    "為替|為替レート|ドル円|tỷ giá|tỷ giá usd|tỷ giá hối đoái|exchange rate",
    [/exchange rate|^usd\//],
  ],
];

/** The pair whose price is the exchange rate of a country. */
const PAIRS: Readonly<Partial<Record<Country, string>>> = { JP: "JPY=X", VN: "VND=X" };
const IS_RATE = /^(?:為替|ドル円|tỷ giá|ty gia|exchange rate|usd\/)/;

/** True for one of the words of a row, with or without its marks. @param wanted as `folded` gives it */
const isOneOf = (words: string, wanted: string) =>
  words.split("|").some((one) => one === wanted || withoutMarks(one) === wanted);

/** True for what people call a series in three languages, also without the marks of Vietnamese. */
export const isSeriesWord = (text: string): boolean =>
  OTHER_NAMES.some(([words]) => isOneOf(words, folded(text)));

/**
 * What series of several countries have in common: equal for the same figure under another name, such as the policy rates.
 * A figure over a year and one over a month differ.
 */
export function subjectOf({ name }: Pick<MacroSeries, "name">): string {
  const lower = name.toLowerCase();
  const row = OTHER_NAMES.findIndex(([, names]) => names.some((one) => one.test(lower)));
  const [measure = ""] = /\b(?:yoy|qoq|mom)\b.*/.exec(lower) ?? [];
  return row < 0 ? lower : `${row} ${measure}`;
}

/** The length of a bond: `10y`, `30-year`, `2年`, `3 tháng`. */
const LENGTH =
  /(?<!\d)(\d{1,2}(?:\.5)?)[ -]?(?:(y|yrs?|years?|年|năm)|(?:mo?|mos|months?|か月|ヶ月|カ月|tháng))(?![a-z])/;

/** What people say besides the length of a government's bond, and the names of each government. */
const BOND =
  /yields?|curve|bonds?|notes?|bills?(?: rates?)?|maturity|benchmark|government|govt|国債|債券|債|利回り|lợi suất|trái phiếu|chính phủ|kỳ hạn|の/g;
const GOVERNMENT: Readonly<Partial<Record<Country, RegExp>>> = {
  US: /u\.?s\.?a?|treasury|treasuries|t-?(?=bills?|notes?|bonds?)|米国?|アメリカ/g,
  JP: /japan(?:ese)?|jp|jgbs?|日本/g,
};

const NEAR = 6;

type Named = Pick<MacroSeries, "id" | "name">;

const folded = (text: string) =>
  normalForm(text, "NFKC").trim().toLowerCase().replaceAll(/\s+/g, " ");

/**
 * The series of a country with this name or id, in any letter case, or by what people call it in three languages.
 *
 * @throws BourseError `not_found` with the nearest names
 */
export function findMacroSeries<Series extends Named>(
  all: readonly Series[],
  country: Country,
  text: string,
): Series {
  const found = matchMacroSeries(all, country, text);
  if (found) return found;
  const wanted = folded(text);
  const names = all.map(({ name }) => name);
  const near = similarNames(wanted, names, NEAR);
  const pair = IS_RATE.test(wanted) ? PAIRS[country] : undefined;
  throw notFound(`Series ${quoteValue(text)} not found in ${COUNTRIES[country].name}.`, {
    param: "series",
    hint: `${pair === undefined ? "" : `The rate is a price: call get_stock_price_history with symbol ${pair}. `}${near.length === 0 ? "" : `The nearest names: ${near.join("; ")}. `}get_macro_indicators has all names.`,
  });
}

/** As `findMacroSeries`; undefined if the country has no such series. */
function matchMacroSeries<Series extends Named>(
  all: readonly Series[],
  country: Country,
  text: string,
): Series | undefined {
  const wanted = folded(text);
  return (
    all.find(({ name }) => name.toLowerCase() === wanted) ??
    all.find(({ id }) => id === wanted) ??
    findByOtherName(all, wanted) ??
    findByTerm(all, wanted) ??
    findMaturity(all, country, wanted)
  );
}

/** The changes of figures as calendars write them. */
const CHANGE = /\b(?:(yoy|y\/y)|(mom|m\/m)|(qoq|q\/q))\b/i;

/**
 * The series whose figure a publication has, by its title: `Inflation Rate YoY (Oct)`, `CPI y/y`. Undefined if the title names
 * none, or another change than the series has.
 */
export function matchTitle<Series extends Named>(
  all: readonly Series[],
  country: Country,
  title: string,
): Series | undefined {
  const text = title.replaceAll(/\([^)]*\)/g, " ").trim();
  const exact = matchMacroSeries(all, country, text);
  if (exact) return exact;
  const [, yoy, mom] = CHANGE.exec(text) ?? [];
  if (!CHANGE.test(text)) return undefined;
  const change = yoy ? "yoy" : mom ? "mom" : "qoq";
  const found = matchMacroSeries(all, country, text.replace(CHANGE, " ").trim());
  return found && found.name.toLowerCase().endsWith(` ${change}`) ? found : undefined;
}

function findByOtherName<Series extends Named>(
  all: readonly Series[],
  wanted: string,
): Series | undefined {
  const [, names = []] = OTHER_NAMES.find(([words]) => isOneOf(words, wanted)) ?? [];
  const lower = all.map((one) => [one.name.toLowerCase(), one] as const);
  for (const name of names) {
    const [, found] = lower.find(([text]) => name.test(text)) ?? [];
    if (found) return found;
  }
  return undefined;
}

/** What the console writes behind the name of a series that is a change, by its last words in English. */
const CHANGES: Readonly<Record<string, readonly [ja: string, vi: string]>> = {
  yoy: ["前年比", "so cùng kỳ"],
  mom: ["前月比", "so tháng trước"],
  qoq: ["前期比", "so quý trước"],
  "qoq-annualized": ["前期比年率", "so quý trước, quy năm"],
};

/** The series that the console shows by this Japanese or Vietnamese name, with or without its change. */
function findByTerm<Series extends Named>(
  all: readonly Series[],
  wanted: string,
): Series | undefined {
  const named = all.map((one) => [one, termsOf(one.name)] as const);
  const [found] =
    named.find(([, terms]) => terms.some(([, whole]) => whole === wanted)) ??
    named.find(([, terms]) => terms.some(([base]) => base === wanted)) ??
    named.find(([, terms]) => terms.some(([base]) => withoutMarks(base) === wanted)) ??
    [];
  return found;
}

/** The Japanese and the Vietnamese name of a series, each without and with its change. @param name `CPI inflation YoY` */
function namesOf(name: string): readonly (readonly [base: string, whole: string])[] {
  const slug = slugOf(name);
  const [, base = slug, change = ""] = /^(.+)-(yoy|mom|qoq|qoq-annualized)$/.exec(slug) ?? [];
  const terms: readonly string[] = SERIES_TERMS[base as keyof typeof SERIES_TERMS] ?? [];
  return terms.map((term, i) => [term, change === "" ? term : `${term} ${CHANGES[change]?.[i]}`]);
}

/** The same in small letters, as texts are compared. */
const termsOf = (name: string) =>
  namesOf(name).map(([base, whole]) => [folded(base), folded(whole)] as const);

/** The name of a series in a language; the English one without a translation. @param name `CPI inflation YoY` */
export function seriesNameIn(language: TextLanguage, name: string): string {
  const [ja, vi] = namesOf(name);
  return (language === "ja" ? ja?.[1] : language === "vi" ? vi?.[1] : undefined) ?? name;
}

/**
 * The bond of the length that a text names, if all of its words are about bonds of the country: `2-year yield`,
 * `US30Y`, `5年国債`. Of ten years it is the published 10-year yield, unless the text asks for the curve.
 */
function findMaturity<Series extends Named>(
  all: readonly Series[],
  country: Country,
  wanted: string,
): Series | undefined {
  const [written, length, years] = LENGTH.exec(wanted) ?? [];
  if (written === undefined) return undefined;
  const words = wanted.replace(written, " ");
  const rest = words.replaceAll(GOVERNMENT[country] ?? BOND, " ").replaceAll(BOND, " ");
  // A length alone may be a period, and only of years it is what traders call a bond.
  const isBare = /^[ ,-]*$/.test(words) && !/^\d+y$/.test(written);
  if (isBare || /[^ ,-]/.test(rest)) return undefined;
  const { id } = curveMaturity(Number(length) * (years === undefined ? 1 : 12));
  const published = all.find(({ name }) => name.toLowerCase().startsWith("10-year "));
  const isPublished = id.endsWith("-10y") && !words.includes("curve");
  return (isPublished ? published : undefined) ?? all.find((one) => one.id === id);
}
