import { describe, expect, test } from "bun:test";
import { readXmlTags, xmlAttributes, XmlError } from "#lib/xml.ts";

const tagsOf = (xml: string) =>
  [...readXmlTags(xml)].map(({ kind, name, textBefore }) => [kind, name, textBefore]);

describe("XML", () => {
  test("is read as tags, each with the preceding text", () => {
    expect(
      tagsOf(
        '<?xml version="1.0"?>\n<a:root x="1"><!-- <b> --><b>R&amp;D &#26481;</b> <c/></a:root>',
      ),
    ).toEqual([
      ["start", "root", "\n"],
      ["start", "b", ""],
      ["end", "b", "R&D 東"],
      ["empty", "c", " "],
      ["end", "root", ""],
    ]);
    expect(tagsOf("<a>x<!-- -->y<![CDATA[<&amp;>]]>z</a>")).toEqual([
      ["start", "a", ""],
      ["end", "a", "xy<&amp;>z"],
    ]);
  });

  test("has attributes in single or double quotes, with entities and a closing bracket", () => {
    const [tag] = readXmlTags(`<a one="1 > 0" x:two='"&lt;"'\n three = "" />`);
    expect([...xmlAttributes(tag ?? ({} as never))]).toEqual([
      ["one", "1 > 0"],
      ["x:two", '"<"'],
      ["three", ""],
    ]);
  });

  test.each([
    ["a tag without an end", "<a"],
    ["a quote without an end", '<a b="x>'],
    ["a tag in a tag", "<a <b>"],
    ["a comment without an end", "<a><!-- x</a>"],
    ["a DOCTYPE", '<!DOCTYPE a [<!ENTITY b "c">]><a/>'],
  ])("is refused with %s", (_, xml) => {
    expect(() => [...readXmlTags(xml)]).toThrow(XmlError);
  });

  test.each(["<a b>", "<a b=c>", '<a "b">', "<a b='1' =>"])("%s has no attributes", (xml) => {
    const [tag] = readXmlTags(xml);
    expect(() => xmlAttributes(tag ?? ({} as never))).toThrow(XmlError);
  });

  test("of many megabytes is read in linear time, with any content", () => {
    const count = 200_000;
    expect([...readXmlTags("<a>".repeat(count))]).toHaveLength(count);
    expect(() => [...readXmlTags(`<a${' b="c"'.repeat(count)}`)]).toThrow(XmlError);
    expect(() => [...readXmlTags(`<a${" ".repeat(5 * count)}`)]).toThrow(XmlError);
    const [tag] = readXmlTags(`<a${' b="c"'.repeat(count)}>`);
    expect(xmlAttributes(tag ?? ({} as never)).size).toBe(1);
    expect(tagsOf(`<a>${"&amp".repeat(count)}</a>`)).toHaveLength(2);
  });
});
