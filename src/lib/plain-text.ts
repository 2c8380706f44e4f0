import { decode } from "html-entities";

/** An entity, a tag, two spaces, or anything beyond printable ASCII. */
const NEEDS_WORK = /[&<]| {2}|[^ -~]/;

/**
 * Foreign text as plain text: HTML entities are decoded, tags and control characters removed, white
 * space is collapsed, and it is cut to `maxLength` UTF-16 units. Empty if nothing readable is left.
 */
export function plainText(text: string, maxLength: number): string {
  // Most texts are plain already, and lists have tens of thousands of them.
  if (!NEEDS_WORK.test(text)) return text.trim().slice(0, maxLength).trim();
  // Entities are decoded first: a tag may be written with them, and must not survive.
  const read = decode(text.slice(0, 8 * maxLength + 1_000), { scope: "strict" })
    .replaceAll(/<[^<>]*>/g, " ")
    // Soft hyphens; controls, marks without width or that change the direction of writing.
    .replaceAll("\u00ad", "")
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029\ufffd]/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  // A cut through a character leaves its first half.
  return read
    .slice(0, maxLength)
    .replace(/[\ud800-\udbff]$/, "")
    .toWellFormed()
    .trim();
}
