/** The supported encodings, as `TextDecoder` names them. */
export type TextEncoding = "utf-8" | "utf-16le" | "utf-16be" | "shift_jis" | "windows-1252";

/** The byte order marks; the decoder drops them. */
const BYTE_ORDER_MARKS: readonly (readonly [TextEncoding, readonly number[]])[] = [
  ["utf-8", [0xef, 0xbb, 0xbf]],
  ["utf-16le", [0xff, 0xfe]],
  ["utf-16be", [0xfe, 0xff]],
];

/**
 * The encoding of a text by its first bytes: by the byte order mark, else UTF-16 by its zero bytes,
 * else UTF-8 if the bytes are valid, else Shift-JIS if they decode to Japanese, else windows-1252.
 * Bytes that are not text in any of them count as UTF-8 and are refused later.
 */
export function detectEncoding(bytes: Uint8Array): TextEncoding {
  const sample = bytes.subarray(0, 65_536);
  for (const [encoding, mark] of BYTE_ORDER_MARKS) {
    if (mark.every((byte, i) => sample[i] === byte)) return encoding;
  }
  const utf16 = detectUtf16(sample);
  if (utf16) return utf16;
  if (decodes(sample, "utf-8") !== null) return "utf-8";
  const japanese = decodes(sample, "shift_jis");
  if (japanese !== null && isJapanese(japanese)) return "shift_jis";
  const western = decodes(sample, "windows-1252");
  return western !== null && isWestern(western) ? "windows-1252" : "utf-8";
}

/** Decodes bytes that arrive in pieces; the encoding is detected from the first piece. */
export function* decodeText(pieces: Iterable<Uint8Array>): Generator<string, void> {
  let decoder: TextDecoder | undefined;
  for (const piece of pieces) {
    decoder ??= new TextDecoder(detectEncoding(piece));
    yield decoder.decode(piece, { stream: true });
  }
  if (decoder) yield decoder.decode();
}

/** In UTF-16 every second byte of Latin text is zero: the second in LE, the first in BE. */
function detectUtf16(bytes: Uint8Array): TextEncoding | null {
  const pairs = Math.min(bytes.length, 4_096) >> 1;
  if (pairs < 2) return null;
  let first = 0;
  let second = 0;
  for (let i = 0; i < pairs; i++) {
    const [a = 0, b = 0] = [bytes[2 * i], bytes[2 * i + 1]];
    if (a === 0) first++;
    if (b === 0) second++;
    // A control character: binary, such as a workbook.
    if ((a === 0 || b === 0) && a + b < 0x20 && !/\s/.test(String.fromCharCode(a + b))) return null;
  }
  if (second > pairs / 3 && first === 0) return "utf-16le";
  return first > pairs / 3 && second === 0 ? "utf-16be" : null;
}

/** The text, or null if the bytes are invalid; a character that is cut off at the end is allowed. */
function decodes(bytes: Uint8Array, encoding: TextEncoding): string | null {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes, { stream: true });
  } catch {
    return null;
  }
}

/**
 * True if decoded Shift-JIS is Japanese. A byte of windows-1252 such as é takes the next letter with
 * it and becomes a single kanji after a Latin letter; Japanese text has several Japanese characters in a row.
 */
function isJapanese(text: string): boolean {
  const runs = text.match(/[\u3000-\u30ff\u4e00-\u9fff\uff01-\uffee]+/g) ?? [];
  const foreign = text.match(/(?<=[a-z])[\u4e00-\u9fff\uff61-\uff9f]/g) ?? [];
  return runs.length > foreign.length * 2 && !CONTROL.test(text) && !/[\ue000-\uf8ff]/.test(text);
}

const CONTROL = /(?![\t\r\n])\p{Cc}/u;

/** True if decoded windows-1252 is text: no control character, and mostly ASCII. */
function isWestern(text: string): boolean {
  if (CONTROL.test(text)) return false;
  const foreign = text.match(/[^\0-\x7f]/g)?.length ?? 0;
  return foreign < text.length / 3;
}
