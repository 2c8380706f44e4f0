import type { Country } from "#domain/country.ts";
import type { Frequency } from "#domain/macro-periods.ts";
import { addMonths, dateOf } from "#lib/date.ts";
import type { SeriesSpec } from "#sources/macro/series.ts";

/** A series of FRED and how we show it. A weekly series is dated by day, like a daily one. */
export interface FredSpec extends SeriesSpec {
  readonly fred: string;
  readonly frequency: Frequency;
}

type Row = [
  id: string,
  name: string,
  fred: string,
  frequency: Frequency,
  transform: SeriesSpec["transform"],
  unit: string,
  decimals: number,
  scale?: number,
];

const TABLES: Readonly<Record<Country, Partial<Record<SeriesSpec["category"], readonly Row[]>>>> = {
  US: {
    gdp: [
      ["gdp-qoq-annualized", "GDP growth QoQ annualized", "A191RL1Q225SBEA", "Q", "level", "%", 1],
      ["gdp-yoy", "GDP growth YoY", "GDPC1", "Q", "yoy", "%", 1],
      ["nominal-gdp", "Nominal GDP", "GDP", "Q", "level", "USD tn", 2, 1e-3],
    ],
    labor: [
      ["unemployment-rate", "Unemployment rate", "UNRATE", "M", "level", "%", 1],
      ["nonfarm-payrolls", "Nonfarm payrolls, change", "PAYEMS", "M", "change", "thousand", 0],
      ["initial-claims", "Initial jobless claims", "ICSA", "D", "level", "thousand", 0, 1e-3],
      ["hourly-earnings-yoy", "Hourly earnings YoY", "CES0500000003", "M", "yoy", "%", 1],
    ],
    prices: [
      ["cpi-yoy", "CPI inflation YoY", "CPIAUCSL", "M", "yoy", "%", 1],
      ["core-cpi-yoy", "Core CPI inflation YoY", "CPILFESL", "M", "yoy", "%", 1],
      ["ppi-yoy", "Producer prices YoY", "PPIACO", "M", "yoy", "%", 1],
    ],
    money: [
      ["fed-funds-upper", "Fed funds target, upper", "DFEDTARU", "D", "level", "%", 2],
      ["treasury-10y", "10-year Treasury yield", "DGS10", "D", "level", "%", 2],
      ["m2-yoy", "M2 money supply YoY", "M2SL", "M", "yoy", "%", 1],
    ],
    consumer: [
      ["retail-sales-mom", "Retail sales MoM", "RSAFS", "M", "pct_change", "%", 1],
      ["consumer-sentiment", "Consumer sentiment", "UMCSENT", "M", "level", "index", 1],
      ["saving-rate", "Personal saving rate", "PSAVERT", "M", "level", "%", 1],
    ],
    housing: [
      ["housing-starts", "Housing starts", "HOUST", "M", "level", "thousand", 0],
      ["house-prices-yoy", "House prices YoY", "CSUSHPINSA", "M", "yoy", "%", 1],
      ["mortgage-30y", "30-year mortgage rate", "MORTGAGE30US", "D", "level", "%", 2],
    ],
    business: [
      ["industrial-output-yoy", "Industrial output YoY", "INDPRO", "M", "yoy", "%", 1],
      ["capacity-use", "Capacity utilization", "TCU", "M", "level", "%", 1],
      ["durable-orders-mom", "Durable goods orders MoM", "DGORDER", "M", "pct_change", "%", 1],
    ],
    trade: [
      ["trade-balance", "Trade balance", "BOPGSTB", "M", "level", "USD bn", 1, 1e-3],
      ["exports", "Exports", "BOPTEXP", "M", "level", "USD bn", 1, 1e-3],
      ["imports", "Imports", "BOPTIMP", "M", "level", "USD bn", 1, 1e-3],
    ],
    government: [
      ["federal-debt", "Federal debt", "GFDEBTN", "Q", "level", "USD tn", 2, 1e-6],
      ["federal-debt-to-gdp", "Federal debt to GDP", "GFDEGDQ188S", "Q", "level", "%", 1],
      ["federal-balance", "Federal budget balance", "MTSDS133FMS", "M", "level", "USD bn", 1, 1e-3],
    ],
    energy: [
      ["wti-oil", "WTI crude oil", "DCOILWTICO", "D", "level", "USD/bbl", 2],
      ["henry-hub-gas", "Henry Hub natural gas", "DHHNGSP", "D", "level", "USD/MMBtu", 2],
      ["gasoline", "Regular gasoline", "GASREGW", "D", "level", "USD/gal", 2],
    ],
  },
  JP: {
    gdp: [["real-gdp", "Real GDP", "JPNRGDPEXP", "Q", "level", "JPY tn", 1, 1e-3]],
    labor: [["employment-rate", "Employment rate 15-64", "LREM64TTJPM156S", "M", "level", "%", 1]],
    money: [
      ["call-rate", "Overnight call rate", "IRSTCI01JPM156N", "M", "level", "%", 2],
      ["usd-jpy", "USD/JPY", "DEXJPUS", "D", "level", "JPY", 2],
    ],
    housing: [["real-house-prices-yoy", "Real house prices YoY", "QJPN628BIS", "Q", "yoy", "%", 1]],
    trade: [
      ["goods-balance", "Goods trade balance", "XTNTVA01JPM667S", "M", "level", "USD bn", 1, 1e-9],
      ["goods-exports", "Goods exports", "XTEXVA01JPM667S", "M", "level", "USD bn", 1, 1e-9],
      ["goods-imports", "Goods imports", "XTIMVA01JPM667S", "M", "level", "USD bn", 1, 1e-9],
    ],
    government: [
      ["public-debt-to-gdp", "Public debt to GDP", "GGGDTAJPA188N", "A", "level", "%", 1],
    ],
    energy: [
      ["brent-oil", "Brent crude oil", "DCOILBRENTEU", "D", "level", "USD/bbl", 2],
      ["henry-hub-gas", "Henry Hub natural gas", "DHHNGSP", "D", "level", "USD/MMBtu", 2],
      ["japan-lng", "LNG import price", "PNGASJPUSDM", "M", "level", "USD/MMBtu", 2],
    ],
  },
  VN: {
    energy: [
      ["brent-oil", "Brent crude oil", "DCOILBRENTEU", "D", "level", "USD/bbl", 2],
      ["australian-coal", "Australian coal", "PCOALAUUSDM", "M", "level", "USD/t", 1],
    ],
  },
};

/** The series of FRED for a country. */
export function fredSeries(country: Country): FredSpec[] {
  return Object.entries(TABLES[country]).flatMap(([category, rows]) =>
    rows.map(([id, name, fred, frequency, transform, unit, decimals, scale = 1]) => ({
      category: category as SeriesSpec["category"],
      id,
      name,
      fred,
      frequency,
      transform,
      unit,
      decimals,
      scale,
    })),
  );
}

/** The number of months to request: 36 observations, and a year before them for the comparison. */
const MONTHS_BACK = { D: 12, M: 60, Q: 144, A: 480 } as const;

/** The first day of the observations to request. */
export const firstDayOf = ({ frequency }: FredSpec, now: number): string =>
  addMonths(dateOf(now), -MONTHS_BACK[frequency]);
