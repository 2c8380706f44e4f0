import { lazy } from "#lib/lazy.ts";
import { normalForm, withoutMarks } from "#lib/normal-form.ts";
import type { Country } from "./country.ts";
import { type Instrument, type Segment, SEGMENTS } from "./instrument.ts";

/**
 * An exchange, and how other programs write it beside a symbol. This table is the only one: programs' symbols are read
 * and written by it.
 */
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
  /** Yahoo's name of the exchange. Its names of US exchanges differ by tier, so the country is written. */
  readonly yahooName: string;
  /** EODHD's code, which is also the suffix of its symbols. */
  readonly eodhd: string;
  /** Twelve Data's name of the exchange. */
  readonly twelvedata: string;
  /** The suffixes of Reuters codes, without their full stop: `AAPL.O`. */
  readonly reuters: readonly string[];
  /** Bloomberg's codes of the exchange: `AAPL UW Equity`. */
  readonly bloomberg: readonly string[];
}

const words = (text: string): readonly string[] => text.split(" ").filter(Boolean);

/** The exchanges of the three countries. */
export const EXCHANGES: readonly Exchange[] = // prettier-ignore
  (
    [
      // name, MICs, codes, Yahoo, EODHD, Twelve Data, Reuters, Bloomberg
      [
        "US",
        "NASDAQ",
        "XNAS XNGS XNMS XNCM",
        "NASDAQ NAS NMS NGM NCM",
        "",
        "US",
        "US",
        "NASDAQ",
        "O OQ",
        "UW UQ UR",
      ],
      ["US", "NYSE", "XNYS", "NYSE NYQ", "", "US", "US", "NYSE", "N K", "UN"],
      ["US", "NYSE American", "XASE", "AMEX NYSEAMERICAN ASE", "", "US", "US", "NYSE", "", "UA"],
      ["US", "NYSE Arca", "ARCX", "AMEX NYSEARCA ARCA PCX", "", "US", "US", "NYSE", "P", "UP"],
      ["US", "Cboe BZX", "BATS", "CBOE BATS", "", "US", "US", "CBOE", "Z", "UF"],
      ["US", "OTC", "OTCM PINX", "OTC OTCMKTS PNK", "", "US", "US", "OTC", "PK", "UV"],
      ["JP", "TSE", "XJPX XTKS", "TSE TYO JPX", "T", "JPX", "TSE", "JPX", "T", "JT"],
      ["VN", "HOSE", "XSTC", "HOSE HSX", "VN", "VSE", "VN", "HOSE", "HM", "VM"],
      ["VN", "HNX", "HSTC XHNX", "HNX", "VN", "VSE", "VN", "HNX", "HN", "VH"],
      ["VN", "UPCOM", "XHNX", "UPCOM", "VN", "VSE", "VN", "UPCOM", "HNO", "VU"],
    ] as const
  ).map(
    ([country, name, mics, codes, yahoo, yahooName, eodhd, twelvedata, reuters, bloomberg]) => ({
      country,
      name,
      mics: words(mics),
      codes: words(codes),
      yahoo,
      yahooName,
      eodhd,
      twelvedata,
      reuters: words(reuters),
      bloomberg: words(bloomberg),
    }),
  );

/**
 * What a program writes for the exchange of that name: its operating MIC, or the value of another column. Without a name,
 * what all exchanges of the country have in common; null if they differ.
 */
export function exchangeCode(
  column: "mic" | "yahoo" | "yahooName" | "eodhd" | "twelvedata",
  country: Country,
  name: string | null = null,
): string | null {
  const own = EXCHANGES.filter((one) => one.country === country);
  const named = own.filter((one) => one.name === name);
  const codes = (named.length > 0 ? named : own).map((one) =>
    column === "mic" ? one.mics[0] : one[column],
  );
  const [code = null, ...others] = new Set(codes);
  return others.length > 0 ? null : code;
}

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
  ...codesOf(({ mics, codes, yahoo, yahooName, eodhd, twelvedata }) => [
    ...mics,
    ...codes,
    ...words(yahoo),
    yahooName,
    eodhd,
    twelvedata,
  ]),
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

/** What EODHD writes behind an index, a pair, a cryptocurrency and a commodity: `GSPC.INDX`, `USDJPY.FOREX`. */
export const GROUPS: ReadonlySet<string> = new Set(words("INDX FOREX CC COMM"));

/** Exchanges of other countries, by the codes of Yahoo, Google, TradingView and Reuters. */
const placesByCode: () => ReadonlyMap<string, string> = lazy(
  () =>
    new Map(
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
    ),
);

/** The words of each place elsewhere, and one of its codes. */
const listPlaces = lazy(() =>
  [...Map.groupBy(placesByCode(), ([, place]) => place)].map(
    ([place, codes]) =>
      [
        words(place.toUpperCase()),
        (codes.find(([code]) => code.length > 2) ?? codes[0])?.[0],
      ] as const,
  ),
);

/** Places elsewhere that are countries. */
const COUNTRY_NAMES: ReadonlySet<string> = new Set(
  "Australia,India,Indonesia,Korea,Malaysia,New Zealand,Singapore,Switzerland,Taiwan"
    .toUpperCase()
    .split(","),
);

/** Exchanges of the three countries by words of their names, as brokers write them in a column. */
const NAMED: readonly (readonly [RegExp, string])[] = [
  [/^nasdaq/i, "NASDAQ"],
  [/^(?:new york|nyse)/i, "NYSE"],
  [/^(?:tokyo|東証|東京)/i, "TSE"],
  [/^(?:ho chi minh|hochiminh|tp\.? ?hcm)/i, "HOSE"],
  [/^(?:hanoi|ha noi|hà nội)/i, "HNX"],
];

/**
 * A code of the exchange that a text names, to be written before a symbol: `LON` for `London Stock Exchange`, `TSE` for
 * `東証`. Codes of exchanges and countries are returned as they are. Null for other texts.
 */
export function codeOfExchange(text: string): string | null {
  const code = text.trim().toUpperCase();
  if (code.length > 60) return null;
  if (COUNTRY_OF_CODE.has(code) || placesByCode().has(code)) return code;
  // A country alone can be the home of a company.
  if (COUNTRY_NAMES.has(code)) return null;
  // Nasdaq has exchanges in other countries: `Nasdaq Stockholm`.
  const written = new Set(code.split(/[^\p{L}]+/u));
  const elsewhere = listPlaces().find(([names]) => names.every((name) => written.has(name)))?.[1];
  return elsewhere ?? NAMED.find(([pattern]) => pattern.test(code))?.[1] ?? null;
}

/** Moomoo's codes of other markets, before a full stop: `HK.00700`. */
const MARKETS_BEFORE: ReadonlyMap<string, string> = new Map(
  Object.entries({
    AU: "Australia",
    CA: "Canada",
    HK: "Hong Kong",
    MY: "Malaysia",
    SG: "Singapore",
    SH: "Shanghai",
    SZ: "Shenzhen",
  }),
);

/** The exchange of another country that a symbol in upper case names: London in `VOD.L`; null if none. */
export function uncoveredExchange(written: string): string | null {
  const [, before = ""] = /^([A-Z]+):/.exec(written) ?? [];
  const [, after = ""] = /[.:]([A-Z]+)$/.exec(written) ?? / ([A-Z]{2}) EQUITY$/.exec(written) ?? [];
  const [, market = ""] = /^([A-Z]{2})\.[A-Z0-9]/.exec(written) ?? [];
  const place = placesByCode().get(before) ?? placesByCode().get(after);
  return place ?? (COUNTRY_OF_CODE.has(after) ? null : (MARKETS_BEFORE.get(market) ?? null));
}

/** A place of trading: an exchange, or one of its market segments. */
export interface Board {
  /** As answers and arguments have it: `HOSE`, `TSE Prime`. */
  readonly name: string;
  readonly country: Country;
  readonly exchange: string;
  /** Null for the whole exchange. */
  readonly segment: Segment | null;
}

/** The segments as the exchange writes them in English and in Japanese. */
const SEGMENT_NAMES: Readonly<Record<Segment, readonly [en: string, ja: string]>> = {
  prime: ["Prime", "プライム"],
  standard: ["Standard", "スタンダード"],
  growth: ["Growth", "グロース"],
};

/** The exchange with segments. */
const TSE = "TSE";

/** Every exchange and segment. */
export const BOARDS: readonly Board[] = EXCHANGES.flatMap(({ name, country }) => [
  { name, country, exchange: name, segment: null },
  ...(name === TSE
    ? SEGMENTS.map((segment) => ({
        name: segmentName(segment),
        country,
        exchange: name,
        segment,
      }))
    : []),
]);

function segmentName(segment: Segment): string {
  return `${TSE} ${SEGMENT_NAMES[segment][0]}`;
}

/** Where an instrument is listed: `HOSE`, `TSE Prime`; null without an exchange. */
export function boardOf({ exchange, segment }: Pick<Instrument, "exchange" | "segment">) {
  return exchange === TSE && segment ? segmentName(segment) : exchange;
}

/** The names of boards that are not written in Latin letters as they are, by their names. */
export const BOARD_TERMS = {
  TSE: ["東証", "TSE"],
  "TSE Prime": ["東証プライム", "TSE Prime"],
  "TSE Standard": ["東証スタンダード", "TSE Standard"],
  "TSE Growth": ["東証グロース", "TSE Growth"],
} as const;

/** What else people write for exchanges. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  TSE: ["Tokyo", "Tokyo Stock Exchange", "東京証券取引所", "東京", "JPX"],
  NYSE: ["New York Stock Exchange", "ニューヨーク証券取引所", "NY証券取引所"],
  NASDAQ: ["ナスダック"],
  "NYSE American": ["AMEX"],
  HOSE: [
    "HSX",
    "Ho Chi Minh Stock Exchange",
    "ホーチミン",
    "ホーチミン証券取引所",
    "TP.HCM",
    "HCM",
    "Hồ Chí Minh",
    "Thành phố Hồ Chí Minh",
  ],
  HNX: ["Hanoi Stock Exchange", "ハノイ", "ハノイ証券取引所", "Hà Nội"],
};

const folded = (text: string) =>
  withoutMarks(normalForm(text, "NFKC"))
    .toLowerCase()
    .replace(/^(?:(?:san|so)(?: giao dich)?(?: chung khoan)?(?= )|tse|東証) *(?=.)/, "")
    .replace(/(?:市場|market)$/, "")
    .replaceAll(/[\s.-]/g, "");

const listNames = lazy(
  () =>
    new Map(
      BOARDS.flatMap((board) => {
        const { name, segment } = board;
        const names = segment === null ? (OTHER_NAMES[name] ?? []) : SEGMENT_NAMES[segment];
        return [name, ...names].map((one): [string, Board] => [folded(one), board]);
      }),
    ),
);

/** The exchange or segment that a text means in one of three languages; null if none. */
export const findBoard = (text: string): Board | null =>
  listNames().get(folded(text)) ?? (/^東証$/.test(text.trim()) ? findBoard(TSE) : null);
