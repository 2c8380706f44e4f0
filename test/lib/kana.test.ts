import { expect, test } from "bun:test";
import { toHiragana, toKatakana, toLatin } from "#lib/kana.ts";

// The names are those that the companies have on the lists of Tokyo.
test.each([
  ["とよた", "トヨタ", "toyota"],
  ["にんてんどう", "ニンテンドウ", "nintendo"],
  ["とうきょう", "トウキョウ", "tokyo"],
  ["しょうわ", "ショウワ", "showa"],
  ["にっさん", "ニッサン", "nissan"],
  ["はっちょう", "ハッチョウ", "hatcho"],
  ["はっちゅう", "ハッチュウ", "hatchu"],
  ["じゅうろくぎんこう", "ジュウロクギンコウ", "jurokuginko"],
  ["きょうと きんゆう", "キョウト キンユウ", "kyoto kinyu"],
])("%s is %s and %s", (hiragana, katakana, latin) => {
  expect([toKatakana(hiragana), toHiragana(katakana)]).toEqual([katakana, hiragana]);
  expect([toLatin(hiragana), toLatin(katakana)]).toEqual([latin, latin]);
});

test("a text with other letters has no Latin form", () => {
  expect([toLatin("豊田"), toLatin("トヨタ7203"), toLatin("")]).toEqual([null, null, ""]);
});

test("families whose companies write katakana are found by their kanji", () => {
  expect([toKatakana("豊田自動車"), toKatakana("本田技研")]).toEqual([
    "トヨタ自動車",
    "ホンダ技研",
  ]);
});
