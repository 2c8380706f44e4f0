import { describe, expect, test } from "bun:test";
import { katakanaNames, localName } from "#domain/translated-names.ts";

describe("the name in the language of the country", () => {
  test.each([
    ["JP", "Toyota Motor Corporation", "Toyota Motors|トヨタ自動車|トヨタ", "トヨタ自動車"],
    // A name in Latin letters is not a name in Japanese.
    ["JP", "KDDI Corporation", "ＫＤＤＩ", null],
    ["JP", "トヨタ自動車", "Toyota Motor Corporation", null],
    ["VN", "Hoa Phat Group Joint Stock Company", "HPG|Tập đoàn Hòa Phát", "Tập đoàn Hòa Phát"],
    ["VN", "FPT Corporation", null, null],
    ["US", "Apple Inc.", "アップル", null],
  ] as const)("of a company of %s called %s", (country, name, aliases, expected) => {
    expect(localName({ country, name, aliases })).toBe(expected);
  });

  test("companies of the US have the first of their names in Japanese", () => {
    expect(katakanaNames().get("AAPL")).toBe("アップル");
    expect(katakanaNames().get("DIS")).toBe("ウォルト・ディズニー");
    expect(katakanaNames().get("NOSUCH")).toBeUndefined();
  });
});
