import { Type } from "@sinclair/typebox";
import { changePercent } from "#analytics/performance.ts";
import { type Country, COUNTRY_CODES, CountryCode } from "#domain/country.ts";
import { invalidArgument } from "#domain/errors.ts";
import { ASSET_TYPES, isCompany } from "#domain/instrument.ts";
import { formatLocalSector, localSectorOf } from "#domain/local-sectors.ts";
import { DateOutput, FigureOutput, Nullable, SessionsOutput, StringEnum } from "#domain/schema.ts";
import { boardOf } from "#domain/exchanges.ts";
import { tableOf } from "#lib/table.ts";
import { round2, roundPrice } from "#panels/format.ts";
import { newestPrice } from "#rollups/prices.ts";
import type { InstrumentFilter } from "#store/instrument-search.ts";
import type { MarketStore } from "#store/index.ts";
import type { SearchPosition, StoredInstrument } from "#store/instruments.ts";
import { CurrencyRates, rateNeeds } from "#rollups/currency-rates.ts";
import type { InputKeywords } from "./reading/decode.ts";
import { AssetTypeInput, TextListInput } from "./reading/inputs.ts";
import {
  AnySectorInput,
  ExchangeInput,
  oneLocalSector,
  readLocalSector,
  boardFilter,
} from "./reading/company-filters.ts";
import { marketCapOf } from "./reading/instruments.ts";
import { sortLargest } from "./reading/largest.ts";
import { whyNoMarketCap } from "./metric-reasons.ts";
import { countryNeeds, optionalCountryNeeds } from "./needs.ts";
import { COMPANY_FACTS } from "./known-day.ts";
import { defineOperation, type OperationContext } from "./operation.ts";
import { findBest, narrow, suggest } from "./reading/symbol-search.ts";
import { formatKey } from "./reading/symbols.ts";
import type { Gap, Why } from "./reasons.ts";

const MAX_QUERIES = 20;
/** The largest number of matches of one of several queries. */
const MATCHES_PER_QUERY = 5;

/** Suggestions are looked up for this number of queries without a match, because each takes milliseconds. */
const MAX_SUGGESTED = 5;

const SORTS = ["relevance", "name", "-market_cap", "-change_percent", "change_percent"] as const;
type Sort = (typeof SORTS)[number];

const SymbolRow = Type.Object({
  country: CountryCode,
  symbol: Type.String({ description: "Ticker in its country's form: AAPL." }),
  code: Type.String({ description: "The same as symbol." }),
  name: Type.String({ description: "Name of the instrument: Apple Inc." }),
  type: StringEnum(ASSET_TYPES, { description: "Asset type." }),
  sector: Nullable(
    Type.String({ description: "Sector slug: technology; null if unknown or not a company." }),
  ),
  exchange: Type.Optional(
    Type.String({ description: "Of a search, the exchange or its segment: TSE Prime." }),
  ),
  local_sector: Type.Optional(
    Type.String({
      description: "Of a search, the class of its own market: JP:electric-appliances.",
    }),
  ),
  currency: Type.String({ description: "ISO code of the currency of the price: USD." }),
  price: FigureOutput("Newest close in `currency`: 177.39."),
  change_percent: FigureOutput("Change from the previous to the newest close in percent: -0.42."),
  market_cap: FigureOutput("Market cap in `currency`: 3010000000000."),
  session: Type.Optional(DateOutput("Date of the price if `sessions` has another.")),
});
/** The fields of a row that only a search gives. */
const PLACE = ["exchange", "local_sector"];
const Suggestions = Type.Optional(
  Type.Array(Type.String(), {
    description: "If nothing was found, the closest matches: JP:7203 Toyota Motor Corporation.",
  }),
);

export const listSymbols = defineOperation({
  name: "list_symbols",
  set: "market",
  title: "Search and list symbols",
  description:
    "Finds tickers by country, asset type, sector or free text, best match first. For companies by figures use screen_stocks.",
  path: "/data/symbols",
  notRewound: COMPANY_FACTS,
  input: Type.Object({
    country: Type.Optional(CountryCode),
    type: Type.Optional(AssetTypeInput),
    sector: Type.Optional(AnySectorInput("Sector slug, Tokyo's 33 or ICB: 電気機器.")),
    exchange: Type.Optional(ExchangeInput),
    query: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: "Symbol in any notation, or a name.",
        hint: () => "For several searches use queries.",
      } satisfies InputKeywords & Parameters<typeof Type.String>[0]),
    ),
    queries: Type.Optional(
      TextListInput(MAX_QUERIES, "Instead of query: Toyota,FPT.", "Toyota,FPT"),
    ),
    sort: Type.Optional(
      StringEnum(SORTS, { default: "relevance", description: "Order; - is descending." }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 25,
        description: "Maximum rows.",
      }),
    ),
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 100, description: "The last next_cursor." }),
    ),
  }),
  complete: (args) =>
    readLocalSector(args, args["country"] ? [args["country"] as Country] : undefined),
  output: Type.Object({
    symbols: Type.Array(SymbolRow),
    total: Type.Integer({ description: "Number of symbols on all pages." }),
    next_cursor: Nullable(
      Type.String({ description: "Value of cursor for the next page; null on the last page." }),
    ),
    sessions: SessionsOutput,
    suggestions: Suggestions,
    note: Type.Optional(Type.String({ description: "What is listed here, if nothing was found." })),
    matches: Type.Optional(
      Type.Array(
        Type.Object({
          query: Type.String({ description: "One of `queries`." }),
          symbols: Type.Array(Type.String(), { description: "Its matches in `symbols`: US:AAPL." }),
          suggestions: Suggestions,
        }),
        { description: "The matches of each of `queries`, best first." },
      ),
    ),
  }),
  table: ({ symbols, sessions, total, next_cursor: cursor }) => ({
    // `code` repeats `symbol`, and only the rows of a search have a place.
    ...tableOf(
      Object.keys(SymbolRow.properties).filter(
        (name) => name !== "code" && (!PLACE.includes(name) || symbols.some((row) => name in row)),
      ),
      symbols.map((row) => ({
        ...row,
        session: row.session ?? (row.price === null ? null : sessions[row.country]),
      })),
    ),
    total,
    next: cursor === null ? null : { cursor },
  }),
  needs: ({ country, sort }) => [
    ...countryNeeds(["instruments"], country),
    ...optionalCountryNeeds(["quotes"], country),
    ...(sort === "-market_cap" && country === undefined ? rateNeeds() : []),
  ],
  companiesOf: ({ country, sort = "relevance" }) =>
    sort === "relevance" || sort === "name" ? [] : country ? [country] : COUNTRY_CODES,
  handle(input, context) {
    const { country, type: assetType, sector, exchange, limit = 25 } = input;
    const { market } = context;
    const local = oneLocalSector(sector);
    const filter: InstrumentFilter = {
      country: country ?? local?.country,
      assetType,
      ...(local ? { localSector: local.code } : { sector }),
      ...boardFilter(exchange),
    };
    if (input.queries !== undefined) {
      if (input.query !== undefined) throw refuse("queries", "Give query or queries, not both.");
      return answerQueries(context, filter, input.queries, limit);
    }
    const narrowed = narrow(market, { ...filter, query: input.query });
    const { sort = "relevance", cursor } = input;
    const { instruments, total, next } =
      sort === "relevance"
        ? listRelevant(market, narrowed, limit, cursor)
        : listSorted(context, narrowed, sort, limit, cursor);
    const rows = readSymbolRows(context, instruments, input.query !== undefined);
    const asked = total === 0 ? input.query : undefined;
    return {
      data: {
        ...withSessions(rows),
        total,
        next_cursor: next,
        ...(asked !== undefined && {
          suggestions: suggest(market, { ...filter, query: asked }),
          note: LISTED,
        }),
      },
      from: rows.flatMap(({ from }) => from),
      why: whyOfSymbols(market),
    };
  },
});

/** Why a row lacks a figure, or no symbol is listed. */
const whyOfSymbols =
  (market: MarketStore) =>
  ({ figure, of, isList }: Gap): Why | undefined => {
    if (isList) return "no_match";
    const instrument = market.instruments.find({
      country: of["country"] as Country,
      symbol: String(of["symbol"]),
    });
    if (!instrument) return undefined;
    if (figure === "sector")
      return isCompany(instrument.assetType) ? "not_published" : "not_applicable";
    if (figure === "market_cap") return whyNoMarketCap(market, instrument);
    const { country, symbol } = instrument;
    if (of["price"] === null) return { kind: "bars", country, symbol };
    return figure === "change_percent" ? "too_few" : "not_published";
  };

const LISTED =
  "Listed are shares, ETFs, REITs and indices of the US, Japan and Viet Nam, with currencies, commodities and cryptocurrencies. There are no bonds, options or shares of other countries.";

/** The best matches of each query. Together they have about `limit` rows, and each has at least one. */
function answerQueries(
  context: OperationContext,
  filter: InstrumentFilter,
  queries: string,
  limit: number,
) {
  const { market } = context;
  const texts = [...new Set(queries.split(","))].filter(
    (text, i) => i === 0 || !LEGAL_FORM.test(text),
  );
  const count = Math.min(MATCHES_PER_QUERY, Math.max(1, Math.floor(limit / texts.length)));
  const found = new Map<number, StoredInstrument>();
  let unmatched = 0;
  const matches = texts.map((query) => {
    const best = findBest(market, { ...filter, query }, count);
    const suggests = best.length === 0 && unmatched++ < MAX_SUGGESTED;
    for (const instrument of best) found.set(instrument.id, instrument);
    return {
      query,
      symbols: best.map(formatKey),
      ...(suggests && { suggestions: suggest(market, { ...filter, query }) }),
    };
  });
  const rows = readSymbolRows(context, [...found.values()], true);
  return {
    data: {
      ...withSessions(rows),
      total: rows.length,
      next_cursor: null,
      matches,
    },
    from: rows.flatMap(({ from }) => from),
    why: whyOfSymbols(market),
  };
}

/** A legal form behind a comma belongs to the query before it: `Apple, Inc.`. */
const LEGAL_FORM = /^(co|corp|inc|ltd|llc|plc)(\. .*|\.?)$/i;

interface Page {
  readonly instruments: readonly StoredInstrument[];
  readonly total: number;
  readonly next: string | null;
}

/** A page in the order of relevance; within a rank of the page the largest come first. */
function listRelevant(
  market: MarketStore,
  filter: InstrumentFilter,
  limit: number,
  cursor: string | undefined,
): Page {
  const after = cursor === undefined ? null : parsePosition(cursor);
  const { instruments, ranks, total, next } = market.instruments.search(filter, { limit, after });
  return {
    instruments: filter.query === undefined ? instruments : sortLargest(market, instruments, ranks),
    total,
    next: next && formatCursor("after", next.rank, next.id),
  };
}

/** A page in the order of names, or of a figure. Instruments without the figure come last. */
function listSorted(
  context: OperationContext,
  filter: InstrumentFilter,
  sort: Exclude<Sort, "relevance">,
  limit: number,
  cursor: string | undefined,
): Page {
  const { instruments } = context.market;
  const offset = cursor === undefined ? 0 : parseOffset(cursor);
  const nextOf = (total: number) =>
    offset + limit < total ? formatCursor("sorted", offset + limit) : null;
  if (sort === "name") {
    const page = instruments.listByName(filter, { limit, offset });
    return { ...page, next: nextOf(page.total) };
  }
  const figures = listFigures(context, filter, sort);
  const sign = sort.startsWith("-") ? -1 : 1;
  const ids = instruments
    .listIds(filter)
    .map((id) => ({ id, figure: figures.get(id) ?? null }))
    .sort((a, b) =>
      a.figure === null || b.figure === null
        ? Number(a.figure === null) - Number(b.figure === null)
        : sign * (a.figure - b.figure),
    );
  return {
    instruments: ids
      .slice(offset, offset + limit)
      .flatMap(({ id }) => instruments.findById(id) ?? []),
    total: ids.length,
    next: nextOf(ids.length),
  };
}

/** The figure of each company by the instrument's id: the change in percent, or the market cap in dollars. */
function listFigures(
  { market, rollups }: OperationContext,
  { country }: InstrumentFilter,
  sort: Exclude<Sort, "relevance" | "name">,
): Map<number, number | null> {
  const rates = new CurrencyRates(market);
  const countries = country ? [country] : COUNTRY_CODES;
  return new Map(
    countries
      .flatMap((one) => rollups.get(one).list)
      .map(({ instrument, changePercent: change, fundamentals }) => {
        if (sort !== "-market_cap") return [instrument.id, change];
        const { marketCap, currency } = fundamentals;
        const rate = rates.find(currency, "USD");
        return [instrument.id, marketCap !== null && rate !== null ? marketCap * rate : null];
      }),
  );
}

/** Where an instrument is listed, and its class there, as far as they are known. */
function placeOf(instrument: StoredInstrument) {
  const [exchange, local] = [boardOf(instrument), localSectorOf(instrument)];
  return {
    ...(exchange !== null && { exchange }),
    ...(local !== null && { local_sector: formatLocalSector(local) }),
  };
}

/**
 * The rows of instruments. A hundred of a past day take a third of the time if they are read together.
 *
 * @param areFound true for a search. The rows of a list have no place, because 25 of them would cost too many tokens.
 */
const readSymbolRows = (
  context: OperationContext,
  instruments: readonly StoredInstrument[],
  areFound: boolean,
) =>
  context.market.readTogether(() =>
    instruments.map((one) => readSymbolRow(context, one, areFound)),
  );

/** The row of an instrument, with the records behind it. */
function readSymbolRow(
  { market, now }: OperationContext,
  instrument: StoredInstrument,
  isFound: boolean,
) {
  const { id, country, symbol, name, assetType, sector, currency } = instrument;
  const bars = market.bars.findProvenance(id);
  const quote = market.documents.find("quotes", country, symbol);
  const newest = newestPrice(market, instrument, bars, quote);
  const change = changePercent(newest?.close ?? null, newest?.previousClose ?? null);
  return {
    row: {
      country,
      symbol,
      code: symbol,
      name,
      type: assetType,
      sector,
      ...(isFound && placeOf(instrument)),
      currency,
      price: newest ? roundPrice(newest.close) : null,
      change_percent: round2(change),
      market_cap: marketCapOf(market, instrument, { price: newest?.close ?? null, quote, now }),
    },
    session: newest?.date ?? null,
    from: [instrument, bars, quote].filter((record) => record !== null),
  };
}

/** The rows, and the date of the newest session of each country. A row whose price is older has its own date. */
function withSessions(rows: readonly ReturnType<typeof readSymbolRow>[]) {
  const sessions: Record<string, string> = {};
  for (const { row, session } of rows) {
    if (session !== null && session > (sessions[row.country] ?? "")) {
      sessions[row.country] = session;
    }
  }
  const symbols = rows.map(({ row, session }) =>
    session === null || session === sessions[row.country] ? row : { ...row, session },
  );
  return { symbols, sessions };
}

/** A cursor is opaque to callers. It has the position of the last symbol of its page, or a number of symbols. */
const formatCursor = (...parts: readonly (string | number)[]): string =>
  Buffer.from(parts.join(":")).toString("base64url");

const readCursor = (cursor: string, pattern: RegExp): readonly number[] => {
  const [, ...numbers] = pattern.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (numbers.length > 0) return numbers.map(Number);
  throw refuse(
    "cursor",
    "cursor must be the next_cursor of a previous answer to the same arguments; omit it for the first page.",
  );
};

function parsePosition(cursor: string): SearchPosition {
  const [rank = 0, id = 0] = readCursor(cursor, /^after:(\d):(\d{1,15})$/);
  return { rank, id };
}

function parseOffset(cursor: string): number {
  const [offset = 0] = readCursor(cursor, /^sorted:(\d{1,9})$/);
  return offset;
}

const refuse = (param: string, message: string) => invalidArgument(message, { param });
