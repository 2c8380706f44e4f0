/** A number as JavaScript writes very small and very large ones: `4.3e-7`. */
const WITH_EXPONENT = /^(-?)(\d+)(?:\.(\d+))?e([+-]\d+)$/;

/**
 * A number as text for files of other programs: a full stop before the decimals, no thousands, never an exponent.
 * `0.00000043` for 4.3e-7. It has the fewest digits that give the same number again. Empty if the number is missing or
 * not finite.
 */
export function numberText(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return "";
  const text = String(value);
  const [, sign = "", whole = "", decimals = "", exponent] = WITH_EXPONENT.exec(text) ?? [];
  if (exponent === undefined) return text;
  const digits = whole + decimals;
  const point = whole.length + Number(exponent);
  if (point <= 0) return `${sign}0.${"0".repeat(-point)}${digits}`;
  // An exponent is only written for numbers with fewer digits than places before the point.
  return sign + digits.padEnd(point, "0");
}
