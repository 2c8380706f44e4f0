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

/** The currency that a code names, and the quoted units in one unit: 100 for pence, `GBX` or `GBp`. */
export function currencyIn(code: string): readonly [currency: string, unitsPerCurrency: number] {
  return PARTS.get(code) ?? [code, 1];
}

/** The symbol of the currency pair of a US dollar: `JPY=X` is the price of one dollar in yen. */
export const pairOf = (currency: string) => `${currency}=X`;

/** The symbol of the opposite pair: `EURUSD=X` is the price of one euro in dollars. */
export const inversePairOf = (currency: string) => `${currency}USD=X`;
