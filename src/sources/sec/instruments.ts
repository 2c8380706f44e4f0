import { type Instrument, NO_PROFILE } from "#domain/instrument.ts";
import { lookup } from "#lib/lookup.ts";
import { plainText } from "#lib/plain-text.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { fetchRegistrants, readRegistrants, type Registrant } from "./registrants.ts";
import { SEC } from "./source.ts";

/** The exchanges by the names that instruments use; over-the-counter shares are left out. */
const EXCHANGES: Readonly<Record<string, string>> = {
  Nasdaq: "NASDAQ",
  NYSE: "NYSE",
  NYS: "NYSE",
  CBOE: "CBOE",
};

/**
 * The listed shares of all companies that file with the SEC, the largest first: names and exchanges,
 * without sectors. Funds that say so in their names are ETFs, all others are stocks, because the list has no types.
 *
 * Preferred shares, warrants, units and rights are left out. Their tickers show them: a hyphen with
 * more than one letter (`BAC-PK`), or a fifth letter W, R, U, P, O, N or M after another ticker of the
 * same company (`AACI`, `AACIW`). Of several shares of a company the first one is the primary listing.
 */
export const secInstruments = defineFetcher({
  kind: "instruments",
  source: SEC,
  countries: ["US"],
  scope: "country",
  fetch: (_query, client) => fetchRegistrants(client),
  *transform(raw: unknown) {
    const instruments = listedShares(yield* readRegistrants(raw));
    if (instruments.length === 0) throw SEC.error("nothing", "the list is empty");
    yield* instruments;
  },
});

function listedShares(registrants: readonly Registrant[]): Instrument[] {
  const tickers = new Map<number, Set<string>>();
  for (const { cik, ticker } of registrants)
    tickers.set(cik, (tickers.get(cik) ?? new Set()).add(ticker));
  const seen = new Set<string>();
  const stoodFor = new Set<number>();
  const instruments: Instrument[] = [];
  for (const { cik, ticker, name, exchange } of registrants) {
    const listedOn = exchange === null ? undefined : lookup(EXCHANGES, exchange);
    const text = plainText(name, 200);
    if (listedOn === undefined || text === "" || !isShare(ticker, tickers.get(cik))) continue;
    const symbol = ticker.replace("-", ".");
    if (seen.has(symbol)) continue;
    seen.add(symbol);
    const isEtf = /\bETFS?\b/i.test(text);
    instruments.push({
      country: "US",
      symbol,
      name: text,
      assetType: isEtf ? "etf" : "stock",
      exchange: listedOn,
      currency: "USD",
      ...NO_PROFILE,
      primaryListing: !isEtf && !stoodFor.has(cik),
      indexMember: false,
    });
    stoodFor.add(cik);
  }
  return instruments;
}

function isShare(ticker: string, siblings: ReadonlySet<string> = new Set()): boolean {
  if (!/^[A-Z]{1,6}(-[A-Z])?$/.test(ticker)) return false;
  return !(/^[A-Z]{4}[WRUPONM]$/.test(ticker) && siblings.has(ticker.slice(0, 4)));
}
