import type { AssetType } from "#domain/instrument.ts";

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
 * Big money or a big count: two decimals and K, M, B or T, promoted where rounding reaches the next
 * scale. `4.31 T USD`; without a currency, `143.14 M`.
 */
export function formatLarge(value: number | null, currency?: string): string {
  if (!isShown(value)) return MISSING;
  let index = SCALES.findLastIndex(({ divisor }) => Math.abs(value) >= divisor);
  if (index < 0) index = 0;
  // 999,999,999 rounds to 1000.00 M, which is 1.00 B.
  const rounded = Math.abs(Number((value / scale(index).divisor).toFixed(2)));
  if (rounded >= 1000 && index < SCALES.length - 1) index++;
  const { divisor, suffix } = scale(index);
  return `${fixed(value / divisor, 2)}${suffix}${currency ? ` ${currency}` : ""}`;
}

const scale = (index: number) => SCALES[index] ?? SCALES[0];

/** Whether something is priced as currencies are, which cost little and move by less than a cent. */
const isMoney = (assetType: AssetType) =>
  assetType === "currency" || assetType === "cryptocurrency";

/** Below this a currency or a coin shows more digits. */
const SMALL_PRICE = 10;

/**
 * A price with as many decimals as it has, at most those of its tick: none in dong (`25,000 VND`),
 * one in yen up to 3,000 (`191.8 JPY`) and none above, two in other currencies (`1,177.39 USD`) and up
 * to four below 1 (`0.1234 USD`). An index is in points: `1,704.32`. A currency or a coin has two
 * decimals whatever it is in (`160.73 JPY`), below 10 four (`1.2034 USD`) or as many more as make four
 * digits (`0.00001234 USD`).
 */
export function formatPrice(
  value: number | null,
  currency: string,
  assetType: AssetType = "stock",
): string {
  if (!isShown(value)) return MISSING;
  if (assetType === "index") return fixed(value, 2);
  if (isMoney(assetType)) return `${fixed(value, moneyDecimals(value))} ${currency}`;
  return `${fixed(value, priceDecimals(value, currency))} ${currency}`;
}

/** TSE ticks in tenths and halves up to this price. */
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
 * A difference of prices, such as momentum: two decimals, but as many as the price itself where that
 * is a currency's or a coin's. `-37.31`; of EUR/USD `-0.0042`.
 */
export function formatPriceDifference(
  value: number | null,
  price: number | null,
  assetType: AssetType,
): string {
  if (!isShown(value)) return MISSING;
  return fixed(value, isMoney(assetType) ? moneyDecimals(price ?? SMALL_PRICE) : 2);
}

/** Enough for four digits of the smallest price that a record can hold. */
const MOST_DECIMALS = 15;

function moneyDecimals(price: number): number {
  if (price >= SMALL_PRICE || price <= 0) return 2;
  return Math.min(Math.max(4, 3 - Math.floor(Math.log10(price))), MOST_DECIMALS);
}

/** Earnings per share: two decimals in every currency. `4.90 USD`. */
export function formatPerShare(value: number | null, currency: string | null): string {
  return currency === null || !isShown(value) ? MISSING : `${fixed(value, 2)} ${currency}`;
}

/** A change, growth or performance in percent, signed unless it is zero. `+1,207.01%`. */
export function formatChange(percent: number | null): string {
  if (!isShown(percent)) return MISSING;
  const text = fixed(percent, 2);
  return `${percent > 0 && text !== "0.00" ? "+" : ""}${text}%`;
}

/** A yield or margin in percent, unsigned where positive. `0.02%`. */
export function formatShare(percent: number | null): string {
  return isShown(percent) ? `${fixed(percent, 2)}%` : MISSING;
}

/** A ratio or an oscillator: two decimals. `-37.31`. */
export function formatRatio(value: number | null): string {
  return isShown(value) ? fixed(value, 2) : MISSING;
}

/** A macro figure with its unit: `3.1%`, `104.2`, `-73.1 USD bn`. */
export function formatWithUnit(value: number | null, unit: string, decimals: number): string {
  if (!isShown(value)) return MISSING;
  const text = fixed(value, decimals);
  return unit === "" || unit === "index" ? text : unit === "%" ? `${text}%` : `${text} ${unit}`;
}

/** `Q3 2026`; a whole year is `FY 2026`. */
export function formatFiscalPeriod(year: number | null, quarter: number | null): string {
  if (year === null) return MISSING;
  return quarter === null ? `FY ${year}` : `Q${quarter} ${year}`;
}

/** Rounds a number for JSON, where multiples and percentages have two decimals; null if not finite. */
export function round2(value: number | null): number | null {
  return isShown(value) ? Number(value.toFixed(2)) + 0 : null;
}

/**
 * Rounds a price for JSON to seven significant digits, or to whole units from 1,000,000 on. Further
 * digits are floating-point noise of the source: `310.8500061035156` becomes `310.85`.
 */
export function roundPrice(price: number): number {
  return price >= 1e6 ? Math.round(price) : Number(price.toPrecision(7));
}

/** From here on `toFixed` writes an exponent. */
const TOO_LARGE = 1e21;

/** True for a number that can be written with decimals; anything else reads as missing. */
function isShown(value: number | null): value is number {
  return value !== null && Math.abs(value) < TOO_LARGE;
}

/** Fixed decimals, thousands commas, an ASCII minus, and never a negative zero. */
function fixed(value: number, decimals: number): string {
  const text = Math.abs(value).toFixed(decimals);
  const [whole = "", fraction] = text.split(".");
  const grouped = whole.replaceAll(/\B(?=(\d{3})+$)/g, ",");
  const negative = value < 0 && Number(text) !== 0;
  return `${negative ? "-" : ""}${grouped}${fraction === undefined ? "" : `.${fraction}`}`;
}
