/** The currencies into which amounts can be converted. */
export const CURRENCIES = ["USD", "JPY", "VND", "EUR", "GBP", "AUD", "CAD", "CHF", "CNY"] as const;

/** Codes of parts of currencies, such as pence: the currency, and the parts in one unit. */
const PARTS: ReadonlyMap<string, readonly [currency: string, parts: number]> = new Map([
  ["USX", ["USD", 100]],
  ["GBp", ["GBP", 100]],
  ["GBX", ["GBP", 100]],
  ["ILA", ["ILS", 100]],
  ["ZAc", ["ZAR", 100]],
  ["ZAC", ["ZAR", 100]],
  ["KWF", ["KWD", 1_000]],
]);

/** The currency that a code names in either case, and the quoted units in one unit: 100 for pence, `GBX` or `GBp`. */
export function currencyIn(code: string): readonly [currency: string, unitsPerCurrency: number] {
  const upper = code.toUpperCase();
  return PARTS.get(code) ?? PARTS.get(upper) ?? [upper, 1];
}

/** The symbol of the currency pair of a US dollar: `JPY=X` is the price of one dollar in yen. */
export const pairOf = (currency: string) => `${currency}=X`;

/** The symbol of the opposite pair: `EURUSD=X` is the price of one euro in dollars. */
export const inversePairOf = (currency: string) => `${currency}USD=X`;

/**
 * The codes of ISO 4217, with those withdrawn since 2018. It is written out because `Intl` knows other codes in each
 * version, and names that depend on it must not change.
 */
export const CURRENCY_CODES: ReadonlySet<string> = new Set(
  "AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BOV BRL BSD BTN BWP BYN BZD CAD CDF CHE CHF CHW CLF CLP CNY COP COU CRC CUC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HRK HTG HUF IDR ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT MOP MRU MUR MVR MWK MXN MXV MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD SCR SDG SEK SGD SHP SLE SLL SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD USN UYI UYU UYW UZS VED VES VND VUV WST XAD XAF XAG XAU XCD XCG XDR XOF XPD XPF XPT XSU XUA YER ZAR ZMW ZWG ZWL".split(
    " ",
  ),
);

/** Signs and words by which publishers write a currency. */
const SIGNS: readonly (readonly [sign: RegExp, code: string])[] = [
  [
    /(?<![A-Z])(US ?)?\$|\bUS dollars?\b|(?<=[\d\s千万億兆米]|^)ドル|đô la(?: Mỹ)?(?!\p{L}| \p{Lu})/iu,
    "USD",
  ],
  [/(?<!CN)[¥￥円]|\byen\b|(?<!\p{L})yên(?!\p{L})/iu, "JPY"],
  [/₫|đồng|\bVNĐ|\bdong\b|(?<=[\d\s千万億兆]|^)ドン/iu, "VND"],
  [/€|\beuros?\b|ユーロ/i, "EUR"],
  [/£/, "GBP"],
];

const USUAL: ReadonlySet<string> = new Set(CURRENCIES);

/** The code of the currency that a unit or a figure names: USD of `USD bn` and of `$12B`; null without one. */
export function currencyNamedIn(text: string): string | null {
  // In lower case, many codes are words: all, top, cup.
  const code = text
    .match(/\b[a-z]{3}\b/gi)
    ?.find((one) => CURRENCY_CODES.has(one) || USUAL.has(one.toUpperCase()));
  return code?.toUpperCase() ?? SIGNS.find(([sign]) => sign.test(text))?.[1] ?? null;
}

/** The currencies of a pair: USD and JPY of `JPY=X`, EUR and USD of `EURUSD=X`; null for another symbol. */
export function currenciesOf(symbol: string): readonly [base: string, quote: string] | null {
  const [, base = "USD", quote] = /^([A-Z]{3})?([A-Z]{3})=X$/.exec(symbol) ?? [];
  return quote === undefined ? null : [base, quote];
}

/** The id of the macro series with a central bank's rates of a pair: `ecb-usdjpy`. */
export const referenceRateId = (base: string, quote: string): string =>
  `ecb-${base}${quote}`.toLowerCase();
