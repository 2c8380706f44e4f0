/** Controls, invisible characters and marks of writing direction; not the two that join emoji and letters. */
const INVISIBLE = /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]--[\u200c\u200d]]/gv;

/** True for text on one line without controls, invisible characters and marks of writing direction; emoji join theirs. */
export function isVisibleLine(text: string): boolean {
  return text.search(INVISIBLE) < 0;
}

/**
 * The text with `�` in place of each character that `isVisibleLine` refuses. Use it for foreign text that a terminal
 * shows, because controls can erase lines, forge output or type into the shell.
 */
export function toVisibleLine(text: string): string {
  return text.replaceAll(INVISIBLE, "\ufffd");
}

/** The JSON text with `\u009b` in place of each character that `isVisibleLine` refuses. It has the same values. */
export function toVisibleJson(json: string): string {
  return json.replaceAll(INVISIBLE, (character) =>
    Array.from(
      { length: character.length },
      (_, i) => `\\u${character.charCodeAt(i).toString(16).padStart(4, "0")}`,
    ).join(""),
  );
}
