import type { RecordKind } from "#domain/records.ts";
import { INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";

/** Values by column, which match their schema. */
export type Values = Readonly<Record<string, string | number | boolean | null>>;

/** A column with the values of several columns. */
export interface CombinedColumn {
  readonly name: string;
  readonly into: readonly string[];
  /** Their cells; null if the text has another form. */
  readonly split: (text: string) => readonly string[] | null;
}

/** A kind of import: the facts that the schema of its record does not have. */
export interface ImportKind {
  readonly record: RecordKind;
  /** The singular and the plural name of its records. */
  readonly noun: string;
  readonly plural: string;
  /** The columns that identify a record. */
  readonly key: readonly string[];
  /** The columns by which the list within a record is ordered; no two entries may have the same values. */
  readonly order?: readonly string[];
  /** Two rows of the template by column; an absent value is an empty cell. The symbols and ids are made up, so that no row replaces real data. */
  readonly examples: readonly [Readonly<Record<string, string>>, Readonly<Record<string, string>>];
  /** Columns of the service's own CSV that follow from others and are not read. */
  readonly ignored?: readonly string[];
  /** Columns by their other name in the service's own CSV. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** A column of the service's own CSV that has several columns of the record. */
  readonly combined?: CombinedColumn;
  /** Finds a fault that no single column shows, in a record or an entry of its list; null if there is none. */
  readonly findFault?: (values: Values, today: string) => string | null;
  /** Finds a contradiction between an entry of the list and the one before it; null if there is none. */
  readonly findClash?: (before: Values, values: Values) => string | null;
}

/** All kinds of import, by their names on the command line. */
export const IMPORT_KINDS = {
  instruments: {
    record: "instruments",
    aliases: { type: "assetType" },
    ignored: ["price", "change_percent", "market_cap"],
    noun: "instrument",
    plural: "instruments",
    key: ["country", "symbol"],
    examples: [
      {
        country: "US",
        symbol: "EXMPL",
        name: "Example Company",
        assetType: "stock",
        exchange: "NASDAQ",
        currency: "USD",
        sector: "technology",
        industry: "consumer-electronics",
        sharesOutstanding: "14800000000",
        employees: "164000",
        summary: '"Phones, computers and services."',
        primaryListing: "true",
        indexMember: "true",
      },
      {
        country: "JP",
        symbol: "0000",
        name: "Example Fund",
        assetType: "etf",
        exchange: "TSE",
        currency: "JPY",
        primaryListing: "true",
        indexMember: "false",
      },
    ],
    findFault: ({ sector, industry }) => {
      if (typeof sector === "string" && !SECTORS.has(sector)) {
        return `sector must be one of ${[...SECTORS.keys()].join(", ")}, not '${sector}'`;
      }
      if (typeof industry !== "string") return null;
      const known = INDUSTRIES.get(industry);
      if (known && known.sector === sector) return null;
      const allowed = [...INDUSTRIES.values()].flatMap((one) =>
        one.sector === sector ? [one.slug] : [],
      );
      return allowed.length > 0
        ? `industry must be one of ${allowed.join(", ")}, not '${industry}'`
        : `industry '${industry}' needs its sector`;
    },
  },
  bars: {
    record: "bars",
    noun: "bar history",
    plural: "bar histories",
    key: ["country", "symbol"],
    order: ["date"],
    examples: [
      {
        country: "US",
        symbol: "EXMPL",
        date: "2026-01-05",
        open: "270.64",
        high: "271.51",
        low: "266.14",
        close: "267.26",
        volume: "45647200",
      },
      {
        country: "JP",
        symbol: "0000",
        date: "2026-01-05",
        open: "3388",
        high: "3421",
        low: "3377",
        close: "3401",
      },
    ],
    findFault: ({ date }, today) =>
      String(date) > today ? `date ${String(date)} is after today, ${today}` : null,
  },
  statements: {
    record: "statements",
    aliases: { filing_date: "filedOn" },
    ignored: ["free_cash_flow", "total_equity"],
    combined: {
      name: "fiscal_period",
      into: ["span", "fiscalYear", "fiscalQuarter"],
      split: (text) => {
        const [, quarter, year] = /^(?:FY|Q([1-4])) (\d{4})$/.exec(text) ?? [];
        if (year === undefined) return null;
        return quarter === undefined ? ["year", year, "4"] : ["quarter", year, quarter];
      },
    },
    noun: "statement",
    plural: "statements",
    key: ["country", "symbol", "span", "fiscalYear", "fiscalQuarter"],
    examples: [
      {
        country: "US",
        symbol: "EXMPL",
        span: "year",
        fiscalYear: "2024",
        fiscalQuarter: "4",
        periodEnd: "2024-09-28",
        filedOn: "2024-11-01",
        currency: "USD",
        revenue: "391035000000",
        netIncome: "93736000000",
        epsDiluted: "6.08",
        totalAssets: "364980000000",
      },
      {
        country: "US",
        symbol: "EXMPL",
        span: "quarter",
        fiscalYear: "2025",
        fiscalQuarter: "1",
        periodEnd: "2024-12-28",
        filedOn: "2025-01-31",
        currency: "USD",
        revenue: "124300000000",
        netIncome: "36330000000",
        epsDiluted: "2.40",
        totalAssets: "344085000000",
      },
    ],
    findFault: (statement) => {
      if (statement["span"] === "year" && statement["fiscalQuarter"] !== 4) {
        return `fiscalQuarter must be 4 for a whole year, not ${String(statement["fiscalQuarter"])}`;
      }
      const [ended, filed] = [String(statement["periodEnd"]), String(statement["filedOn"])];
      return filed < ended ? `filedOn ${filed} is before periodEnd ${ended}` : null;
    },
  },
  macro: {
    record: "macroSeries",
    noun: "macro series",
    plural: "macro series",
    key: ["country", "id"],
    order: ["period"],
    examples: [
      {
        country: "VN",
        category: "consumer",
        id: "example-sales",
        name: "Example Sales",
        unit: "VND tn",
        decimals: "1",
        period: "2026-09",
        value: "596.2",
      },
      {
        country: "VN",
        category: "consumer",
        id: "example-sales",
        name: "Example Sales",
        unit: "VND tn",
        decimals: "1",
        period: "2026-10",
        value: "601.7",
      },
    ],
    findClash: (before, observation) => {
      const [first, second] = [String(before["period"]), String(observation["period"])];
      const shapeOf = (period: string) => period.replaceAll(/\d/g, "0");
      return shapeOf(first) === shapeOf(second)
        ? null
        : `period ${second} is in one series with ${first}: a series has one frequency`;
    },
  },
  forecasts: {
    record: "macroForecasts",
    noun: "forecast",
    plural: "forecasts",
    key: ["country", "category", "name"],
    order: ["year", "quarter"],
    examples: [
      {
        country: "JP",
        category: "gdp",
        name: "Example Growth Rate",
        unit: "%",
        decimals: "1",
        origin: "Our own forecast of November 2026",
        year: "2027",
        quarter: "1",
        value: "0.3",
      },
      {
        country: "JP",
        category: "gdp",
        name: "Example Growth Rate",
        unit: "%",
        decimals: "1",
        origin: "Our own forecast of November 2026",
        year: "2027",
        quarter: "2",
        value: "0.4",
      },
    ],
  },
  calendar: {
    record: "calendarEvents",
    noun: "calendar event",
    plural: "calendar events",
    key: ["country", "id"],
    ignored: ["local_time", "currency"],
    examples: [
      {
        id: "example-2020-01",
        country: "VN",
        event: "Example Inflation Rate",
        date: "2020-01-06",
        time: "02:00",
        importance: "high",
        previous: "3.2%",
      },
      {
        id: "example-2020-02",
        country: "US",
        event: "Example Payrolls",
        date: "2020-02-07",
        time: "13:30",
        importance: "high",
        previous: "119K",
        consensus: "105K",
      },
    ],
  },
  holidays: {
    record: "holidayOverrides",
    noun: "holiday override",
    plural: "holiday overrides",
    key: ["country", "date"],
    examples: [
      { country: "VN", date: "1900-02-01", name: "Example decree", closed: "true" },
      { country: "VN", date: "1900-02-02", name: "Example decree: open", closed: "false" },
    ],
  },
  "index-pe": {
    record: "indexPe",
    noun: "month of index P/E",
    plural: "months of index P/E",
    key: ["country", "month"],
    examples: [
      { country: "US", month: "1900-01", pe: "27.4" },
      { country: "US", month: "1900-02", pe: "27.9" },
    ],
  },
  dividends: {
    record: "dividends",
    noun: "dividend history",
    plural: "dividend histories",
    key: ["country", "symbol"],
    order: ["exDate"],
    examples: [
      { country: "US", symbol: "EXMPL", exDate: "2025-08-11", amount: "0.26" },
      { country: "US", symbol: "EXMPL", exDate: "2025-11-10", amount: "0.26" },
    ],
  },
  splits: {
    record: "splits",
    noun: "split history",
    plural: "split histories",
    key: ["country", "symbol"],
    order: ["exDate"],
    examples: [
      { country: "US", symbol: "EXMPL", exDate: "2014-06-09", numerator: "7", denominator: "1" },
      { country: "US", symbol: "EXMPL", exDate: "2020-08-31", numerator: "4", denominator: "1" },
    ],
    findFault: ({ numerator, denominator }) =>
      numerator === denominator
        ? "numerator and denominator are equal: that is no split; 4 new shares for 1 old one are numerator 4, denominator 1"
        : null,
  },
} as const satisfies Readonly<Record<string, ImportKind>>;

/** The name of a kind of import on the command line. */
export type ImportName = keyof typeof IMPORT_KINDS;
