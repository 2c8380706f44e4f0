// Japanese is typed in hiragana, before kanji are chosen. Names are written in katakana, kanji or Latin letters.

const HIRAGANA =
  "あいうえおかきくけこさしすせそたちつてとなにぬねのはひふへほまみむめもやゆよらりるれろわをんがぎぐげござじずぜぞだぢづでどばびぶべぼぱぴぷぺぽぁぃぅぇぉゔ";
/** The Hepburn syllables of `HIRAGANA`. */
const SYLLABLES =
  "a i u e o ka ki ku ke ko sa shi su se so ta chi tsu te to na ni nu ne no ha hi fu he ho ma mi mu me mo ya yu yo ra ri ru re ro wa o n ga gi gu ge go za ji zu ze zo da ji zu de do ba bi bu be bo pa pi pu pe po a i u e o vu".split(
    " ",
  );
const LATIN = new Map(Array.from(HIRAGANA, (letter, i) => [letter, SYLLABLES[i] ?? ""]));
/** What a small letter makes of the syllable before it: `ki` and `ya` are `kya`. */
const SMALL: Readonly<Record<string, string>> = { ゃ: "a", ゅ: "u", ょ: "o" };
const SHIFT = 0x60;
/** Names of families whose companies write them in katakana. */
const FAMILIES: Readonly<Record<string, string>> = {
  豊田: "トヨタ",
  本田: "ホンダ",
  鈴木: "スズキ",
  松田: "マツダ",
  久保田: "クボタ",
  山葉: "ヤマハ",
  樫尾: "カシオ",
  津村: "ツムラ",
};
const FAMILY = new RegExp(Object.keys(FAMILIES).join("|"), "g");

/** True for a text with kana or kanji. */
export const isJapanese = (text: string): boolean =>
  /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u.test(text);

/** The text with katakana for hiragana and for names that companies write so: `トヨタ` for `とよた` and `豊田`. */
export const toKatakana = (text: string): string =>
  text
    .replaceAll(FAMILY, (name) => FAMILIES[name] ?? name)
    .replaceAll(/[\u3041-\u3096]/g, (letter) => String.fromCharCode(letter.charCodeAt(0) + SHIFT));

/** The text with hiragana for katakana: `みずほ` for `ミズホ`. */
export const toHiragana = (text: string): string =>
  text.replaceAll(/[\u30a1-\u30f6]/g, (letter) =>
    String.fromCharCode(letter.charCodeAt(0) - SHIFT),
  );

/**
 * A text of kana in the Latin letters of company names, without long vowels: `nintendo` for `にんてんどう`. Null if it
 * has other letters.
 */
export function toLatin(text: string): string | null {
  let latin = "";
  for (const letter of toHiragana(text)) {
    const small = SMALL[letter];
    const syllable = LATIN.get(letter);
    // The y is lost behind sh, ch and j: `sho`.
    if (small !== undefined)
      latin = latin.replace(/i$/, /(sh|ch|j)i$/.test(latin) ? small : `y${small}`);
    else if (letter === "っ") latin += "*";
    else if (letter === "ー") continue;
    else if (/\s/.test(letter)) latin += letter;
    else if (syllable === undefined) return null;
    else latin += syllable;
  }
  return latin
    .replaceAll(/\*(.?)/g, (_, next: string) => (next === "c" ? "tc" : next + next))
    .replaceAll(/ou|oo/g, "o")
    .replaceAll("uu", "u");
}
