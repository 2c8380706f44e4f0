import { normalForm, withoutMarks } from "#lib/normal-form.ts";

/** Legal forms at the end of a name, which people leave out. */
const LEGAL_FORMS =
  /(?<=.) (?:incorporated|inc|corporation|corp|company|co|limited|ltd|plc|llc|lp|sa|nv|ag|se|kk|jsc|joint stock company|common stock|ordinary shares|stocks?|shares?|(?:stock|share) price)$/;
/** Words before or after the name of a group. */
const GROUP_WORDS =
  /(?<=.) (?:group|groups|holdings|holding|hd|hldgs|fg)$|(?<=.)(?:グループ|ホールディングス|hd)$/;
const LEGAL_BEFORE =
  /^(?:the|cong ty co phan|cong ty cp|ctcp|cong ty tnhh|cong ty|tong cong ty) (?=.)/;
const GROUP_BEFORE = /^(?:tap doan|ngan hang tmcp|ngan hang) (?=.)/;

/** A name in lower case without diacritics, punctuation and legal forms: `apple` for `Apple Inc.`. */
export function fullName(name: string): string {
  return stripped(foldedName(name), [LEGAL_FORMS, LEGAL_BEFORE]);
}

/** The name of the company without the class of a line of shares. */
export function companyName(name: string): string {
  return stripped(foldedName(name), [SHARE_CLASS, LEGAL_FORMS, LEGAL_BEFORE]);
}

/** A name in lower case without diacritics and punctuation. */
export function foldedName(name: string): string {
  return withoutMarks(normalForm(name, "NFKC"))
    .toLowerCase()
    .replaceAll(/株式会社|\(株\)/g, " ")
    .replaceAll(/\.com\b/g, "")
    .replaceAll(/[.,'’"“”!]/g, "")
    .replaceAll(/[-/・·() ]+/g, " ")
    .trim();
}

/** The class of a line of shares, which is no part of the company's name. */
const SHARE_CLASS = /(?<=.) class [a-z]$/;

/** `fullName` without words for a group and without the class of shares: `sony` for `Sony Group Corporation`, `hoa phat` for `Tập đoàn Hòa Phát`. */
export function coreName(name: string): string {
  return stripped(fullName(name), [
    SHARE_CLASS,
    LEGAL_FORMS,
    LEGAL_BEFORE,
    GROUP_WORDS,
    GROUP_BEFORE,
  ]);
}

/** The text without the first match of each pattern, as often as one matches. */
function stripped(text: string, patterns: readonly RegExp[]): string {
  const shorter = patterns.reduce((rest, pattern) => rest.replace(pattern, ""), text).trim();
  return shorter === text ? text : stripped(shorter, patterns);
}
