import { decode } from "html-entities";

/** An entity, a tag, two spaces, or anything beyond printable ASCII. */
const NEEDS_WORK = /[&<]| {2}|[^ -~]/;

/**
 * Converts untrusted text to plain text: decodes HTML entities, removes tags and control characters,
 * collapses white space and cuts it to `maxLength` UTF-16 units. Empty if no readable text is left.
 */
export function plainText(text: string, maxLength: number): string {
  // Most texts are plain already, and lists have tens of thousands of them.
  if (!NEEDS_WORK.test(text)) return text.trim().slice(0, maxLength).trim();
  // Entities are decoded first, because tags can be written with entities.
  const read = decode(text.slice(0, 8 * maxLength + 1_000), { scope: "strict" })
    .replaceAll(/<[^<>]*>/g, " ")
    // Soft hyphens, then control characters, zero-width characters and marks of writing direction.
    .replaceAll("\u00ad", "")
    .replaceAll(/[\p{Cc}\p{Cf}\u2028\u2029\ufffd]/gu, " ")
    .replaceAll(/\s+/g, " ")
    .trim();
  // The cut can leave the first half of a surrogate pair.
  return read
    .slice(0, maxLength)
    .replace(/[\ud800-\udbff]$/, "")
    .toWellFormed()
    .trim();
}
