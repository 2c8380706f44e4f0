/** What is shown for a missing value. */
export const MISSING = "—";

const UNITS = [
  [1e12, "T"],
  [1e9, "B"],
  [1e6, "M"],
  [1e3, "K"],
] as const;

/** A number with thousands separators and a true minus sign: `1,234.50`, `−2.10`. */
export function formatNumber(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  const text = value.toLocaleString("en-US", {
    minimumFractionDigits: digits,
    maximumFractionDigits: digits,
  });
  return text.replace("-", "−");
}

/** A figure that the service gives as text, with a true minus sign: `−2.10%`. */
export function formatText(text: string): string {
  return text.replace(/^-(?=[\d.])/, "−");
}

/** A large number in three to five digits and a unit: `5.51 T`, `79.26 M`, `812`. */
export function formatShort(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  const [size, unit] = UNITS.find(([one]) => Math.abs(value) >= one) ?? [1, ""];
  const digits = size === 1 && Number.isInteger(value) ? 0 : 2;
  return `${formatNumber(value / size, digits)} ${unit}`.trim();
}

/** A price with as many decimals as its size needs: `388.79`, `96,300`, `1.2254`, `0.00001234`. */
export function formatPrice(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  const size = Math.abs(value);
  if (size >= 10_000 && Number.isInteger(value)) return formatNumber(value, 0);
  return formatNumber(value, size >= 10 ? 2 : decimalsOf(value));
}

/** The number of decimals with which a price is written: at least 2, at most 10. */
export function decimalsOf(price: number): number {
  const [, decimals = ""] = Number(price.toPrecision(7)).toFixed(10).replace(/0+$/, "").split(".");
  return Math.max(2, decimals.length);
}

/** A display label of the API with spaces: `EPS dilTTM` as `EPS dil TTM`. */
export function formatLabel(label: string): string {
  return label.replace(/(?<=[a-z%A-Z])(TTM|FQ|Current)(?= |$)/, " $1");
}

const CAPITALS: Readonly<Record<string, string>> = {
  eps: "EPS",
  ebitda: "EBITDA",
  fcf: "FCF",
  pe: "P/E",
};

/** The name of a column as words: `operating_cash_flow` as `Operating cash flow`. */
export function formatName(name: string): string {
  const words = name.split("_").map((word) => CAPITALS[word] ?? word);
  const text = words.join(" ");
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A percentage with its sign: `+1.25%`. */
export function formatPercent(value: number | null | undefined, digits = 2): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return MISSING;
  return `${value > 0 ? "+" : ""}${formatNumber(value, digits)}%`;
}

/** Bytes: `12.3 MB`. */
export function formatBytes(bytes: number): string {
  // A no-break space keeps the unit with the number.
  return bytes < 1e6
    ? `${formatNumber(bytes / 1e3, 1)}\u00a0kB`
    : `${formatNumber(bytes / 1e6, 1)}\u00a0MB`;
}

/** A calendar date: `20 Nov 2026`. @param date `2026-11-20` */
export function formatDate(date: string): string {
  return new Date(`${date.slice(0, 10)}T00:00:00Z`).toLocaleDateString("en-GB", {
    day: "numeric",
    month: "short",
    year: "numeric",
    timeZone: "UTC",
  });
}

/** The month of a date: `Nov 2026`. @param date `2026-11` or `2026-11-20` */
export function formatMonth(date: string): string {
  return formatDate(`${date.slice(0, 7)}-01`).slice(2);
}

/** An instant in the browser's time zone: `20 Nov 2026, 14:05`. @param at UTC milliseconds */
export function formatInstant(at: number): string {
  return new Date(at).toLocaleString("en-GB", { dateStyle: "medium", timeStyle: "short" });
}

/** A length of time: `45 s`, `12 min`, `3 h`, `5 days`. */
export function formatDuration(seconds: number): string {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 36 * 3600) return `${Math.round(seconds / 3600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}

/** How long ago an instant was: `12 min ago`. @param at UTC milliseconds */
export function formatAgo(at: number): string {
  return `${formatDuration(Math.max(0, (Date.now() - at) / 1000))} ago`;
}

/** The time until an instant: `in 12 min`. @param at UTC milliseconds */
export function formatUntil(at: number): string {
  const seconds = (at - Date.now()) / 1000;
  return seconds <= 0 ? "now" : `in ${formatDuration(seconds)}`;
}
