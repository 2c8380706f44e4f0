import { Database } from "bun:sqlite";
import { join } from "node:path";
import fc from "fast-check";
import type { Country } from "#domain/country.ts";
import { COMPUTED, type RecordKind, type RecordOf, RECORDS } from "#domain/records.ts";
import { NO_ITEMS } from "#domain/statement.ts";
import { applyLogged, findLogPlace, type MarketChange } from "#ingest/changes.ts";
import { addDays } from "#lib/date.ts";
import type { MarketStore } from "#store/index.ts";
import { nextFingerprint } from "#store/market.ts";
import { calendarEvent, macroForecast, macroSeries } from "./contract-market.ts";
import { barsFrom, quote } from "./refresher.ts";
import { stock } from "./market.ts";

/** Few symbols and dates, so that records often meet. */
const SYMBOLS = ["A", "B", "C", "D", "E"] as const;
const country = fc.constantFrom<Country>("US", "JP");
const symbol = fc.constantFrom(...SYMBOLS);
const date = fc.integer({ min: 0, max: 120 }).map((days) => addDays("2026-08-01", days));
const price = fc.oneof(
  fc.integer({ min: 1, max: 1_000_000 }).map((cents) => cents / 100),
  fc.double({ min: 1e-6, max: 1e6, noNaN: true }),
);
const text = fc.string({ minLength: 1, maxLength: 30, unit: "binary" });
const figure = fc.option(fc.double({ min: 0.5, max: 1e12, noNaN: true }));

/** Records of each kind for a country and symbol. */
const RECORD_ARBITRARIES: {
  readonly [K in RecordKind]: (of: Country, symbol: string) => fc.Arbitrary<RecordOf<K>>;
} = {
  instruments: (of, symbol) =>
    fc
      .record(
        {
          name: text,
          sector: fc.constantFrom("technology", "energy", null),
          industry: fc.constantFrom("consumer-electronics", null),
          sharesOutstanding: fc.option(price),
          assetType: fc.constantFrom("stock", "etf"),
          indexMember: fc.boolean(),
          aliases: fc.option(text),
          segment: fc.constantFrom("prime", "growth", null),
          localSector: fc.constantFrom("3650", "8300", null),
          shareKind: fc.constantFrom("share", "receipt", null),
        },
        { requiredKeys: ["name"] },
      )
      .map((details) => stock(of, symbol, details)),
  classifications: (of, symbol) =>
    fc.record({
      country: fc.constant(of),
      symbol: fc.constant(symbol),
      sector: fc.constantFrom("technology", "utilities", null),
      replaces: fc.boolean(),
      indexMember: fc.constantFrom(true, null),
      memberOf: fc.constantFrom("^DJI", "^TOPX"),
    }),
  bars: (of, symbol) =>
    fc
      .tuple(date, fc.array(price, { maxLength: 12 }))
      .map(([from, closes]) => ({ country: of, symbol, bars: barsFrom(from, ...closes) })),
  quotes: (of, symbol) =>
    fc
      .record({ date, price, volume: figure, marketCap: figure })
      .map(({ price: last, ...rest }) => quote(symbol, last, { country: of, ...rest })),
  recentCloses: (of, symbol) =>
    fc.tuple(date, fc.array(price, { minLength: 1, maxLength: 9 })).map(([from, closes]) => ({
      country: of,
      symbol,
      from,
      days: closes.map((_, i) => i),
      closes,
    })),
  dividends: (of, symbol) =>
    fc.array(fc.record({ exDate: date, amount: price }), { maxLength: 4 }).map((dividends) => ({
      country: of,
      symbol,
      dividends,
    })),
  splits: (of, symbol) =>
    fc
      .array(fc.record({ exDate: date, numerator: price, denominator: price }), { maxLength: 3 })
      .map((splits) => ({ country: of, symbol, splits })),
  statements: (of, symbol) =>
    fc
      .record({ year: fc.integer({ min: 2023, max: 2026 }), isYear: fc.boolean(), revenue: figure })
      .map(({ year, isYear, revenue }) => ({
        country: of,
        symbol,
        span: isYear ? "year" : "quarter",
        fiscalYear: year,
        fiscalQuarter: 4,
        periodEnd: `${year}-12-31`,
        filedOn: `${year + 1}-02-01`,
        currency: "USD",
        items: { ...NO_ITEMS, revenue },
      })),
  statementVintages: (of, symbol) =>
    fc
      .record({
        year: fc.integer({ min: 2023, max: 2026 }),
        filedOn: date,
        revenue: fc.option(figure),
        accession: fc.option(fc.constant("0000000001-26-000001")),
      })
      .map(({ year, filedOn, revenue, accession }) => ({
        country: of,
        symbol,
        span: "year",
        fiscalYear: year,
        fiscalQuarter: 4,
        periodEnd: `${year}-12-31`,
        filedOn,
        currency: "USD",
        accession,
        items: revenue === null ? null : { ...NO_ITEMS, revenue },
      })),
  macroSeries: (of, symbol) =>
    fc
      .array(price, { minLength: 1, maxLength: 9 })
      .map((values) => macroSeries(of, "gdp", `series-${symbol.toLowerCase()}`, values)),
  macroVintages: (of, symbol) =>
    fc.uniqueArray(date, { minLength: 1, maxLength: 4 }).chain((days) =>
      fc.array(fc.option(price), { minLength: 1, maxLength: 4 }).map((values) => ({
        country: of,
        id: `series-${symbol.toLowerCase()}`,
        unit: "%",
        vintages: days.toSorted().map((since, i) => ({
          period: "2026-01",
          since,
          value: values[i] ?? null,
          ...(i === 0 && { isBase: true as const }),
        })),
      })),
    ),
  macroForecasts: (of, symbol) =>
    fc
      .array(fc.option(price), { minLength: 1, maxLength: 6 })
      .map((values) => macroForecast(of, `Forecast ${symbol}`, 1, values)),
  forecastVintages: (of, symbol) =>
    fc.uniqueArray(date, { minLength: 1, maxLength: 4 }).chain((days) =>
      fc.array(fc.option(price), { minLength: 1, maxLength: 4 }).map((values) => ({
        country: of,
        id: `gdp/Forecast ${symbol}`,
        vintages: days.toSorted().map((since, i) => ({
          since,
          source: "imf",
          storedAt: Date.parse(since),
          forecast: i === 1 ? null : macroForecast(of, `Forecast ${symbol}`, 1, values),
        })),
      })),
    ),
  indexPe: (of) =>
    fc.tuple(fc.integer({ min: 1, max: 9 }), price).map(([month, pe]) => ({
      country: of,
      month: `2026-0${month}`,
      pe,
    })),
  calendarEvents: (of) => date.map((day) => calendarEvent(of, day, "12:30", "high")),
  holidayOverrides: (of) =>
    fc.record({ country: fc.constant(of), date, name: text, closed: fc.boolean() }),
  analystCoverage: (of, symbol) =>
    fc.option(price).map((mean) => ({
      country: of,
      symbol,
      ratings: [],
      priceTarget: { low: null, mean, median: null, high: null, analysts: 3 },
      estimates: [],
      actions: [],
    })),
  earningsDates: (of, symbol) =>
    fc.tuple(date, figure).map(([day, epsEstimate]) => ({
      country: of,
      symbol,
      date: day,
      session: "not_supplied",
      fiscalPeriod: null,
      epsEstimate,
      revenueEstimate: null,
      analysts: null,
    })),
  earningsResults: (of, symbol) =>
    fc
      .array(
        fc.record({ month: fc.integer({ min: 1, max: 9 }), eps: price, day: fc.option(date) }),
        {
          maxLength: 4,
        },
      )
      .map((all) => ({
        country: of,
        symbol,
        results: all.map(({ month, eps, day }) => ({
          quarterEnd: `2026-0${month}`,
          reportedOn: day,
          epsActual: eps,
          epsEstimate: null,
        })),
      })),
  companyForecasts: (of, symbol) =>
    fc.array(fc.tuple(date, figure, figure), { maxLength: 3 }).map((all) => ({
      country: of,
      symbol,
      currency: "JPY",
      forecasts: all.map(([announcedOn, netIncome, eps]) => ({
        yearEnd: "2027-03-31",
        announcedOn,
        revenue: null,
        operatingIncome: null,
        ordinaryIncome: null,
        netIncome,
        eps,
        dividendPerShare: null,
        sharesAsOf: announcedOn,
      })),
    })),
  foreignTrades: (of, symbol) =>
    fc.tuple(date, fc.option(price), fc.option(price)).map(([on, boughtValue, room]) => ({
      country: of,
      symbol,
      date: on,
      boughtValue,
      soldValue: 0,
      room,
    })),
  filings: (of, symbol) =>
    fc.array(fc.tuple(date, fc.integer({ min: 0, max: 99 })), { maxLength: 3 }).map((all) => ({
      country: of,
      symbol,
      filings: all.map(([filedOn, number]) => ({
        id: `S100A${number}`,
        form: "annual" as const,
        filedOn,
        corrects: null,
      })),
    })),
};

/** The kinds of records. */
export const KINDS = Object.keys(RECORDS) as RecordKind[];

/** Up to ten records of that kind of one country. */
export function recordsOf<K extends RecordKind>(kind: K, of: Country): fc.Arbitrary<RecordOf<K>[]> {
  const one = symbol.chain((some) => RECORD_ARBITRARIES[kind](of, some));
  return fc.array(one, { maxLength: 10 });
}

const at = fc.integer({ min: 0, max: 60 * 86_400_000 }).map((ms) => 1_790_000_000_000 + ms);
const warnings = fc.option(text);

/** The result of a source for a key of that kind. */
const fetched = (kind: RecordKind, of: Country) =>
  fc.record({
    kind: fc.constant(kind),
    country: fc.constant(of),
    symbol: fc.option(symbol),
    source: fc.constantFrom("alpha", "beta", COMPUTED),
    at,
    blockedUntil: fc.option(fc.oneof(fc.constant(0), at)),
  });

const answer = (kind: RecordKind, of: Country) =>
  fc
    .record({
      fields: fetched(kind, of),
      isWhole: fc.boolean(),
      isComplete: fc.boolean(),
      covered: fc.option(fc.record({ from: date, to: date })),
      leftOut: fc.nat(3),
      reason: warnings,
      rejectedSymbols: fc.array(symbol, { maxLength: 2 }),
      records: recordsOf(kind, of),
    })
    .map(({ fields, ...rest }) => ({ type: "answer", ...fields, ...rest }));

const importOf = (kind: RecordKind, of: Country) =>
  fc
    .record({ at, keepsOthers: fc.boolean(), records: recordsOf(kind, of) })
    .map((fields) => ({ type: "import", kind, ...fields }));

const removalOf = (kind: RecordKind, of: Country) =>
  fc.array(symbol, { maxLength: 3 }).map((keys) => ({
    type: "removal",
    records: keys.map((key) => ({ kind, country: of, key })),
  }));

/** Any change with records of that kind. */
export function changeOf(kind: RecordKind): fc.Arbitrary<MarketChange> {
  const change = country.chain((of) =>
    fc.oneof(
      { weight: 6, arbitrary: answer(kind, of) },
      {
        weight: 1,
        arbitrary: fc
          .record({ fields: fetched(kind, of), count: fc.nat(99), warning: warnings })
          .map(({ fields, ...rest }) => ({ type: "success", ...fields, ...rest })),
      },
      {
        weight: 1,
        arbitrary: fc
          .record({ fields: fetched(kind, of), reason: text })
          .map(({ fields, ...rest }) => ({ type: "failure", ...fields, ...rest })),
      },
      { weight: 2, arbitrary: importOf(kind, of) },
      { weight: 1, arbitrary: removalOf(kind, of) },
    ),
  );
  return change as fc.Arbitrary<MarketChange>;
}

/** Any change of a market. Instruments are more frequent, because other records need them. */
export const anyChange: fc.Arbitrary<MarketChange> = fc
  .constantFrom<RecordKind>("instruments", "instruments", "bars", "bars", ...KINDS)
  .chain(changeOf);

/** Every row of the tables of a database file that match the condition, by table, read by SQLite itself. */
export function rowsWhere(path: string, condition: string): Record<string, unknown[][]> {
  const database = new Database(path, { readonly: true });
  try {
    const tables = database
      .query<{ name: string }, []>(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND ${condition}`,
      )
      .all();
    return Object.fromEntries(
      tables.map(({ name }) => [name, database.query(`SELECT * FROM "${name}"`).values()]),
    );
  } finally {
    database.close();
  }
}

/** Every row of every table of a market file, by table, without what a process computed from them. */
export const rowsOf = (folder: string) =>
  rowsWhere(join(folder, "market.db"), "name <> 'company_figures'");

/** What a node may have for itself: the order of changes, saved figures, the pages of the search index. */
const OWN = /^(changes|sqlite_sequence|company_figures|instrument_search_.*)$/;

/** The records of a market, and the words of its search index. */
export function marketOf(folder: string) {
  return Object.fromEntries(Object.entries(rowsOf(folder)).filter(([name]) => !OWN.test(name)));
}

const LOG_ID = "7d9d3a5e-0000-4000-8000-000000000000";

/** Applies a change to the market of a node as the next one of a log, or with that number. */
export function applyNext(
  market: MarketStore,
  change: MarketChange,
  number = findLogPlace(market).number + 1,
) {
  const entry = { id: LOG_ID, position: number };
  const fingerprint = nextFingerprint(findLogPlace(market).fingerprint, entry);
  return applyLogged(market, { ...entry, number, fingerprint }, change);
}
