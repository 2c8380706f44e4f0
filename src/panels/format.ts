import type { AssetType } from "#domain/instrument.ts";
import { textWithUnit } from "#domain/macro.ts";
import { fixedText } from "#lib/fixed-text.ts";

/** The text of a missing figure. */
export const MISSING = "—";

const SCALES = [
  { divisor: 1, suffix: "" },
  { divisor: 1e3, suffix: " K" },
  { divisor: 1e6, suffix: " M" },
  { divisor: 1e9, suffix: " B" },
  { divisor: 1e12, suffix: " T" },
] as const;

/**
 * Formats a large amount or count with two decimals and K, M, B or T: `4.31 T USD`; without a currency,
 * `143.14 M`. A value that rounds to 1,000 of its scale uses the next scale.
 */
export function formatLarge(value: number | null, currency?: string): string {
  if (!isFormattable(value)) return MISSING;
  let index = SCALES.findLastIndex(({ divisor }) => Math.abs(value) >= divisor);
  if (index < 0) index = 0;
  // 999,999,999 rounds to 1000.00 M, which is 1.00 B.
  const rounded = Math.abs(Number((value / scale(index).divisor).toFixed(2)));
  if (rounded >= 1000 && index < SCALES.length - 1) index++;
  const { divisor, suffix } = scale(index);
  return `${fixedText(value / divisor, 2)}${suffix}${currency ? ` ${currency}` : ""}`;
}

const scale = (index: number) => SCALES[index] ?? SCALES[0];

/** True for instruments that are quoted like currencies: low prices that move by less than a cent. */
const isMoney = (assetType: AssetType) =>
  assetType === "currency" || assetType === "cryptocurrency";

/** Below this price a currency or a cryptocurrency has more decimals. */
const SMALL_PRICE = 10;

/**
 * Formats a price with its currency and the decimals of its tick size: none in dong (`25,000 VND`), up
 * to one in yen up to 3,000 (`191.8 JPY`) and none above, two in other currencies (`1,177.39 USD`) and
 * up to four below 1 (`0.1234 USD`). An index is in points: `1,704.32`. A currency or a cryptocurrency
 * has two decimals in every currency (`160.73 JPY`), below 10 four (`1.2034 USD`) or as many as give
 * four significant digits (`0.00001234 USD`).
 */
export function formatPrice(
  value: number | null,
  currency: string,
  assetType: AssetType = "stock",
): string {
  if (!isFormattable(value)) return MISSING;
  if (assetType === "index") return fixedText(value, 2);
  if (isMoney(assetType)) return `${fixedText(value, moneyDecimals(value))} ${currency}`;
  return `${fixedText(value, priceDecimals(value, currency))} ${currency}`;
}

/** Up to this price, tick sizes on TSE are fractions of a yen. */
const YEN_WITH_TENTHS = 3_000;

function priceDecimals(price: number, currency: string): number {
  if (currency === "VND") return 0;
  const [least, most] =
    currency === "JPY" ? [0, price <= YEN_WITH_TENTHS ? 1 : 0] : [2, price < 1 ? 4 : 2];
  let decimals = most;
  while (decimals > least && price.toFixed(decimals).endsWith("0")) decimals--;
  return decimals;
}

/**
 * Formats a difference of prices, such as momentum, with two decimals: `-37.31`. For a currency or a
 * cryptocurrency it has as many decimals as the price: `-0.0042` for EUR/USD.
 */
export function formatPriceDifference(
  value: number | null,
  price: number | null,
  assetType: AssetType,
): string {
  if (!isFormattable(value)) return MISSING;
  return fixedText(value, isMoney(assetType) ? moneyDecimals(price ?? SMALL_PRICE) : 2);
}

/** Enough for four significant digits of the smallest price that a record can have. */
const MOST_DECIMALS = 15;

function moneyDecimals(price: number): number {
  if (price >= SMALL_PRICE || price <= 0) return 2;
  return Math.min(Math.max(4, 3 - Math.floor(Math.log10(price))), MOST_DECIMALS);
}

/** Formats earnings per share with two decimals in every currency: `4.90 USD`. */
export function formatPerShare(value: number | null, currency: string | null): string {
  return currency === null || !isFormattable(value)
    ? MISSING
    : `${fixedText(value, 2)} ${currency}`;
}

/** Formats a change in percent, signed unless it is zero: `+1,207.01%`. */
export function formatChange(percent: number | null): string {
  if (!isFormattable(percent)) return MISSING;
  const text = fixedText(percent, 2);
  return `${percent > 0 && text !== "0.00" ? "+" : ""}${text}%`;
}

/** Formats a yield or a margin in percent without a plus sign: `0.02%`. */
export function formatShare(percent: number | null): string {
  return isFormattable(percent) ? `${fixedText(percent, 2)}%` : MISSING;
}

/** Formats a ratio or an oscillator with two decimals: `-37.31`. */
export function formatRatio(value: number | null): string {
  return isFormattable(value) ? fixedText(value, 2) : MISSING;
}

/** Formats a macro figure with its unit: `3.1%`, `104.2`, `-73.1 USD bn`. */
export function formatWithUnit(value: number | null, unit: string, decimals: number): string {
  if (!isFormattable(value)) return MISSING;
  return textWithUnit(fixedText(value, decimals), unit);
}

/** Formats a fiscal quarter, `Q3 2026`, or without a quarter a fiscal year, `FY 2026`. */
export function formatFiscalPeriod(year: number | null, quarter: number | null): string {
  if (year === null) return MISSING;
  return quarter === null ? `FY ${year}` : `Q${quarter} ${year}`;
}

/** Rounds a multiple or a percentage for JSON to two decimals; null if it is null or not finite. */
export function round2(value: number | null): number | null {
  return isFormattable(value) ? Number(value.toFixed(2)) + 0 : null;
}

/**
 * Rounds a price for JSON to seven significant digits, or to whole units from ±1,000,000 on. Further
 * digits are floating-point noise of the source: `310.8500061035156` becomes `310.85`.
 */
export function roundPrice(price: number): number {
  return Math.abs(price) >= 1e6 ? Math.round(price) : Number(price.toPrecision(7));
}

/** From this value on `toFixed` writes an exponent. */
const TOO_LARGE = 1e21;

/** True for a number that `toFixed` can write with decimals; other values are shown as missing. */
function isFormattable(value: number | null): value is number {
  return value !== null && Math.abs(value) < TOO_LARGE;
}
