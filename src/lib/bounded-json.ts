/** Thrown if a JSON text is nested too deeply or has too many parts to be parsed safely. */
export class JsonLimitError extends Error {
  override readonly name = "JsonLimitError";
}

const MAX_DEPTH = 64;
const MAX_CONTAINERS = 2_000_000;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPENING: ReadonlySet<number> = new Set([0x5b, 0x7b]);
const CLOSING: ReadonlySet<number> = new Set([0x5d, 0x7d]);

/**
 * Parses UTF-8 JSON with at most 64 levels of nesting and at most two million arrays and objects. The
 * bytes are checked before `JSON.parse`, which needs gigabytes for a few megabytes of brackets.
 *
 * @throws JsonLimitError beyond these limits
 * @throws SyntaxError if the text is not JSON
 */
export function parseBoundedJson(bytes: Uint8Array): unknown {
  checkLimits(bytes);
  return JSON.parse(new TextDecoder().decode(bytes)) as unknown;
}

function checkLimits(bytes: Uint8Array): void {
  let depth = 0;
  let containers = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at] ?? 0;
    // Most bytes belong to strings and numbers, so the branches below are rare.
    if (byte === QUOTE) at = endOfString(bytes, at);
    else if (byte < 0x5b) continue;
    else if (OPENING.has(byte)) {
      if (++depth > MAX_DEPTH) {
        throw new JsonLimitError(`it is nested more than ${MAX_DEPTH} levels deep`);
      }
      if (++containers > MAX_CONTAINERS) {
        throw new JsonLimitError(`it has more than ${MAX_CONTAINERS} arrays and objects`);
      }
    } else if (CLOSING.has(byte)) depth--;
  }
}

/** The index of the quote that closes the string at `start`, or beyond the end if it is not closed. */
export function endOfString(bytes: Uint8Array, start: number): number {
  let end = start + 1;
  while (end < bytes.length && bytes[end] !== QUOTE) end += bytes[end] === BACKSLASH ? 2 : 1;
  return end;
}
