const SIZES: Readonly<Record<string, number>> = { K: 1e3, M: 1e6, B: 1e9, T: 1e12 };

/** The number of a figure that the service gives as text, to sort by it: `23.26 T USD`, `−0.42%`. Null for `—`. */
export function numberOfText(text: string | undefined): number | null {
  const [, sign = "", digits, size = ""] =
    /^([+\-−]?)([\d,]+(?:\.\d+)?) ?([KMBT]?)\b/.exec(text ?? "") ?? [];
  if (digits === undefined) return null;
  const value = Number(digits.replaceAll(",", "")) * (SIZES[size] ?? 1);
  return /[-−]/.test(sign) ? -value : value;
}
