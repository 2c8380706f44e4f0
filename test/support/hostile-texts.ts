/** Characters of each hostile text. */
const LENGTH = 100_000;

const fill = (part: string) => part.repeat(Math.ceil(LENGTH / part.length)).slice(0, LENGTH);

/** Texts that take long where the time of reading grows with the square of a text. */
export const HOSTILE_TEXTS: Readonly<Record<string, string>> = {
  "a blank inside a number": `5${fill(" ")}x`,
  "blank lines": fill("\n"),
  "lines of a blank, ended by CR": fill(" \r"),
  "a number with a letter": `${fill("9")}x`,
  "groups of thousands": `${fill("1,000")}x`,
  "groups with points and blanks": `${fill("1.000 ")}x`,
  "one word": fill("A"),
  "many words": fill("ab "),
  "many columns": fill("a,"),
  "many columns with semicolons": fill("1;"),
  "many short rows": fill("a,b\n"),
  "many rows of many columns": `${"a,".repeat(150)}\n`.repeat(330),
  "open brackets": fill("["),
  "objects in objects": fill('{"a":'),
  "closed brackets": `${"[".repeat(LENGTH / 2)}${"]".repeat(LENGTH / 2)}`,
  "words in brackets": fill("(a) "),
  quotes: fill('"'),
  "a quote that stays open": `"${fill("a")}`,
  "quoted cells": fill('"a",'),
  apostrophes: fill("'"),
  "open tags": fill("<td>1"),
  "tags with open quotes": fill("<a b='"),
  "open comments": fill("<!--"),
  entities: fill("&amp;"),
  "entities without an end": fill("&#1"),
  dates: fill("2024-01-02 "),
  "separators of dates": fill("1/"),
  hyphens: fill("-"),
  points: fill("A."),
  "exchanges before symbols": fill("AB:"),
  "equals signs": fill("a="),
  backslashes: fill("\\"),
  "combining marks": `a${fill("\u0315\u0300")}`,
  "full-width digits": fill("１"),
};

/** A text with another one in place of a part. */
export interface Variant {
  readonly place: string;
  readonly with: (text: string) => string;
}

/** The most parts of a text that are replaced. */
const MAX_PARTS = 60;

/** The text with another one before, behind and in place of it, and in place of its parts: values and names of JSON, else cells, attributes and words. */
export function variantsOf(text: string): Variant[] {
  const whole: Variant[] = [
    { place: "the whole", with: (other) => other },
    { place: "before", with: (other) => `${other}${text}` },
    { place: "a line before", with: (other) => `${other}\n${text}` },
    { place: "behind", with: (other) => `${text}${other}` },
  ];
  const [first = ""] = text.split("\n");
  for (const json of [text, first]) {
    if (!/^\s*[[{]/.test(json)) continue;
    try {
      return [...whole, ...partsOfJson(JSON.parse(json))];
    } catch {
      // JSON Lines are no JSON, but their first line is.
    }
  }
  return [...whole, ...partsOfText(text)];
}

/** Only the first lines, tags or items are repeated one by one, at most this number. */
const MAX_REPEATED = 12;

/** The text with all its lines, tags or items of JSON again and again, and with each of them: twice as long as a hostile text. */
export function repetitionsOf(text: string): { place: string; text: string }[] {
  const [parts, join] = piecesOf(text);
  const body = parts.slice(1);
  const grown = (place: string, at: number, repeated: readonly string[]) => {
    const times = Math.ceil((2 * LENGTH) / Math.max(1, repeated.join("").length));
    const all = Array.from({ length: times }, () => repeated).flat();
    return { place, text: join(parts.toSpliced(at, 0, ...all)) };
  };
  return body.length === 0
    ? []
    : [
        grown("all again and again", 1, body),
        ...body
          .slice(0, MAX_REPEATED)
          .map((part, i) => grown(`'${part.trim().slice(0, 20)}' again and again`, i + 1, [part])),
      ];
}

/** The lines of a text, its tags, or the items of the first array of JSON behind an empty one; and what joins them. */
function piecesOf(text: string): readonly [string[], (parts: readonly string[]) => string] {
  if (/^\s*</.test(text)) return [text.split(/(?<=>)\s*(?=<)/), (parts) => parts.join("")];
  const [, before, items, after] = /^(\s*[[{][^[]*?\[?)(\{.*\})(\].*)$/s.exec(text) ?? [];
  if (before === undefined || items === undefined)
    return [text.split(/(?<=\n)/), (parts) => parts.join("")];
  return [
    ["", ...items.split(/(?<=\}),(?=\{)/)],
    (parts) => `${before}${parts.slice(1).join(",")}${after}`,
  ];
}

function partsOfText(text: string): Variant[] {
  const parts = text.split(/([,;\t|\n\r<>="]+)/);
  const replaced = parts.flatMap((part, at) => (at % 2 === 0 && part !== "" ? [at] : []));
  return replaced.slice(0, MAX_PARTS).flatMap((at): Variant[] => {
    const put = (other: string) => parts.with(at, other).join("");
    const place = `in place of '${parts[at]?.slice(0, 20)}'`;
    return [
      { place, with: put },
      {
        place: `quoted, ${place}`,
        with: (other) => put(`"${other.replaceAll('"', '""')}"`),
      },
    ];
  });
}

type Path = readonly string[];

function partsOfJson(json: unknown): Variant[] {
  const found = new Map<string, Path>();
  const walk = (value: unknown, path: Path) => {
    const place = path.map((step) => (/^\d+$/.test(step) ? "#" : step)).join(".");
    if (found.has(place)) return;
    found.set(place, path);
    if (typeof value !== "object" || value === null) return;
    for (const [name, inner] of Object.entries(value)) walk(inner, [...path, name]);
  };
  walk(json, []);
  const texts = [...found].slice(1, MAX_PARTS).flatMap(([place, path]): Variant[] => [
    { place, with: (other) => JSON.stringify(replaced(json, path, () => other)) },
    {
      place: `items of ${place}`,
      with: (other) => JSON.stringify(replaced(json, path, () => other.slice(0, 10_000).split(""))),
    },
  ]);
  const named = { place: "a name", with: (other: string) => JSON.stringify({ [other]: json }) };
  return [named, ...texts];
}

/** The JSON with another value at a path. */
function replaced(json: unknown, [step, ...rest]: Path, put: () => unknown): unknown {
  if (step === undefined) return put();
  const inner = (json as Readonly<Record<string, unknown>>)[step];
  const value = replaced(inner, rest, put);
  return Array.isArray(json)
    ? json.with(Number(step), value)
    : { ...(json as object), [step]: value };
}
