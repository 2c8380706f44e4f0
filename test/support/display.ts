const SCALE: Readonly<Record<string, number>> = { "": 1, K: 1e3, M: 1e6, B: 1e9, T: 1e12 };

/** Reads a display value back: the number, and half a unit of its last decimal. */
export function parseDisplay(text: string): { value: number; tolerance: number } {
  const [, number = "", suffix = ""] =
    /^([+-]?[\d,]+(?:\.\d+)?)(?:%| ([KMBT]))?(?: [A-Z]{3})?$/.exec(text) ?? [];
  const scale = SCALE[suffix] ?? Number.NaN;
  const decimals = number.split(".")[1]?.length ?? 0;
  const value = Number(number.replaceAll(",", "")) * scale;
  return { value, tolerance: 0.5 * 10 ** -decimals * scale * (1 + 1e-9) + Math.abs(value) * 1e-12 };
}
