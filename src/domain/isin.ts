/** True for the form of an ISIN (ISO 6166): two letters, nine letters or digits, and the right check digit. */
export function isIsin(text: string): boolean {
  return /^[A-Z]{2}[A-Z0-9]{9}\d$/.test(text) && checkDigit(text.slice(0, 11)) === text.at(-1);
}

/** The check digit of the first eleven characters of an ISIN: Luhn's, over letters as 10 to 35. */
function checkDigit(body: string): string {
  const digits = Array.from(body, (one) => Number.parseInt(one, 36)).join("");
  const sum = Array.from(digits)
    .toReversed()
    .map((digit, i) => Number(digit) * (i % 2 === 0 ? 2 : 1))
    .reduce((total, value) => total + (value > 9 ? value - 9 : value), 0);
  return String((10 - (sum % 10)) % 10);
}

/**
 * The symbol that an ISIN of a share of Viet Nam contains: FPT in VN000000FPT1. Null for other ISINs: Japan
 * numbers issuers by their names and not by their codes, and the US uses CUSIP numbers.
 */
export function symbolOfIsin(isin: string): string | null {
  return /^VN000000([A-Z0-9]{3})\d$/.exec(isin)?.[1] ?? null;
}
