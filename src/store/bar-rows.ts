import type { DailyBar } from "#domain/daily-bar.ts";

/** A bar as the table `scaled_bars` has it, without its instrument. */
export type BarRow = [
  date: number,
  open: number,
  high: number,
  low: number,
  close: number,
  volume: number | null,
];

/** 20261120 for `2026-11-20`. Digit by digit for speed: an import converts a million dates. */
export function toNumber(date: string): number {
  let number = 0;
  for (const at of DATE_DIGITS) number = number * 10 + date.charCodeAt(at) - 48;
  return number;
}

const DATE_DIGITS = [0, 1, 2, 3, 5, 6, 8, 9] as const;

/** Dates that were read, because formatting takes half of the time of reading a close. */
const dateTexts = new Map<number, string>();
const MAX_DATES = 50_000;

/** 2026-11-20 for 20261120. */
export function toDate(number: number): string {
  const known = dateTexts.get(number);
  if (known !== undefined) return known;
  const text = String(number);
  const date = `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
  if (dateTexts.size === MAX_DATES) dateTexts.clear();
  dateTexts.set(number, date);
  return date;
}

/** A price as stored: a whole number of ten-thousandths, else the negative price. */
function toScaled(price: number): number {
  const scaled = Math.round(price * 10_000);
  return scaled / 10_000 === price ? scaled : -price;
}

/** The price that is stored as that number. */
export const toPrice = (scaled: number): number => (scaled < 0 ? -scaled : scaled / 10_000);

/** The bar of a row. */
export function toBar([date, open, high, low, close, volume]: BarRow): DailyBar {
  return {
    date: toDate(date),
    open: toPrice(open),
    high: toPrice(high),
    low: toPrice(low),
    close: toPrice(close),
    volume,
  };
}

/** Writes the row of a bar into a list from a position on. */
export function putRow(
  values: (number | null)[],
  at: number,
  { date, open, high, low, close, volume }: DailyBar,
): void {
  values[at] = toNumber(date);
  values[at + 1] = toScaled(open);
  values[at + 2] = toScaled(high);
  values[at + 3] = toScaled(low);
  values[at + 4] = toScaled(close);
  values[at + 5] = volume;
}
