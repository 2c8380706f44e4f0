const NAMED: Readonly<Record<string, string>> = {
  amp: "&",
  apos: "'",
  gt: ">",
  lt: "<",
  nbsp: " ",
  quot: '"',
};

/**
 * Foreign text as data: HTML entities read, tags and control characters gone, every run of white
 * space one space, at most `maxLength` UTF-16 units. Empty where nothing readable is left.
 */
export function plainText(text: string, maxLength: number): string {
  // Entities are read first: a tag may be written with them, and must not survive as one.
  const read = text
    .slice(0, 8 * maxLength + 1_000)
    .replaceAll(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, decode)
    .replaceAll(/<[^<>]*>/g, " ")
    // Controls, and the marks that turn the direction of writing or take no room.
    .replaceAll(/[\p{Cc}\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  // A cut through a character leaves its first half.
  return read
    .slice(0, maxLength)
    .replace(/[\ud800-\udbff]$/, "")
    .toWellFormed()
    .trim();
}

function decode(entity: string, decimal?: string, hex?: string, name?: string): string {
  if (name !== undefined) return NAMED[name.toLowerCase()] ?? entity;
  const code = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
  return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : " ";
}
