import { Type } from "@sinclair/typebox";
import { COUNTRIES, COUNTRY_CODES, type Country, CountryCode } from "#domain/country.ts";
import { parseJson } from "#lib/json.ts";
import { normalForm } from "#lib/normal-form.ts";
import type { InputKeywords } from "./decode.ts";

/** A figure that an answer or a text states, as it was written. */
export interface Claim {
  /** A symbol or a name, or the code of a country for a macro series; empty if it names none. */
  readonly subject: string;
  /** A metric, a line of a statement, a field of a bar, or a macro series. */
  readonly figure: string;
  readonly value: string | number;
  /** A date or a period; empty for the newest figure. */
  readonly on: string;
  /** The ISO code of a currency; empty if it names none. */
  readonly currency: string;
  /** Why it cannot be read, as a sentence; absent if it can. */
  readonly problem?: string;
}

export const MAX_CLAIMS = 50;
/** Characters of a claim with all its fields. */
const MAX_CLAIM = 300;
const EXAMPLE = "US:AAPL|revenue|391.04B USD|FY2024";
const FORM = `symbol|figure|value|on|currency, such as ${EXAMPLE} or US|Unemployment rate|4.3%|2026-10`;

/** The input schema of claims: a line for each, JSON objects, or their JSON text. */
export const ClaimsInput = Type.String({
  minLength: 1,
  maxLength: MAX_CLAIMS * MAX_CLAIM,
  description: `Up to ${MAX_CLAIMS} lines of symbol|figure|value|on|currency, the last two optional: ${EXAMPLE}; US|Unemployment rate|4.3%|2026-10. Or a JSON list of objects with these names.`,
  read: claimsText,
  mostItems: MAX_CLAIMS,
  accepts: (text: string) => isCount(listOf(text).length),
  example: EXAMPLE,
  expected: `1 to ${MAX_CLAIMS} claims, each a line of ${FORM}, or an object with these fields`,
  hint: (text: string) =>
    listOf(text).length > MAX_CLAIMS
      ? `Check ${MAX_CLAIMS} claims in one call, and the others in the next.`
      : `Write each as ${FORM}.`,
} satisfies InputKeywords & Parameters<typeof Type.String>[0]);

const isCount = (count: number) => count > 0 && count <= MAX_CLAIMS;

/** The claims of a text that `ClaimsInput` accepted. */
export const parseClaims = (text: string): readonly Claim[] => listOf(text);

/** The text of claims with other subjects. Countries of macro series stay. */
export function mapClaims(text: string, map: (symbol: string) => string): string {
  return JSON.stringify(
    listOf(text).map((claim) =>
      claim.problem !== undefined || claim.subject === "" || isCountry(claim.subject)
        ? claim
        : { ...claim, subject: map(claim.subject) },
    ),
  );
}

/** True for the code of a country, whose claims are about its economy. */
export const isCountry = (subject: string): subject is Country =>
  (COUNTRY_CODES as readonly string[]).includes(subject);

function listOf(text: string): Claim[] {
  const list = parseJson(text);
  return Array.isArray(list) ? (list as Claim[]) : [];
}

/** Claims in any form as the JSON text of a list. What is no list of claims stays as it is. */
function claimsText(value: unknown): unknown {
  if (typeof value === "string") {
    const text = value.trim();
    if (text.length > MAX_CLAIMS * MAX_CLAIM * 4 || text === "") return value;
    const parsed = /^[[{]/.test(text) ? parseJson(text) : undefined;
    return parsed === undefined ? JSON.stringify(linesOf(text)) : claimsText(parsed);
  }
  if (typeof value !== "object" || value === null) return value;
  const { claims } = value as { claims?: unknown };
  if (claims !== undefined) return claimsText(claims);
  const list: readonly unknown[] = Array.isArray(value) ? value : [value];
  // A list that is too long is refused by its number, without reading each.
  if (list.length > MAX_CLAIMS) return JSON.stringify(list.map(() => null));
  return JSON.stringify(list.map(claimOf));
}

/** The names of fields, the first one ours. */
const FIELDS: Readonly<Record<string, readonly string[]>> = {
  subject: ["symbol", "subject", "ticker", "code", "company", "instrument", "security"],
  figure: ["figure", "metric", "series", "field", "item", "indicator", "measure"],
  value: ["value", "amount", "number", "claimed", "claimed_value"],
  on: ["on", "date", "period", "fiscal_period", "as_of", "year", "period_end", "session", "time"],
  currency: ["currency", "ccy"],
  country: ["country", "market"],
  quarter: ["quarter", "fiscal_quarter"],
  basis: ["basis", "period_type", "frequency"],
  unit: ["unit", "units", "scale"],
  ignored: ["id", "note", "source", "text", "comment", "problem"],
};
const FIELD_OF: ReadonlyMap<string, string> = new Map(
  Object.entries(FIELDS).flatMap(([field, names]) => names.map((name) => [name, field] as const)),
);
const NAMES = "symbol, figure, value, on and currency";

const EMPTY: Claim = { subject: "", figure: "", value: "", on: "", currency: "" };
const unread = (problem: string, claim: Partial<Claim> = {}): Claim => ({
  ...EMPTY,
  ...claim,
  problem,
});

const isText = (value: unknown): value is string | number =>
  typeof value === "string" || (typeof value === "number" && Number.isFinite(value));

/** A text without spaces around it and in a row. */
const plain = (value: string): string => normalForm(value, "NFC").replaceAll(/\s+/g, " ").trim();

function claimOf(item: unknown): Claim {
  if (typeof item === "string") return lineOf(item, null);
  if (typeof item !== "object" || item === null)
    return unread(`A claim is an object with ${NAMES}.`);
  const entries = Array.isArray(item)
    ? ["symbol", "figure", "value", "on", "currency"].map((name, i) => [name, item[i]] as const)
    : Object.entries(item as Record<string, unknown>);
  const fields = new Map<string, string | number>();
  for (const [name, value] of entries) {
    const field = FIELD_OF.get(name.toLowerCase());
    if (field === undefined)
      return unread(`A claim has no field ${plain(name).slice(0, 40)}. Its fields are ${NAMES}.`);
    if (field === "ignored" || value === null || value === undefined || value === "") continue;
    if (!isText(value)) return unread(`${field} must be a text or a number.`);
    // A series is the figure of a country, or beside a symbol its other name.
    if (!fields.has(field)) fields.set(field, typeof value === "string" ? plain(value) : value);
  }
  return completed(fields);
}

/** A claim of fields that can be split over others: the country, the quarter and the unit. */
function completed(fields: ReadonlyMap<string, string | number>): Claim {
  const text = (field: string) => String(fields.get(field) ?? "");
  const [country, unit] = [countryNamed(text("country")) ?? text("country"), text("unit")];
  let [subject, figure] = [text("subject"), text("figure")];
  const named = /^([^:]+): *(.+)$/.exec(figure);
  const isOfCountry = subject === "" && named !== null && countryNamed(named[1] ?? "") !== null;
  if (isOfCountry) [subject, figure] = [named?.[1] ?? "", named?.[2] ?? ""];
  if (subject === "") subject = country;
  else if (country !== "" && !subject.includes(":") && countryNamed(subject) === null)
    subject = `${country}:${subject}`;
  const year = text("on");
  const quarter = /^(?:q)?([1-7])$/i.exec(text("quarter"))?.[1];
  const on = [text("basis"), quarter === undefined ? "" : `Q${quarter}`, year]
    .filter(Boolean)
    .join(" ");
  const value = fields.get("value") ?? "";
  const claim: Claim = {
    subject: countryNamed(subject) ?? subject,
    figure,
    value: unit === "" ? value : `${value} ${unit}`,
    on,
    currency: text("currency").toUpperCase(),
  };
  const missing =
    subject === "" ? "symbol" : figure === "" ? "figure" : value === "" ? "value" : null;
  if (missing !== null) return unread(`It has no ${missing}: write ${NAMES}.`, claim);
  const size = Object.values(claim).reduce<number>((sum, one) => sum + String(one).length, 0);
  return size <= MAX_CLAIM ? claim : unread(`A claim has at most ${MAX_CLAIM} characters.`);
}

/** The code of a country by its code or a name, in any letter case; null for another text. */
function countryNamed(text: string): Country | null {
  const wanted = text.trim().toLowerCase();
  const aliases = Object.entries(
    (CountryCode as { aliases?: Record<string, Country> }).aliases ?? {},
  );
  const [, meant = null] = aliases.find(([name]) => name.toLowerCase() === wanted) ?? [];
  return (
    COUNTRY_CODES.find(
      (code) => code.toLowerCase() === wanted || COUNTRIES[code].name.toLowerCase() === wanted,
    ) ?? meant
  );
}

/** Lines or a table of Markdown. A first line of names says which cell is which. */
function linesOf(text: string): Claim[] {
  const lines = text
    .split(/[\n;]/)
    .map((line) => line.trim())
    .filter((line) => line !== "" && !/^[|:\s-]+$/.test(line));
  if (lines.length > MAX_CLAIMS + 1) return lines.map(() => EMPTY);
  const heads = cellsOf(lines[0] ?? "").map((cell) => FIELD_OF.get(cell.toLowerCase()) ?? null);
  const hasHead = heads.includes("figure") && heads.includes("value");
  const names = hasHead ? cellsOf(lines[0] ?? "") : null;
  return lines.slice(hasHead ? 1 : 0).map((line) => lineOf(line, names));
}

const cellsOf = (line: string) =>
  line
    .replace(/^\||\|$/g, "")
    .split(/[|\t]/)
    .map(plain);

function lineOf(line: string, names: readonly string[] | null): Claim {
  const cells = cellsOf(line);
  if (cells.length < 3)
    return unread(`Write ${JSON.stringify(plain(line).slice(0, 60))} as ${FORM}.`);
  return claimOf(
    names === null ? cells : Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ""])),
  );
}
