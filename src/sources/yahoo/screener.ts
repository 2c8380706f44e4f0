import { Type } from "@sinclair/typebox";
import { COUNTRIES, type Country } from "#domain/country.ts";
import { type Instrument, SYMBOL_PATTERN } from "#domain/instrument.ts";
import type { Quote } from "#domain/quote.ts";
import { defineFetcher, type LiveQuery } from "#sources/fetcher.ts";
import type { SourceClient } from "#sources/source.ts";
import { parsePart, plainText, positiveOf, resultsOf } from "./answer.ts";
import { quoteOf, QuoteRow } from "./quote.ts";
import { askWithSession } from "./session.ts";
import { YAHOO, YAHOO_API, yahooError } from "./source.ts";
import { storedSymbol } from "./symbol.ts";

const KNOWN_SYMBOL = new RegExp(SYMBOL_PATTERN);

const PAGE_SIZE = 250;
const MAX_PAGES = 40;

/** How REITs in Tokyo are called; Yahoo counts them as stocks. */
const REIT_NAME = /\bREIT\b|Investment Corporation/i;

/** Yahoo's codes of each country's main exchanges. */
const EXCHANGES: Readonly<Record<Country, readonly string[]>> = {
  US: ["NMS", "NGM", "NCM", "NYQ", "ASE"],
  JP: ["JPX"],
  VN: ["VSE"],
};

const Page = Type.Object({
  total: Type.Integer({ minimum: 0 }),
  quotes: Type.Array(QuoteRow),
});

/** The quotes of every stock of a country that Yahoo's screener lists. */
export const yahooScreenerQuotes = defineFetcher({
  kind: "quotes",
  source: YAHOO,
  countries: ["US", "JP", "VN"],
  scope: "country",
  fetch: (query, client) => askPages(query, client),
  transform(pages: readonly unknown[], { country }) {
    const quotes = new Map<string, Quote>();
    for (const { row, stock } of stocksOf(pages, country)) {
      const quote = quoteOf(row, stock);
      if (quote) quotes.set(stock.symbol, quote);
    }
    return quotes.values();
  },
});

/** The stocks of a country that Yahoo's screener lists; it does not tell their industries. */
export const yahooScreenerInstruments = defineFetcher({
  kind: "instruments",
  source: YAHOO,
  countries: ["JP", "VN"],
  scope: "country",
  fetch: (query, client) => askPages(query, client),
  transform(pages: readonly unknown[], { country }) {
    const instruments = new Map<string, Instrument>();
    for (const { row, stock } of stocksOf(pages, country)) {
      const name = plainText(row.longName, 200) ?? plainText(row.shortName, 200);
      if (name === null) continue;
      instruments.set(stock.symbol, {
        ...stock,
        name,
        assetType: country === "JP" && REIT_NAME.test(name) ? "reit" : "stock",
        exchange: country === "JP" ? "TSE" : null,
        sector: null,
        industry: null,
        sharesOutstanding: positiveOf(row.sharesOutstanding),
        employees: null,
        summary: null,
        primaryListing: true,
        indexMember: false,
      });
    }
    return instruments.values();
  },
});

/** Every page of a country's stocks, in order of symbol. */
async function askPages({ country }: LiveQuery, client: SourceClient): Promise<unknown[]> {
  const pages: unknown[] = [];
  for (let offset = 0; pages.length < MAX_PAGES; offset += PAGE_SIZE) {
    const answer = await askWithSession(client, `${YAHOO_API}/v1/finance/screener`, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({
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
            { operator: "EQ", operands: ["region", country.toLowerCase()] },
            {
              operator: "OR",
              operands: EXCHANGES[country].map((exchange) => ({
                operator: "EQ",
                operands: ["exchange", exchange],
              })),
            },
          ],
        },
      }),
    });
    const page = answer.json();
    pages.push(page);
    const { total, quotes } = parsePage(page);
    if (quotes.length === 0 || offset + PAGE_SIZE >= total) break;
  }
  return pages;
}

function parsePage(page: unknown) {
  const results = resultsOf(page, "finance");
  if (results.length !== 1) throw yahooError("invalid_answer", "the answer is not one page");
  return parsePart(Page, results[0]);
}

/** The stocks on the pages that are in the country's currency, with what is the same of each. */
function* stocksOf(pages: readonly unknown[], country: Country) {
  let found = 0;
  const { currency } = COUNTRIES[country];
  for (const page of pages) {
    for (const row of parsePage(page).quotes) {
      const symbol = storedSymbol(country, row.symbol);
      if (symbol === null || !KNOWN_SYMBOL.test(symbol)) continue;
      if (row.currency !== currency || row.quoteType !== "EQUITY") continue;
      found++;
      yield { row, stock: { country, symbol, assetType: "stock", currency } as const };
    }
  }
  if (found === 0) throw yahooError("nothing", "it lists no stock of the country");
}
