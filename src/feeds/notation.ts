import type { Country } from "#domain/country.ts";
import { exchangeCode } from "#domain/exchanges.ts";
import { type AssetType, isShare } from "#domain/instrument.ts";
import { listReferenceInstruments } from "#domain/reference-instruments.ts";

/** An instrument as the operations list it. */
export interface ListedSymbol {
  readonly country: Country;
  readonly symbol: string;
  readonly type: AssetType;
}

/** How a program writes symbols. What it does not define is written as listed: `^N225`, `JPY=X`. */
interface Style {
  /** What separates a class of shares: `BRK-B`, `BRK.B`. */
  readonly mark: "-" | ".";
  readonly share: (symbol: string, country: Country) => string;
  /** An index without `^`, and as it is listed. */
  readonly index?: (name: string, symbol: string) => string;
  readonly currency?: (base: string, quote: string) => string;
  readonly cryptocurrency?: (base: string, quote: string) => string;
  /** A future without `=F`. */
  readonly commodity?: (root: string) => string;
}

/** The share with the suffix of that column of the table of exchanges. */
const suffixed = (column: "yahoo" | "eodhd") => (symbol: string, country: Country) =>
  [symbol, exchangeCode(column, country)].filter(Boolean).join(".");

/** The name of an index at vendors that have not Yahoo's, such as `GSPC`. */
const indexName = (name: string) => (name === "GSPC" ? "SPX" : name);

/** The indices whose names without `^` are no shares. */
const WELL_KNOWN: ReadonlySet<string> = new Set(
  listReferenceInstruments().flatMap(({ symbol, assetType }) =>
    assetType === "index" ? symbol : [],
  ),
);

// Programs for the US only read other shares in Yahoo's notation.
const STYLES = {
  yahoo: { mark: "-", share: suffixed("yahoo") },
  alphavantage: { mark: "-", share: suffixed("yahoo") },
  financialdatasets: { mark: ".", share: suffixed("yahoo") },
  massive: {
    mark: ".",
    share: suffixed("yahoo"),
    index: (name) => `I:${indexName(name)}`,
    currency: (base, quote) => `C:${base}${quote}`,
    cryptocurrency: (base, quote) => `X:${base}${quote}`,
  },
  eodhd: {
    mark: "-",
    share: suffixed("eodhd"),
    index: (name) => `${name}.INDX`,
    currency: (base, quote) => `${base}${quote}.FOREX`,
    cryptocurrency: (base, quote) => `${base}-${quote}.CC`,
    commodity: (root) => `${root}.COMM`,
  },
  tiingo: {
    mark: "-",
    share: (symbol, country) => (country === "US" ? symbol : `${country}:${symbol}`),
  },
  // The exchange is beside the symbol.
  twelvedata: {
    mark: ".",
    share: (symbol) => symbol,
    // The name of another index can be a share: `DJT` is one beside `^DJT`.
    index: (name, symbol) => (WELL_KNOWN.has(symbol) ? indexName(name) : symbol),
    currency: (base, quote) => `${base}/${quote}`,
    cryptocurrency: (base, quote) => `${base}/${quote}`,
  },
} as const satisfies Readonly<Record<string, Style>>;

/** The symbol of an instrument as clients of a layer write it. Operations read every one of these notations. */
export function writeSymbol(
  layer: keyof typeof STYLES,
  { country, symbol, type }: ListedSymbol,
): string {
  const style: Style = STYLES[layer];
  if (isShare(type)) return style.share(symbol.replaceAll(".", style.mark), country);
  if (type === "index") return style.index?.(symbol.replace("^", ""), symbol) ?? symbol;
  if (type === "commodity") return style.commodity?.(symbol.replace("=F", "")) ?? symbol;
  const pair = pairOf(symbol);
  return (pair && style[type as "currency"]?.(pair.base, pair.quote)) ?? symbol;
}

/** The two sides of a currency pair (`JPY=X`: USD and JPY) or cryptocurrency (`BTC-USD`); null for another symbol. */
export function pairOf(symbol: string): { readonly base: string; readonly quote: string } | null {
  const [, base = "USD", quote] = /^([A-Z]{3})?([A-Z]{3})=X$/.exec(symbol) ?? [];
  if (quote) return { base, quote };
  const [, coin, price] = /^([A-Z0-9]+)-([A-Z]{3})$/.exec(symbol) ?? [];
  return coin && price ? { base: coin, quote: price } : null;
}
