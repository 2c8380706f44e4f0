import { REASONS } from "#domain/reasons.ts";
import type { CurrencyRates } from "#rollups/currency-rates.ts";
import type { WrittenFigure, WrittenNumber } from "#operations/reading/written-figures.ts";
import { round2, roundPrice } from "#panels/format.ts";
import { NEWEST_RATE, type Reading, type Readings } from "./reading.ts";

/** What is said of a claim. */
export const VERDICTS = ["confirmed", "differs", "unknown"] as const;

/** The verdict on a claim, with the right figure. */
export interface Verdict {
  readonly verdict: (typeof VERDICTS)[number];
  /** The right figure as answers write it, in the currency of the claim; null if it is unknown. */
  readonly value: number | string | null;
  /** The ISO code of its currency, `%`, or empty. */
  readonly unit: string;
  /** Its date or period; empty if it is unknown. */
  readonly on: string;
  /** By how many percent of the right figure the claim is off; null if that is unknown, zero or a text. */
  readonly off: number | null;
  /** How the claim was read, what it would be right for, or why nothing is known; empty if there is nothing to say. */
  readonly note: string;
}

/** Digits with which a figure of another time is hardly equal by chance. */
const MANY_DIGITS = 3;
/** The same for prices, which differ little from day to day. */
const MANY_DIGITS_OF_PRICES = 4;
/** Thousands by which a unit can be mistaken. */
const POWERS = [3, 6, 9, 12, -3, -6, -9, -12];
const SIZES: Readonly<Record<number, string>> = {
  3: "thousands",
  6: "millions",
  9: "billions",
  12: "trillions",
};

/** Figures that are written in whole thousands or millions. */
const ROUNDED: ReadonlySet<Reading["unit"]> = new Set(["money", "reported", "count", "series"]);

/** What a verdict needs beside the readings. */
export interface Claimed {
  readonly figure: WrittenFigure;
  /** The ISO code of the claim's currency; null if it names none. */
  readonly currency: string | null;
  readonly rates: CurrencyRates;
  /** Other currencies in which the claim may be. */
  readonly currencies: readonly string[];
}

/** A reading in a currency. */
interface Converted extends Reading {
  /** As computed and as answered, in units of one. */
  readonly targets: readonly number[];
  /** At which rate it was converted; null if it was not. */
  readonly rate: string | null;
}

/** Judges a claim by what it can mean. */
export function judge({ all, others, reason }: Readings, claimed: Claimed): Verdict {
  const { currency, figure } = claimed;
  const open = all.flatMap((one) => convert(one, currency, claimed.rates));
  // A limit is met by many figures, so only the usual one counts.
  const meant = figure.numbers[0].bound === 0 ? open : open.slice(0, 1);
  for (const reading of meant) {
    for (const number of figure.numbers) {
      const as = number.isOpen ? matchOpen(number, reading, figure) : null;
      if (as !== null)
        return {
          ...shownOf(reading),
          verdict: "confirmed",
          off: as === "" ? offOf(reading, [number]) : 0,
          note: notesOf(number.as, as, reading.as, reading.rate, reading.isPart ? LAST : null),
        };
    }
  }
  // The first reading is the usual one. Where it is not known, a figure of another period refutes nothing.
  const first = open.find(({ value, on }) => value !== null && on === open[0]?.on);
  const closed = () => findOther(open, others?.() ?? [], claimed);
  if (first === undefined || open.every(({ isPart }) => isPart === true)) {
    const isUnconverted = all.length > 0 && open.length === 0;
    const isNamed = all.length === 0 || first !== undefined;
    const note = isUnconverted ? REASONS.no_rate : isNamed ? reason : whyNull(all[0]);
    return {
      ...(first ? shownOf(first) : { value: null, unit: "", on: all[0]?.on ?? "" }),
      verdict: "unknown",
      off: null,
      note: notesOf(note ?? REASONS.not_known, closed()),
    };
  }
  return {
    ...shownOf(first),
    verdict: "differs",
    off: offOf(first, figure.numbers),
    note: notesOf(first.as, first.rate, closed()),
  };
}

const LAST = "the last figure of that time";

const notesOf = (...notes: readonly (string | null)[]) =>
  notes
    .filter((one) => one)
    .join("; ")
    .replaceAll(".; ", "; ");

/** Why a reading has no value, as a sentence. */
export function whyNull(reading: Reading | undefined): string {
  const why = reading?.why?.();
  return typeof why === "string" ? REASONS[why] : REASONS.not_known;
}

/** The reading in the currency of the claim, at the rate of its day and at the newest rate. */
function convert(reading: Reading, to: string | null, rates: CurrencyRates): Converted[] {
  const { value, currency: own, rateOn, scale = 1 } = reading;
  const shown = typeof reading.shown === "number" ? [reading.shown] : [];
  const plain = (factor: number, rate: string | null): Converted => {
    const converted = value === null ? null : value * factor;
    const rounded = factor === 1 ? reading.shown : converted && roundPrice(converted);
    return {
      ...reading,
      value: converted,
      shown: rounded,
      currency: own === null ? null : (to ?? own),
      targets: [...(value === null ? [] : [value]), ...shown].map((one) => one * factor * scale),
      rate,
    };
  };
  if (own === null || to === null || own === to) return [plain(1, null)];
  const used = [rateOn, null].flatMap((date) => {
    if (date === null && rateOn !== null && value === null) return [];
    const rate = date === null ? rates.find(own, to) : rates.findOn(own, to, date);
    return rate === null
      ? []
      : [plain(rate, date === null ? NEWEST_RATE : `at the rate of ${date}`)];
  });
  return rateOn === null ? used.slice(0, 1) : used;
}

/** How a number is right for an open reading: empty as it is written; null if it is not. */
function matchOpen(
  number: WrittenNumber,
  reading: Converted,
  { isPercent, hasUnit }: WrittenFigure,
): string | null {
  const isPercentage = reading.unit === "percent" || reading.unit === "change";
  if (isPercentage) {
    if (matches(number, reading, 0, 1)) return "";
    return !isPercent && matches(number, reading, 2, 1) ? "as a share of 1" : null;
  }
  if (isPercent) return reading.unit === "multiple" && matches(number, reading, -2, 1) ? "" : null;
  if (matches(number, reading, 0, 1)) return "";
  const isScaled = reading.scale !== undefined && reading.scale !== 1 && !hasUnit;
  return isScaled && matches(number, reading, Math.round(Math.log10(reading.scale ?? 1)), 1)
    ? ""
    : null;
}

/** True if a number, multiplied by a power of ten and a sign, is a figure within its digits. */
function matches(
  number: WrittenNumber,
  { targets, unit }: Converted,
  power: number,
  sign: number,
): boolean {
  const factor = 10 ** power;
  const value = number.value * factor * sign;
  if (number.bound !== 0) return targets.some((target) => number.bound * (target - value) >= 0);
  const half = (stepOf(number, unit) * factor) / 2;
  // Decimal fractions have no exact binary form.
  const noise = 4 * Number.EPSILON;
  return targets.some(
    (target) => Math.abs(value - target) <= half * (1 + 1e-9) + noise * Math.abs(target),
  );
}

/** The unit of the last digit that counts. Amounts and counts can be rounded: 50,800 billion for 50,839. */
function stepOf({ step, zeros }: WrittenNumber, unit: Reading["unit"]): number {
  return ROUNDED.has(unit) ? step * 10 ** zeros : step;
}

/** What a claim would be right for; null if nothing is found. */
function findOther(
  open: readonly Converted[],
  others: readonly Reading[],
  claimed: Claimed,
): string | null {
  const { figure, currency, rates, currencies } = claimed;
  const right = (text: string) => `right ${text}`;
  for (const number of figure.numbers) {
    // Many figures are above a number.
    if (number.bound !== 0) continue;
    for (const reading of open) {
      if (!number.isOpen && matchOpen(number, reading, figure) !== null)
        return right(`with ${number.as}`);
      if (matches(number, reading, 0, -1)) return right("with the opposite sign");
      const slip = slipOf(number, reading, figure);
      if (slip !== null) return right(slip);
      if (isCut(number, reading)) return right("if digits are cut off, not rounded");
    }
    for (const reading of others) {
      const least = reading.unit === "price" ? MANY_DIGITS_OF_PRICES : MANY_DIGITS;
      for (const one of convert(reading, currency, rates)) {
        const isNear =
          reading.unit === "series" || (reading.unit === "percent" && reading.scale !== undefined);
        if (
          (number.digits - number.zeros >= least || isNear || one.as !== null) &&
          number.isOpen &&
          matchOpen(number, one, figure) !== null
        )
          return right(
            open.some(({ on }) => on === one.on) && one.as !== null
              ? one.as
              : `${one.as === null ? "" : `${one.as}, `}for ${one.on}`,
          );
      }
    }
    for (const reading of open.filter(
      (one) => one.currency !== null && number.digits >= MANY_DIGITS,
    )) {
      for (const to of currencies) {
        if (to === reading.currency) continue;
        const inOther = convert(reading, to, rates).find(
          (one) => matchOpen(number, one, figure) !== null,
        );
        if (inOther) return right(`in ${to}, ${inOther.rate}`);
      }
    }
  }
  return null;
}

/** True for the first digits of a figure: 5,943 for 5,943.53. */
function isCut(number: WrittenNumber, { targets, unit }: Converted): boolean {
  const step = stepOf(number, unit);
  return targets.some((target) => {
    const rest = Math.sign(target) * (target - number.value);
    return number.value * target > 0 && rest >= 0 && rest < step;
  });
}

/** A mistaken unit: percent, thousands, millions; null if it is none. */
function slipOf(
  number: WrittenNumber,
  reading: Converted,
  { hasUnit, isPercent }: WrittenFigure,
): string | null {
  if (number.digits - number.zeros < 2 || reading.targets.every((one) => one === 0)) return null;
  if (reading.unit === "percent" || reading.unit === "change")
    return matches(number, reading, 2, 1)
      ? "as a share of 1, not in percent"
      : matches(number, reading, -2, 1)
        ? "if divided by 100"
        : null;
  if (reading.unit === "multiple" && !isPercent && matches(number, reading, -2, 1))
    return "in percent";
  const power = POWERS.find((one) => matches(number, reading, one, 1));
  if (power === undefined) return null;
  const size = SIZES[Math.abs(power)] ?? "";
  return power > 0 && !hasUnit
    ? `in ${size}`
    : `if ${power > 0 ? "multiplied" : "divided"} by ${10 ** Math.abs(power)}`;
}

/** How far the likeliest number is from a figure, in percent of it; null if only the figure is zero. */
function offOf({ targets }: Converted, numbers: readonly WrittenNumber[]): number | null {
  const [target = 0] = targets;
  const offs = numbers
    .filter(({ isOpen }) => isOpen)
    .map(({ value }) => (value === target ? 0 : (100 * (value - target)) / Math.abs(target)));
  const [least = null] = offs.toSorted((a, b) => Math.abs(a) - Math.abs(b));
  return round2(least);
}

function shownOf({ shown, unit, currency, on }: Converted): Pick<Verdict, "value" | "unit" | "on"> {
  const isPercentage = unit === "percent" || unit === "change";
  return { value: shown, unit: currency ?? (isPercentage ? "%" : ""), on };
}
