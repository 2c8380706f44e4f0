/** True for text on one line without controls, invisible characters and marks of writing direction; emoji join theirs. */
export function isVisibleLine(text: string): boolean {
  return /^[[^\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]\u200c\u200d]*$/v.test(text);
}
