import { type Language, reader } from "#console/app/reader.ts";
import { type Sentence, t } from "#console/app/words.ts";
import { type Limit, UNITS } from "./conditions.ts";
import { writeLimit } from "./scale.ts";

/** How a language writes numbers. */
interface Notation {
  /** Between thousands. */
  readonly group: string;
  readonly point: string;
  /** The sizes of units, by their names in capitals. */
  readonly units: Readonly<Record<string, number>>;
}

const NOTATIONS: Readonly<Record<Language, Notation>> = {
  en: { group: ",", point: ".", units: UNITS },
  ja: { group: ",", point: ".", units: { ...UNITS, 千: 1e3, 万: 1e4, 億: 1e8, 兆: 1e12 } },
  // T would be a trillion in English and tỷ, 10⁹, in Vietnamese, so neither is understood.
  vi: {
    group: ".",
    point: ",",
    units: {
      K: 1e3,
      M: 1e6,
      B: 1e9,
      NGHÌN: 1e3,
      TR: 1e6,
      TRIỆU: 1e6,
      TỶ: 1e9,
      TỈ: 1e9,
      NGHÌNTỶ: 1e12,
      NGHÌNTỈ: 1e12,
    },
  },
};

/**
 * What a reader writes as a limit, in the notation of the reader's language: `1,500`, `1.5B`, `2兆`, `1,5 tỷ`. Empty means
 * none. A comma or a point that can be meant in two ways is refused.
 */
export function readLimit(written: string): {
  readonly value: Limit | null;
  readonly error: string;
} {
  // Full-width digits are digits, and percentages are plain numbers.
  const text = written.normalize("NFKC").replaceAll(/\s/g, "").replace("−", "-").replace(/%$/, "");
  if (text === "") return { value: null, error: "" };
  const { units, ...notation } = NOTATIONS[reader.value.language];
  const [, number = "", unit = ""] = /^([-+]?[\d.,]*)(.*)$/.exec(text) ?? [];
  const size = unit === "" ? 1 : units[unit.toUpperCase()];
  const digits = plainDigits(number, notation);
  const refuse = (error: Sentence) => ({ value: null, error: t(error) });
  if (size === undefined) return refuse("Write a number, such as 20 or 10B.");
  if (digits === null)
    return refuse("Write decimals with a point, such as 1.5, and thousands as 1500 or 1,500.");
  const value = Number(digits) * size;
  const letter = unit.toUpperCase();
  const isEnglish = letter === "" || UNITS[letter] === size;
  const shown = isEnglish ? digits + letter : writeLimit(value);
  return { value: { value, text: shown, isStrict: false }, error: "" };
}

/** `1500.5` of `1,500.5` or, in Vietnamese, of `1.500,5`; null for another text. */
function plainDigits(number: string, { group, point }: Omit<Notation, "units">): string | null {
  const [, sign = "", whole = "", mark = "", last = ""] =
    /^([-+]?)(\d[\d.,]*?)(?:([.,])(\d+))?$/.exec(number) ?? [];
  const isPlain = /^\d+$/.test(whole);
  const isGrouped = whole
    .split(group)
    .every((part, i) => (i === 0 ? /^[1-9]\d{0,2}$/ : /^\d{3}$/).test(part));
  if (!isPlain && !isGrouped) return null;
  const thousands = sign + whole.replaceAll(group, "");
  const isPoint = mark === point || (mark === "." && isPlain && last.length !== 3);
  if (mark === "" || isPoint) return `${thousands}.${last}`.replace(/\.0*$|(?<=\.\d+?)0+$/, "");
  return isGrouped && last.length === 3 ? thousands + last : null;
}
