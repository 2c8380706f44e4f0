import { normalForm } from "#lib/normal-form.ts";
import type { Country } from "./country.ts";
import { type Instrument, isCompany } from "./instrument.ts";
import { localName } from "./translated-names.ts";

// Names of companies for tables, without their legal forms. The whole names stay in records, answers and search.

type Named = Pick<Instrument, "country" | "symbol" | "name" | "assetType" | "aliases">;

/** Legal forms, as they begin or end a name or stand before another word. */
const LEGAL_FORMS: Readonly<Partial<Record<Country, readonly RegExp[]>>> = {
  JP: [/^(?:株式会社|[(（]株[)）]|㈱)\s*/u, /(?:株式会社|[(（]株[)）]|㈱)$/u],
  VN: [
    /^(?:(?:tổng )?(?:công ty|cty|ctcp)(?: cổ phần| cp| tnhh| mtv)*|tập đoàn|nhtmcp)(?: - | )(?=.)/iu,
    /(?: - |, | )(?:ctcp|công ty cổ phần|công ty cp)$/iu,
    /\b(?:thương mại cổ phần|tmcp) /iu,
    /\bjoint stock commercial (?=bank)/i,
    / commercial joint stock (?=bank)/i,
    /,? (?:joint[- ]stock (?:company|corporation)|shareholding company|corporation|jsc|company limited|co\., ?ltd\.?|ltd\.?)$/i,
  ],
};

/** The name without legal forms; as it is if nothing else is left. */
export function withoutLegalForm(country: Country, name: string): string {
  let rest = normalForm(name, "NFC").trim();
  for (let before = ""; before !== rest;) {
    before = rest;
    for (const form of LEGAL_FORMS[country] ?? [])
      rest = rest.replace(form, (found) => (/^ .* $/.test(found) ? " " : "")).trim() || rest;
  }
  return rest === name ? name : rest.charAt(0).toUpperCase() + rest.slice(1);
}

/** Letters without case and marks. Each has one character, so places in both texts are the same. */
const folded = (text: string) =>
  Array.from(normalForm(text, "NFC"))
    .map((one) =>
      one === "đ" || one === "Đ" ? "d" : normalForm(one, "NFD").charAt(0).toLowerCase(),
    )
    .join("");

/** Longer aliases are whole names. */
const MAX_BRAND = 24;

/** The name under which a company is known among its aliases, `Vietcombank`; null if none is shorter than its name. */
function brandOf({ country, symbol, name, aliases }: Named, whole: string): string | null {
  const found = aliases
    ?.split("|")
    .map((one) => withoutLegalForm(country, one))
    .find(
      (one) =>
        one.length <= Math.min(MAX_BRAND, name.length) && one !== symbol && !isIdentifier(one),
    );
  if (found === undefined) return null;
  const at = folded(whole).indexOf(folded(found));
  const marked = normalForm(whole, "NFC").slice(at, at + found.length);
  // The local name has the marks that an alias lacks: `The Gioi Di Dong`.
  return at < 0 || /^[ -~]*$/.test(marked) ? found : marked;
}

/** True for the form of an ISIN or a FIGI, also with a wrong last digit. */
const isIdentifier = (text: string) => /^[A-Z]{2}[A-Z0-9]{9}\d$|^BBG[A-Z0-9]{9}$/.test(text);

/** A name for tables, and the whole one that takes its place if another company has the same. */
function shortName(one: Named): readonly [short: string, whole: string] {
  const whole = localName(one) ?? one.name;
  if (!isCompany(one.assetType)) return [whole, whole];
  const plain = withoutLegalForm(one.country, whole);
  return [(one.country === "VN" ? brandOf(one, plain) : null) ?? plain, whole];
}

/** The names of the listed companies of a country for tables, by symbol: each is unique, else it is the whole one. */
export function shortNames(all: readonly Named[]): Map<string, string> {
  const names = all.map((one) => [one.symbol, ...shortName(one)] as const);
  const counts = Map.groupBy(names, ([, short]) => folded(short));
  return new Map(
    names.map(([symbol, short, whole]) => [
      symbol,
      counts.get(folded(short))?.length === 1 ? short : whole,
    ]),
  );
}
