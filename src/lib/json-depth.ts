/**
 * True if the objects and arrays of a JSON text are nested more than `most` levels deep. It reads the
 * text once, so that deep nesting is refused before a parser and a recursive reader meet it.
 */
export function isDeeperThan(text: string, most: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at++) {
    switch (text.charCodeAt(at)) {
      case 0x22: // "
        at = endOfString(text, at);
        break;
      case 0x5b: // [
      case 0x7b: // {
        if (++depth > most) return true;
        break;
      case 0x5d: // ]
      case 0x7d: // }
        depth--;
        break;
    }
  }
  return false;
}

/** The position of the quote that ends the string which begins at `start`. */
function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text.charCodeAt(at) !== 0x22) {
    at += text.charCodeAt(at) === 0x5c ? 2 : 1;
  }
  return at;
}
