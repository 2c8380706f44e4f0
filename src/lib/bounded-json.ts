/** How deep and how large a JSON text may be. */
export interface JsonLimits {
  readonly maxDepth: number;
  /** Arrays and objects in all. */
  readonly maxContainers: number;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: readonly number[] = [0x5b, 0x7b];
const CLOSING: readonly number[] = [0x5d, 0x7d];

/**
 * What exceeds the limits, such as "is nested more than 32 levels deep"; null within them. It reads
 * the text once and stops at the excess. The text may be no JSON.
 */
export function findJsonExcess(
  text: string,
  { maxDepth, maxContainers }: JsonLimits,
): string | null {
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < text.length; at++) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (CLOSING.includes(char)) depth--;
    else if (OPENING.includes(char)) {
      if (++depth > maxDepth) return `is nested more than ${maxDepth} levels deep`;
      if (++containers > maxContainers) return `has more than ${maxContainers} arrays and objects`;
    }
  }
  return null;
}

/** The index of the quote that closes the string at `start`; at or after the end if there is none. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== QUOTE) {
    at += text.charCodeAt(at) === BACKSLASH ? 2 : 1;
  }
  return at;
}
