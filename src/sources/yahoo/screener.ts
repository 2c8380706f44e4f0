import { Type } from "@sinclair/typebox";
import type { Classification } from "#domain/classification.ts";
import { COUNTRIES, type Country } from "#domain/country.ts";
import { type Instrument, NO_PROFILE, SYMBOL_PATTERN } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
import { SECTORS } from "#domain/taxonomy.ts";
import { answerReader } from "#sources/check-answer.ts";
import { defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import { type BadRow, readList, textIn } from "#sources/list.ts";
import type { SourceClient } from "#sources/source.ts";
import { plainText, positiveOf, resultsOf } from "./answer.ts";
import { quoteOf, type QuoteRow, readQuoteRow } from "./quotes.ts";
import { askWithSession } from "./session.ts";
import { YAHOO, YAHOO_API } from "./source.ts";
import { storedSymbol } from "./symbol.ts";

const KNOWN_SYMBOL = new RegExp(SYMBOL_PATTERN);

const PAGE_SIZE = 250;
const MAX_PAGES = 40;

/** Names of REITs in Tokyo, which Yahoo counts as stocks. */
const REIT_NAME = /\bREIT\b|Investment Corporation/i;

/** Yahoo's codes of each country's main exchanges. */
const EXCHANGES: Readonly<Record<Country, readonly string[]>> = {
  US: ["NMS", "NGM", "NCM", "NYQ", "ASE"],
  JP: ["JPX"],
  VN: ["VSE"],
};

const readPage = answerReader(
  YAHOO,
  Type.Object({ total: Type.Integer({ minimum: 0 }), quotes: Type.Array(Type.Unknown()) }),
);

/** A page of the stocks of one sector. */
interface SectorPage {
  /** Sector slug. */
  readonly sector: string;
  readonly page: unknown;
}

/** Quotes, sectors and listings are on the same pages, and are fetched one after the other. */
const MAX_AGE_MS = 10 * 60_000;

/** The quotes of every stock of a country that Yahoo's screener lists. */
export const yahooScreenerQuotes = defineFetcher({
  kind: "quotes",
  source: YAHOO,
  countries: ["US", "JP", "VN"],
  scope: "country",
  fetch: (query, client) => requestSectors(query, client),
  transform: (pages: readonly SectorPage[], { country }) =>
    readStocks(pages, country, ({ row, stock }): Quote | null => quoteOf(row, stock)),
});

/** The sectors of all stocks of a country, in the taxonomy's own names: they replace coarser ones. */
export const yahooSectors = defineFetcher({
  kind: "classifications",
  source: YAHOO,
  countries: ["US", "JP", "VN"],
  scope: "country",
  complements: true,
  fetch: (query, client) => requestSectors(query, client),
  transform: (pages: readonly SectorPage[], { country }) =>
    readStocks(pages, country, ({ stock: { symbol }, sector }): Classification => {
      return { country, symbol, sector, replaces: true, indexMember: null };
    }),
});

/** The stocks of a country that Yahoo's screener lists, with sectors but no industries. */
export const yahooScreenerInstruments = defineFetcher({
  kind: "instruments",
  source: YAHOO,
  countries: ["JP", "VN"],
  scope: "country",
  fetch: (query, client) => requestSectors(query, client),
  transform: (pages: readonly SectorPage[], { country }) =>
    readStocks(pages, country, ({ row, stock, sector }): Instrument | null => {
      const name = plainText(row.longName, 200) ?? plainText(row.shortName, 200);
      if (name === null) return null;
      return {
        ...stock,
        name,
        assetType: country === "JP" && REIT_NAME.test(name) ? "reit" : "stock",
        exchange: country === "JP" ? "TSE" : null,
        ...NO_PROFILE,
        sector,
        sharesOutstanding: positiveOf(row.sharesOutstanding),
        primaryListing: true,
        indexMember: false,
      };
    }),
});

/**
 * Every page of a country's stocks, sector by sector, because a row does not name its sector; of a probe until a
 * sector has stocks.
 */
async function requestSectors(
  { country, isProbe }: LiveQuery,
  client: SourceClient,
): Promise<SectorPage[]> {
  const pages: SectorPage[] = [];
  for (const { slug, name } of SECTORS.values()) {
    for (const page of await requestPages(country, name, client))
      pages.push({ sector: slug, page });
    if (isProbe && pages.some(({ page }) => parsePage(page).quotes.length > 0)) break;
  }
  return pages;
}

/** The pages of a sector, in order of symbol. */
async function requestPages(
  country: Country,
  sector: string,
  client: SourceClient,
): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (let offset = 0; pages.length < MAX_PAGES; offset += PAGE_SIZE) {
    // Without `formatted=false` the answer has every figure twice.
    const address = `${YAHOO_API}/v1/finance/screener?formatted=false`;
    const answer = await askWithSession(client, address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(screenerQuery(country, sector, offset)),
      maxAgeMs: MAX_AGE_MS,
    });
    const page = await answer.json();
    pages.push(page);
    const { total, quotes } = parsePage(page);
    if (quotes.length === 0 || offset + PAGE_SIZE >= total) break;
  }
  return pages;
}

function screenerQuery(country: Country, sector: string, offset: number) {
  const equals = (field: string, value: string) => ({ operator: "EQ", operands: [field, value] });
  return {
    size: PAGE_SIZE,
    offset,
    sortField: "ticker",
    sortType: "ASC",
    quoteType: "EQUITY",
    userId: "",
    userIdType: "guid",
    query: {
      operator: "AND",
      operands: [
        equals("region", country.toLowerCase()),
        equals("sector", sector),
        {
          operator: "OR",
          operands: EXCHANGES[country].map((exchange) => equals("exchange", exchange)),
        },
      ],
    },
  };
}

function parsePage(page: unknown) {
  const results = resultsOf(page, "finance");
  if (results.length !== 1) throw YAHOO.error("invalid_answer", "the answer is not one page");
  return readPage(results[0]);
}

/** A stock on a page, with the fields that all its records have in common. */
interface ScreenedStock {
  readonly row: QuoteRow;
  readonly sector: string;
  readonly stock: {
    readonly country: Country;
    readonly symbol: string;
    readonly assetType: "stock";
    readonly currency: string;
  };
}

/** Reads the records of the stocks in the country's currency; of several for a symbol, the last. */
function* readStocks<T>(
  pages: readonly SectorPage[],
  country: Country,
  recordOf: (stock: ScreenedStock) => T | null,
): Generator<T | BadRow> {
  const { currency } = COUNTRIES[country];
  const listed = pages.flatMap(({ sector, page }) =>
    parsePage(page).quotes.map((quote) => ({ sector, quote })),
  );
  const read = ({ sector, quote }: (typeof listed)[number]) => {
    const row = readQuoteRow(quote);
    const symbol = storedSymbol(country, row.symbol);
    if (symbol === null || !KNOWN_SYMBOL.test(symbol)) return null;
    if (row.currency !== currency || row.quoteType !== "EQUITY") return null;
    const stock = { country, symbol, assetType: "stock", currency } as const;
    return { symbol, record: recordOf({ row, sector, stock }) };
  };
  const stocks = yield* readList(listed, read, ({ quote }) =>
    storedSymbol(country, textIn(quote, "symbol") ?? ""),
  );
  const found = stocks.filter((stock) => stock !== null);
  if (found.length === 0) throw YAHOO.error("nothing", "it lists no stock of the country");
  const records = new Map(
    found.flatMap(({ symbol, record }) => (record === null ? [] : [[symbol, record]])),
  );
  yield* records.values();
}
