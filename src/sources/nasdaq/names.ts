import type { ShareKind } from "#domain/instrument.ts";

/** The words after the name of the issuer with which the kind of a security begins. */
const KIND =
  /,?\s*(?:-\s*)?\b(?:(?:\((?:[A-Z]{2}|The)\)\s*)?(?:new\s+)?(?:class\s+[A-Z]\d?\b|series\s+[A-Z]\b|common\s+(?:stock|shares?|units?)|ordinary\s+shares?|american\s+deposit[ao]ry|global\s+deposit[ao]ry|sponsored\s+AD[RS]|AD[RS]s?\b|capital\s+stock|(?:subordinate|multiple|limited|non)[\s-]+voting|shares?\s+of\s+beneficial|units?\s+(?:of|representing)|depositary\s+(?:shares?|receipts?)|limited\s+partner|registered\s+shares?|(?:NY|New\s+York)\s+registry\s+shares?|voting\s+shares?)).*$/i;
/** Longer texts are not a name. They are cut, because `KIND` takes time that grows with their square. */
const MAX_NAME = 400;
const CLASS = /\b(class|series)\s+([A-Z])\b/i;

/** The name of the issuer, without the kind of security: `Apple Inc. Common Stock` gives `Apple Inc.`. */
export function issuerName(written: string): string {
  const name = written.slice(0, MAX_NAME);
  const bare =
    name
      .replace(KIND, "")
      .replace(/\s*\([A-Z]{2}\)$/, "")
      .trim() || name;
  const [, core] = /^(.*?)\s*\(The\)$/i.exec(bare) ?? [];
  return core ? `The ${core}` : bare;
}

/**
 * What is traded by the written names of a security: a receipt if one of them says so, a share if one names common stock
 * or ordinary shares and none a receipt; null otherwise.
 */
export function shareKind(...names: readonly string[]): ShareKind | null {
  // The name of the issuer can have the letters too: `ADS-TEC Energy PLC Ordinary Shares`.
  const isReceipt = (name: string) => /\bdeposit[ao]ry\b|\sAD[RS]s?\b(?!-)/i.test(name);
  if (names.some(isReceipt)) return "receipt";
  return names.some((name) => /\b(?:common|ordinary|capital) (?:shares?|stock)\b/i.test(name))
    ? "share"
    : null;
}

/** The class of a share by its name or its symbol: `Class B`; null if it has no class. */
export function shareClass(name: string, symbol: string): string | null {
  const [, word, letter] = CLASS.exec(name) ?? [];
  if (word && letter)
    return `${word.toLowerCase() === "series" ? "Series" : "Class"} ${letter.toUpperCase()}`;
  const suffix = symbol.split(".")[1];
  return suffix === undefined ? null : `Class ${suffix}`;
}
