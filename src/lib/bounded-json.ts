/** A JSON text is nested too deeply or has too many parts to be parsed safely. */
export class JsonLimitError extends Error {
  override readonly name = "JsonLimitError";
}

/** How deep and how large a JSON text may be. */
export interface JsonLimits {
  readonly maxDepth: number;
  /** Arrays and objects in all. */
  readonly maxContainers: number;
}

const ANSWER_LIMITS: JsonLimits = { maxDepth: 64, maxContainers: 2_000_000 };

/**
 * Parses JSON in UTF-8 whose arrays and objects are nested at most 64 deep, two million of them in
 * all. The text is checked before `JSON.parse`, which would take gigabytes for a few megabytes of
 * brackets.
 *
 * @throws JsonLimitError beyond these limits
 * @throws SyntaxError if it is not JSON
 */
export function parseBoundedJson(bytes: Uint8Array): unknown {
  const text = new TextDecoder().decode(bytes);
  const excess = findJsonExcess(text, ANSWER_LIMITS);
  if (excess !== null) throw new JsonLimitError(`it ${excess}`);
  return JSON.parse(text) as unknown;
}

/**
 * What exceeds the limits, such as "is nested more than 32 levels deep"; null within them. It reads
 * the text once and stops at the excess.
 */
export function findJsonExcess(text: string, limits: JsonLimits): string | null {
  const { maxDepth, maxContainers } = limits;
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > maxDepth) return `is nested more than ${maxDepth} levels deep`;
        if (++containers > maxContainers) {
          return `has more than ${maxContainers} arrays and objects`;
        }
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
  }
  return null;
}

/** The index of the quote that closes the string at `start`; at or after the end if there is none. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) {
    at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  }
  return at;
}
