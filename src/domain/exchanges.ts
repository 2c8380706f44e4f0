import type { Country } from "./country.ts";

/** An exchange, and how other programs write it beside a symbol. */
export interface Exchange {
  readonly country: Country;
  /** As instruments name it. */
  readonly name: string;
  /** Market identifier codes (ISO 10383), the operating one first. */
  readonly mics: readonly string[];
  /** Codes before a colon or after a full stop: `TYO:7203`. The first one is TradingView's. */
  readonly codes: readonly string[];
  /** Yahoo's suffix without its full stop; empty for none. */
  readonly yahoo: string;
  /** The suffixes of Reuters codes, without their full stop: `AAPL.O`. */
  readonly reuters: readonly string[];
  /** Bloomberg's codes of the exchange: `AAPL UW Equity`. */
  readonly bloomberg: readonly string[];
}

const words = (text: string): readonly string[] => text.split(" ").filter(Boolean);

/** The exchanges of the three countries. */
export const EXCHANGES: readonly Exchange[] = (
  [
    ["US", "NASDAQ", "XNAS XNGS XNMS XNCM", "NASDAQ NAS NMS NGM NCM", "", "O OQ", "UW UQ UR"],
    ["US", "NYSE", "XNYS", "NYSE NYQ", "", "N K", "UN"],
    ["US", "NYSE American", "XASE", "AMEX NYSEAMERICAN ASE", "", "", "UA"],
    ["US", "NYSE Arca", "ARCX", "AMEX NYSEARCA ARCA PCX", "", "P", "UP"],
    ["US", "Cboe BZX", "BATS", "CBOE BATS", "", "Z", "UF"],
    ["US", "OTC", "OTCM PINX", "OTC OTCMKTS PNK", "", "PK", "UV"],
    ["JP", "TSE", "XTKS XJPX", "TSE TYO JPX", "T", "T", "JT"],
    ["VN", "HOSE", "XSTC", "HOSE HSX", "VN", "HM", "VM"],
    ["VN", "HNX", "XHNX HSTC", "HNX", "VN", "HN", "VH"],
    ["VN", "UPCOM", "XHNX", "UPCOM", "VN", "HNO", "VU"],
  ] as const
).map(([country, name, mics, codes, yahoo, reuters, bloomberg]) => ({
  country,
  name,
  mics: words(mics),
  codes: words(codes),
  yahoo,
  reuters: words(reuters),
  bloomberg: words(bloomberg),
}));

const codesOf = (list: (exchange: Exchange) => readonly string[]): [string, Country][] =>
  EXCHANGES.flatMap((one) => list(one).map((code): [string, Country] => [code, one.country]));

/**
 * The country of a code before a colon (`TSE:7203`) or after a full stop (`7203.T`): of a country, an
 * exchange, a MIC or Yahoo. Codes of one letter that can be a class of shares are not among them.
 */
export const COUNTRY_OF_CODE: ReadonlyMap<string, Country> = new Map<string, Country>([
  ["US", "US"],
  ["JP", "JP"],
  ["VN", "VN"],
  ...codesOf(({ mics, codes, yahoo }) => [...mics, ...codes, ...words(yahoo)]),
  // Reuters' suffixes that are no class of shares either.
  ["HM", "VN"],
  ["HN", "VN"],
]);

/** The country of Reuters' and Bloomberg's codes of exchanges: `AAPL.O`, `AAPL UW`. */
export const COUNTRY_OF_TERMINAL_CODE: ReadonlyMap<string, Country> = new Map(
  codesOf(({ reuters, bloomberg }) => [...reuters, ...bloomberg]),
);

/**
 * The places that programs write before an index, a pair, a commodity or a cryptocurrency:
 * `INDEXSP:.INX`, `FX:EURUSD`, `X:BTCUSD`.
 */
export const VENUES: ReadonlySet<string> = new Set(
  words(
    "BINANCE BITSTAMP C CAPITALCOM CBOE CBOT CME COINBASE COMEX CRYPTO CURRENCY DJ FOREX FOREXCOM FX FXCM FX_IDC I ICE INDEX INDEXCBOE INDEXDJX INDEXNASDAQ INDEXNIKKEI INDEXSP KRAKEN NASDAQ NIKKEI NYMEX OANDA SP TVC X",
  ),
);

/** Exchanges of other countries, by the codes of Yahoo, Google, TradingView and Reuters. */
const ELSEWHERE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    Amsterdam: "AS AMS",
    Australia: "AX ASX XASX",
    Bangkok: "BK BKK SET",
    Berlin: "BE",
    Brussels: "BR EBR",
    "Buenos Aires": "BA BCBA",
    Copenhagen: "CO CPH",
    Frankfurt: "F FRA FWB",
    Helsinki: "HE HEL",
    "Hong Kong": "HK HKG HKEX XHKG",
    India: "NS BO NSE BSE BOM NSI",
    Indonesia: "JK IDX",
    Istanbul: "IS BIST",
    Johannesburg: "JO JSE",
    Korea: "KS KQ KRX KOSDAQ KOSPI",
    Lisbon: "LS ELI",
    London: "L LN LON LSE XLON",
    Madrid: "MC BME",
    Malaysia: "KL KLSE MYX",
    Mexico: "MX BMV",
    Milan: "MI BIT MIL",
    Munich: "MU MUN",
    "New Zealand": "NZ NZX",
    Oslo: "OL OSL",
    Paris: "PA EPA EURONEXT XPAR",
    "São Paulo": "SA BVMF BMFBOVESPA",
    Shanghai: "SS SHA SSE XSHG",
    Shenzhen: "SZ SHE SZSE XSHE",
    Singapore: "SI SGX",
    Stockholm: "ST STO OMXSTO",
    Stuttgart: "SG STU",
    Switzerland: "SW SWX SIX",
    Taiwan: "TW TWO TPE TWSE TPEX",
    "Tel Aviv": "TA TASE",
    Toronto: "TO V TSX TSXV CVE",
    Vienna: "VI VIE",
    Warsaw: "WA WSE",
    Xetra: "DE ETR XETR XETRA",
  }).flatMap(([place, codes]) => words(codes).map((code) => [code, place] as const)),
);

/** The exchange of another country that a symbol in upper case names: London in `VOD.L`; null if none. */
export function uncoveredExchange(written: string): string | null {
  const [, before = ""] = /^([A-Z]+):/.exec(written) ?? [];
  const [, after = ""] = /[.:]([A-Z]+)$/.exec(written) ?? / ([A-Z]{2}) EQUITY$/.exec(written) ?? [];
  return ELSEWHERE.get(before) ?? ELSEWHERE.get(after) ?? null;
}
