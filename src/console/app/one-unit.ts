import { currencyUnit, formatNumber, isEnglish, MISSING, numberText, unitsNow } from "./format.ts";

/** A form of amounts in one unit, and the unit with the currency: `億円`, `tỷ đồng`, `USD million`. */
interface UnitForm {
  readonly unit: string;
  /** What an amount is divided by: 1e9 for a billion. */
  readonly size: number;
  readonly format: (value: number | null) => string;
}

/**
 * The form of large numbers that are read side by side: all in the largest unit in which the largest has at least
 * four digits before the point, and without decimals if it has five. A small amount is never shown as 0.
 */
export function formatInOneUnit(values: readonly (number | null)[], currency: string): UnitForm {
  const sizes = values.flatMap((value) => (value ? [Math.abs(value)] : []));
  const largest = Math.max(0, ...sizes);
  const [size, name] = unitsNow().find(([one]) => largest / one >= 1_000) ?? [1, ""];
  const digits =
    largest / size >= 10_000 || sizes.every((one) => Number.isInteger(one / size)) ? 0 : 2;
  const digitsOf = (value: number) => (value !== 0 && Math.abs(value / size) < 0.5 ? 2 : digits);
  return {
    unit: isEnglish()
      ? currency + numberText(size, { notation: "compact", compactDisplay: "long" }).slice(1)
      : `${name}${currencyUnit(currency)}`.trim(),
    size,
    format: (value) => (value === null ? MISSING : formatNumber(value / size, digitsOf(value))),
  };
}
