import { type Instrument, NO_PROFILE } from "#domain/instrument.ts";
import { plainText } from "#lib/plain-text.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import type { SourceAnswer } from "#sources/source.ts";
import { classify } from "./classes.ts";
import { issuerName, shareClass, shareKind } from "./names.ts";
import { fetchScreener, readScreener, type ScreenedLine } from "./screener.ts";
import { NASDAQ } from "./source.ts";
import {
  isWhole,
  type ListedSecurity,
  readNasdaqListed,
  readOtherListed,
} from "./symbol-directory.ts";

interface Listing {
  readonly screener: unknown;
  readonly nasdaqListed: string;
  readonly otherListed: string;
}

/**
 * Every listed US share with sector and industry, then every ETF.
 *
 * The screener has names, sectors and the number of shares (market cap / price: all classes
 * together); the symbol directory has exchanges, ETFs and test issues. A share that the directory
 * does not list has no exchange. Of several shares of one issuer (the same name), the one with the
 * largest volume is the primary listing, and the names contain the class. A share without sector and
 * industry gets them from the issuer's other shares.
 */
export const nasdaqInstruments = defineFetcher({
  kind: "instruments",
  source: NASDAQ,
  countries: ["US"],
  scope: "country",
  async fetch(_query, client): Promise<Listing> {
    const screener = await fetchScreener(client);
    const folder = "https://www.nasdaqtrader.com/dynamic/symdir";
    const request = {
      refusal: (one: SourceAnswer) => (isWhole(one.text()) ? null : "cut"),
    } as const;
    const nasdaqListed = await client.request(`${folder}/nasdaqlisted.txt`, request);
    const otherListed = await client.request(`${folder}/otherlisted.txt`, request);
    return { screener, nasdaqListed: nasdaqListed.text(), otherListed: otherListed.text() };
  },
  *transform({ screener, nasdaqListed, otherListed }: Listing) {
    const securities = [
      ...(yield* readNasdaqListed(nasdaqListed)),
      ...(yield* readOtherListed(otherListed)),
    ];
    if (securities.length === 0) throw NASDAQ.error("nothing", "the symbol directory is empty");
    const listed = new Map(securities.map((security) => [security.symbol, security]));
    yield* shares(yield* readScreener(screener), listed);
    yield* etfs(listed.values());
  },
});

/** The shares of one issuer, which have the same name. */
interface Issuer {
  readonly shares: number;
  /** The share with the largest volume. */
  readonly primary: ScreenedLine;
  /** The first share that has an industry; undefined if none has. */
  readonly classified: ScreenedLine | undefined;
}

function issuersOf(
  lines: readonly ScreenedLine[],
  names: readonly string[],
): ReadonlyMap<string, Issuer> {
  const issuers = new Map<string, Issuer>();
  for (const [i, line] of lines.entries()) {
    const key = names[i]?.toLowerCase() ?? "";
    const known = issuers.get(key);
    const isLarger = !known || (line.volume ?? 0) > (known.primary.volume ?? 0);
    issuers.set(key, {
      shares: (known?.shares ?? 0) + 1,
      primary: isLarger ? line : known.primary,
      classified: known?.classified ?? (line.industry === "" ? undefined : line),
    });
  }
  return issuers;
}

function* shares(
  lines: readonly ScreenedLine[],
  listed: ReadonlyMap<string, ListedSecurity>,
): Generator<Instrument> {
  const names = lines.map(({ name }) => issuerName(name));
  const issuers = issuersOf(lines, names);
  for (const [i, line] of lines.entries()) {
    const security = listed.get(line.symbol);
    if (security?.isEtf) continue;
    const name = names[i] ?? "";
    const issuer = issuers.get(name.toLowerCase());
    const classified = line.industry === "" ? issuer?.classified : line;
    const isOneOfSeveral = (issuer?.shares ?? 1) > 1;
    const classOfShare = isOneOfSeveral ? shareClass(line.name, line.symbol) : null;
    const count =
      line.marketCap !== null && line.lastSale !== null
        ? Math.round(line.marketCap / line.lastSale)
        : 0;
    yield {
      country: "US",
      symbol: line.symbol,
      name: plainText([name, classOfShare].filter(Boolean).join(" "), 200) || line.symbol,
      assetType: classified?.industry === "Real Estate Investment Trusts" ? "reit" : "stock",
      exchange: security?.exchange ?? null,
      currency: "USD",
      ...NO_PROFILE,
      ...classify(classified ?? line),
      shareKind: shareKind(line.name, security?.name ?? ""),
      sharesOutstanding: count > 0 ? count : null,
      primaryListing: line === issuer?.primary,
      indexMember: false,
    };
  }
}

function* etfs(listed: Iterable<ListedSecurity>): Generator<Instrument> {
  for (const { symbol, name, exchange, isEtf } of listed) {
    if (!isEtf) continue;
    yield {
      country: "US",
      symbol,
      name: plainText(name, 200) || symbol,
      assetType: "etf",
      exchange,
      currency: "USD",
      ...NO_PROFILE,
      primaryListing: false,
      indexMember: false,
    };
  }
}
