import { COUNTRIES, type Country } from "#domain/country.ts";
import type { DailyBar } from "#domain/daily-bar.ts";
import type { Instrument } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
import { NO_ITEMS, type Statement } from "#domain/statement.ts";
import { INDUSTRIES } from "#domain/taxonomy.ts";
import { addDays, addMonths, dateOf } from "#lib/date.ts";
import type { MarketStore } from "#store/index.ts";
import { SAMPLE } from "./market.ts";

/** The sizes of a large market; a missing size is zero. */
export interface LargeMarket {
  readonly instruments: number;
  /** Of each instrument. */
  readonly barsEach?: number;
  /** Of each company, newest last. */
  readonly quartersEach?: number;
  /** The time at which its newest figures are those of the day before, UTC milliseconds. */
  readonly now: number;
}

/** In fifteens: ten of the US, four of Japan, one of Viet Nam. */
const COUNTRY_OF = (i: number): Country => (i % 15 < 10 ? "US" : i % 15 < 14 ? "JP" : "VN");

const FIRST_WORDS: Record<Country, readonly string[]> = {
  US: ["Apex", "Summit", "Pioneer", "Liberty", "Cascade", "Granite", "Maple", "Orion", "Vertex"],
  JP: ["Nihon", "Tokyo", "Kansai", "Fuji", "Mitsu", "トヨタ", "Daiwa", "Sakura", "日産"],
  VN: ["Việt Nam", "Hà Nội", "Sài Gòn", "Đông Á", "Bình Dương", "Hậu Giang", "An Phát", "Đức"],
};
const SECOND_WORDS = ["Energy", "Bank", "Pharma", "Motor", "Steel", "Foods", "Software", "Realty"];
const LAST_WORDS = ["Inc", "Corporation", "Holdings", "Group", "Company", "Trust", "Co., Ltd."];

const pick = <T>(list: readonly T[], i: number): T => list[i % list.length] as T;

/** The symbol of an instrument by its number: letters in the US and Viet Nam, digits in Japan. */
function symbolOf(i: number): string {
  if (COUNTRY_OF(i) === "JP") return String(10_000 + i);
  let letters = "";
  for (let left = (i * 7_919) % 456_976, k = 0; k < 4; k++, left = Math.floor(left / 26))
    letters += String.fromCharCode(65 + (left % 26));
  return letters;
}

/** An instrument by its number. Words are repeated in names, as in real markets. */
export function largeInstrument(i: number): Instrument {
  const country = COUNTRY_OF(i);
  const industry = pick([...INDUSTRIES.values()], i * 31);
  // Ten thousand companies of the US in fifteen thousand, so that a roll-up has as many.
  const isFund = country === "JP" && i % 5 === 0;
  return {
    country,
    symbol: symbolOf(i),
    name: `${pick(FIRST_WORDS[country], i * 13)} ${pick(SECOND_WORDS, i * 5)} ${i} ${pick(LAST_WORDS, i * 3)}`,
    assetType: isFund ? "etf" : "stock",
    exchange: "X",
    currency: COUNTRIES[country].currency,
    sector: isFund ? null : industry.sector,
    industry: isFund ? null : industry.slug,
    sharesOutstanding: 1_000_000 + i,
    employees: 1_000,
    summary: "The business of a company is described in two hundred words. ".repeat(4),
    primaryListing: true,
    indexMember: false,
  };
}

/** A price that changes from day to day and has two digits. */
const priceAt = (i: number, day: number): number =>
  Math.round(100 * (20 + (i % 300) + 5 * Math.sin(day / 40 + i))) / 100;

function* largeBars(i: number, count: number, dates: readonly string[]): Generator<DailyBar> {
  for (let day = dates.length - count; day < dates.length; day++) {
    const close = priceAt(i, day);
    const open = priceAt(i, day - 1);
    yield {
      date: dates[day] ?? "",
      open,
      high: Math.max(open, close) + 0.25,
      low: Math.min(open, close) - 0.25,
      close,
      volume: 100_000 + ((i * 7_919 + day * 104_729) % 9_000_000),
    };
  }
}

function largeStatement(instrument: Instrument, i: number, periodEnd: string): Statement {
  const [year, month] = [Number(periodEnd.slice(0, 4)), Number(periodEnd.slice(5, 7))];
  const revenue = 1_000_000 * (100 + (i % 900)) + year * 10_000;
  return {
    country: instrument.country,
    symbol: instrument.symbol,
    span: "quarter",
    fiscalYear: year,
    fiscalQuarter: month / 3,
    periodEnd,
    filedOn: addDays(periodEnd, 40),
    currency: instrument.currency,
    items: {
      ...NO_ITEMS,
      revenue,
      costOfRevenue: revenue * 0.6,
      grossProfit: revenue * 0.4,
      operatingIncome: revenue * 0.2,
      ebitda: revenue * 0.25,
      pretaxIncome: revenue * 0.18,
      incomeTax: revenue * 0.04,
      netIncome: revenue * 0.14,
      epsDiluted: (revenue * 0.14) / (1_000_000 + i),
      sharesDiluted: 1_000_000 + i,
      sharesOutstanding: 1_000_000 + i,
      totalAssets: revenue * 4,
      currentAssets: revenue * 2,
      cash: revenue * 0.5,
      inventory: revenue * 0.3,
      totalLiabilities: revenue * 2,
      currentLiabilities: revenue,
      totalDebt: revenue * 0.9,
      commonEquity: revenue * 2,
      operatingCashFlow: revenue * 0.2,
      investingCashFlow: revenue * -0.1,
      financingCashFlow: revenue * -0.05,
      capitalExpenditure: revenue * 0.08,
    },
  };
}

const largeQuote = ({ country, symbol }: Instrument, i: number, date: string): Quote => ({
  country,
  symbol,
  date,
  price: priceAt(i, 1),
  previousClose: priceAt(i, 0),
  volume: 1_000_000,
  marketCap: priceAt(i, 1) * (1_000_000 + i),
  epsTtm: 2,
  priceToBook: 3,
  dividendYieldPercent: 1.5,
});

/** Fills a market with these sizes, to measure time and memory. The records are the same each time. */
export function fillLargeMarket(market: MarketStore, size: LargeMarket): void {
  const yesterday = dateOf(size.now - 86_400_000);
  const weekdays: string[] = [];
  for (let date = yesterday; weekdays.length < (size.barsEach ?? 0); date = addDays(date, -1))
    if (![0, 6].includes(new Date(`${date}T00:00:00Z`).getUTCDay())) weekdays.unshift(date);
  // Quarters end on the last days of March, June, September and December.
  const lastQuarter = Math.floor((Number(yesterday.slice(5, 7)) - 1) / 3) * 3;
  const firstOfQuarter = `${yesterday.slice(0, 4)}-${String(lastQuarter + 1).padStart(2, "0")}-01`;
  const quarters = Array.from({ length: size.quartersEach ?? 0 }, (_, back) =>
    addDays(addMonths(firstOfQuarter, -3 * back), -1),
  ).toReversed();

  const rows = Array.from({ length: size.instruments }, (_, i) => ({
    i,
    instrument: largeInstrument(i),
  }));
  market.transaction(() => {
    const instruments = rows.map(({ instrument }) => instrument);
    market.put("instruments", instruments, SAMPLE, { country: null });
  });
  const BATCH = 500;
  for (let start = 0; start < size.instruments; start += BATCH) {
    const batch = rows.slice(start, start + BATCH);
    const companies = batch.filter(({ instrument }) => instrument.sector !== null);
    market.transaction(() => {
      const quotes = companies.map(({ instrument, i }) => largeQuote(instrument, i, yesterday));
      market.put("quotes", quotes, SAMPLE);
      const statements = companies.flatMap(({ instrument, i }) =>
        quarters.map((end) => largeStatement(instrument, i, end)),
      );
      market.put("statements", statements, SAMPLE);
      if (size.barsEach === undefined) return;
      for (const { instrument, i } of batch) {
        const bars = [...largeBars(i, size.barsEach, weekdays)];
        const { country, symbol } = instrument;
        market.put("bars", [{ country, symbol, bars }], SAMPLE);
      }
    });
  }
}
