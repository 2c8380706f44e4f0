import { currencyUnit, formatNumber, isEnglish, MISSING, numberText, unitsNow } from "./format.ts";
import { type Caption, type Shown, t, translate } from "./words.ts";

/** A form of amounts in one unit, and the unit with the currency: `億円`, `tỷ đồng`, `USD million`. */
interface UnitForm {
  readonly unit: string;
  /** What an amount is divided by: 1e9 for a billion. */
  readonly size: number;
  /** The text of a number; a dash for anything else. */
  readonly format: (value: unknown) => string;
}

/**
 * The form of large numbers that are read side by side: all in the largest unit in which the largest has at least
 * four digits before the point, and without decimals if it has five. A small amount is never shown as 0.
 *
 * @param least what the largest is at least in its unit: 1 for numbers that were rounded to two decimals
 */
export function formatInOneUnit(
  values: readonly unknown[],
  currency: string,
  least = 1_000,
): UnitForm {
  const sizes = values.flatMap((value) => (typeof value === "number" ? Math.abs(value) : []));
  const largest = Math.max(0, ...sizes);
  const [size, name] = unitsNow().find(([one]) => largest / one >= least) ?? [1, ""];
  const digits =
    largest / size >= 10_000 || sizes.every((one) => Number.isInteger(one / size)) ? 0 : 2;
  const digitsOf = (share: number) =>
    share && share < 0.5 ? Math.max(2, 1 - Math.floor(Math.log10(share))) : digits;
  return {
    unit: (isEnglish()
      ? currency + numberText(size, { notation: "compact", compactDisplay: "long" }).slice(1)
      : `${name}${currencyUnit(currency)}`
    ).trim(),
    size,
    format: (value) =>
      typeof value !== "number"
        ? MISSING
        : formatNumber(value / size, digitsOf(Math.abs(value / size))),
  };
}

/**
 * A column of amounts in one unit: its title with the unit, and the form of its cells.
 *
 * @param currency empty for counts
 */
export function columnInOneUnit(
  title: Caption,
  values: readonly unknown[],
  currency: string,
  least?: number,
): { readonly title: Shown; readonly format: UnitForm["format"] } {
  const { unit, format } = formatInOneUnit(values, currency, least);
  const figure = translate(title);
  return { title: unit ? t("{figure}, {unit}", { figure, unit }) : figure, format };
}
