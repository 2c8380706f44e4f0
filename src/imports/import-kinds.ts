import { splitFault } from "#analytics/split-check.ts";
import { figureInOtherUnit } from "#domain/calendar-event.ts";
import type { RecordKind } from "#domain/records.ts";
import { LOCAL_SECTORS } from "#domain/local-sectors.ts";
import { INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";
import { quote } from "./cells.ts";

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
  /** Two records as CSV, with some of the columns. The symbols and ids are made up, so that no row replaces real data. */
  readonly examples: string;
  /** Columns of the service's own CSV and of its exports that follow from others and are not read. */
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
    aliases: { type: "assetType", isin: "aliases", figi: "aliases" },
    ignored: ["price", "change_percent", "market_cap", "session", "delisted_on", "source"],
    noun: "instrument",
    plural: "instruments",
    key: ["country", "symbol"],
    examples: `
country,symbol,name,assetType,exchange,currency,sector,industry,sharesOutstanding,employees,summary,primaryListing,indexMember
US,EXMPL,Example Company,stock,NASDAQ,USD,technology,consumer-electronics,14800000000,164000,"Phones, computers and services.",true,true
JP,0000,Example Fund,etf,TSE,JPY,,,,,,true,false`,
    findFault: ({ country, sector, industry, segment, localSector, shareKind }) => {
      if (typeof shareKind === "string" && country !== "US")
        return "shareKind is only for instruments of US";
      if (typeof segment === "string" && country !== "JP")
        return "segment is only for instruments of JP";
      const codes = LOCAL_SECTORS.filter((one) => one.country === country).map(({ code }) => code);
      if (typeof localSector === "string" && !codes.includes(localSector)) {
        return codes.length === 0
          ? "localSector is only for instruments of JP and VN"
          : `localSector must be one of ${codes.join(", ")}, not ${quote(localSector)}`;
      }
      if (typeof sector === "string" && !SECTORS.has(sector)) {
        return `sector must be one of ${[...SECTORS.keys()].join(", ")}, not ${quote(sector)}`;
      }
      if (typeof industry !== "string") return null;
      const known = INDUSTRIES.get(industry);
      if (known && known.sector === sector) return null;
      const allowed = [...INDUSTRIES.values()].flatMap((one) =>
        one.sector === sector ? [one.slug] : [],
      );
      return allowed.length > 0
        ? `industry must be one of ${allowed.join(", ")}, not ${quote(industry)}`
        : `industry ${quote(industry)} needs its sector`;
    },
  },
  bars: {
    record: "bars",
    noun: "bar history",
    plural: "bar histories",
    key: ["country", "symbol"],
    order: ["date"],
    ignored: ["split_factor", "total_return_factor"],
    examples: `
country,symbol,date,open,high,low,close,volume
US,EXMPL,2026-01-05,270.64,271.51,266.14,267.26,45647200
JP,0000,2026-01-05,3388,3421,3377,3401,`,
    findFault: ({ date }, today) =>
      String(date) > today ? `date ${String(date)} is after today, ${today}` : null,
  },
  statements: {
    record: "statements",
    aliases: { filing_date: "filedOn", filing_date_assumed: "isFilingAssumed" },
    ignored: ["free_cash_flow", "total_equity", "accession_number", "source"],
    combined: {
      name: "fiscal_period",
      into: ["span", "fiscalYear", "fiscalQuarter"],
      split: (text) => {
        const [, quarter, year] = /^(?:FY|Q([1-7])) (\d{4})$/.exec(text) ?? [];
        if (year === undefined) return null;
        return quarter === undefined ? ["year", year, "4"] : ["quarter", year, quarter];
      },
    },
    noun: "statement",
    plural: "statements",
    key: ["country", "symbol", "span", "fiscalYear", "fiscalQuarter"],
    examples: `
country,symbol,span,fiscalYear,fiscalQuarter,periodEnd,filedOn,currency,revenue,netIncome,epsDiluted,totalAssets
US,EXMPL,year,2024,4,2024-09-28,2024-11-01,USD,391035000000,93736000000,6.08,364980000000
US,EXMPL,quarter,2025,1,2024-12-28,2025-01-31,USD,124300000000,36330000000,2.40,344085000000`,
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
    ignored: ["period_end", "source"],
    examples: `
country,category,id,name,unit,decimals,period,value
VN,consumer,example-sales,Example Sales,VND tn,1,2026-09,596.2
VN,consumer,example-sales,Example Sales,VND tn,1,2026-10,601.7`,
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
    examples: `
country,category,name,unit,decimals,origin,year,quarter,value
JP,gdp,Example Growth Rate,%,1,Our own forecast of November 2026,2027,1,0.3
JP,gdp,Example Growth Rate,%,1,Our own forecast of November 2026,2027,2,0.4`,
  },
  calendar: {
    record: "calendarEvents",
    noun: "calendar event",
    plural: "calendar events",
    key: ["country", "id"],
    ignored: ["local_time", "currency", "source"],
    // CSV of REST has the name of a series, which links nothing; exported files have its id.
    combined: {
      name: "series",
      into: ["series"],
      split: (text) => (/[A-Z ]/.test(text) ? [""] : null),
    },
    examples: `
id,country,event,date,time,importance,previous,consensus,unit
example-2020-01,VN,Example Inflation Rate,2020-01-06,02:00,high,3.2%,,%
example-2020-02,US,Example Payrolls,2020-02-07,13:30,high,119K,105K,thousand`,
    findFault: (event) => {
      const { unit } = event;
      const other = typeof unit === "string" ? figureInOtherUnit(event, unit) : undefined;
      return other === undefined
        ? null
        : `${other} names another unit than the column unit, ${String(unit)}`;
    },
  },
  holidays: {
    record: "holidayOverrides",
    noun: "holiday override",
    plural: "holiday overrides",
    key: ["country", "date"],
    examples: `
country,date,name,closed
VN,1900-02-01,Example decree,true
VN,1900-02-02,Example decree: open,false`,
  },
  "index-pe": {
    record: "indexPe",
    noun: "month of index P/E",
    plural: "months of index P/E",
    key: ["country", "month"],
    examples: `
country,month,pe
US,1900-01,27.4
US,1900-02,27.9`,
  },
  dividends: {
    record: "dividends",
    noun: "dividend history",
    plural: "dividend histories",
    key: ["country", "symbol"],
    order: ["exDate"],
    ignored: ["source"],
    examples: `
country,symbol,exDate,amount
US,EXMPL,2025-08-11,0.26
US,EXMPL,2025-11-10,0.26`,
    findFault: ({ amount, capitalGain }) =>
      Number(capitalGain) > Number(amount)
        ? `capitalGain ${capitalGain} is more than amount ${amount}, which contains it`
        : null,
  },
  splits: {
    record: "splits",
    noun: "split history",
    plural: "split histories",
    key: ["country", "symbol"],
    order: ["exDate"],
    ignored: ["source"],
    examples: `
country,symbol,exDate,numerator,denominator
US,EXMPL,2014-06-09,7,1
US,EXMPL,2020-08-31,4,1`,
    findFault: ({ numerator, denominator }) =>
      numerator === denominator
        ? "numerator and denominator are equal: that is no split; 4 new shares for 1 old one are numerator 4, denominator 1"
        : splitFault({ numerator: Number(numerator), denominator: Number(denominator) }),
  },
} as const satisfies Readonly<Record<string, ImportKind>>;

/** The name of a kind of import on the command line. */
export type ImportName = keyof typeof IMPORT_KINDS;
