import { decode } from "html-entities";

/** Thrown if a text is not well-formed XML. The message is a clause with the reason. */
export class XmlError extends Error {
  override readonly name = "XmlError";
}

/** A tag of an XML text. */
export interface XmlTag {
  /** The name without its namespace prefix. */
  readonly name: string;
  readonly kind: "start" | "end" | "empty";
  /** The attributes as written, for `xmlAttributes`. */
  readonly written: string;
  /** The text between the previous tag and this one, with entities decoded. */
  readonly textBefore: string;
}

/**
 * The tags of an XML text in order, with texts of up to `longestText` characters as written. Comments and processing instructions are skipped. It does not check
 * that start and end tags match.
 *
 * @throws XmlError if a tag or comment is not closed, if a text is too long, and on a DOCTYPE, which could
 * define entities
 */
export function* readXmlTags(xml: string, longestText = Infinity): Generator<XmlTag, void> {
  let text = "";
  let at = 0;
  for (let open = xml.indexOf("<"); open !== -1; open = xml.indexOf("<", at)) {
    if (open - at + text.length > longestText) throw new XmlError("it has a text that is too long");
    text += decodeEntities(xml.slice(at, open));
    if (xml.startsWith("<!--", open)) at = endOf(xml, "-->", open + 4);
    else if (xml.startsWith("<?", open)) at = endOf(xml, "?>", open + 2);
    else if (xml.startsWith("<![CDATA[", open)) {
      at = endOf(xml, "]]>", open + 9);
      if (at - open > longestText) throw new XmlError("it has a text that is too long");
      text += xml.slice(open + 9, at - 3);
    } else if (xml.startsWith("<!", open)) {
      throw new XmlError("it has a DOCTYPE");
    } else {
      at = endOfTag(xml, open + 1);
      yield tagOf(xml.slice(open + 1, at - 1), text);
      text = "";
    }
  }
}

const ATTRIBUTE = /([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')\s*/y;

/** The attributes of a tag by name, including the prefix. @throws XmlError if one is malformed */
export function xmlAttributes({ written }: XmlTag): ReadonlyMap<string, string> {
  const attributes = new Map<string, string>();
  ATTRIBUTE.lastIndex = 0;
  for (let read = 0; read < written.length; read = ATTRIBUTE.lastIndex) {
    const match = ATTRIBUTE.exec(written);
    if (!match) throw new XmlError("an attribute is malformed");
    attributes.set(match[1] ?? "", decodeEntities(match[2] ?? match[3] ?? ""));
  }
  return attributes;
}

function tagOf(inside: string, textBefore: string): XmlTag {
  const kind = inside.startsWith("/") ? "end" : inside.endsWith("/") ? "empty" : "start";
  const content = inside.slice(kind === "end" ? 1 : 0, kind === "empty" ? -1 : undefined);
  const nameEnd = content.search(/\s/);
  const name = nameEnd === -1 ? content : content.slice(0, nameEnd);
  const written = nameEnd === -1 ? "" : content.slice(nameEnd).trim();
  return { name: name.slice(name.indexOf(":") + 1), kind, written, textBefore };
}

/** The position after the next `mark`. */
function endOf(xml: string, mark: string, from: number): number {
  const end = xml.indexOf(mark, from);
  if (end === -1) throw new XmlError("it is cut off");
  return end + mark.length;
}

const TAG_DELIMITER = /[<>"']/g;

/** The position after the `>` that closes a tag. A `>` in quotes does not close it. */
function endOfTag(xml: string, start: number): number {
  TAG_DELIMITER.lastIndex = start;
  for (;;) {
    const match = TAG_DELIMITER.exec(xml);
    if (!match || match[0] === "<") throw new XmlError("a tag is not closed");
    if (match[0] === ">") return match.index + 1;
    TAG_DELIMITER.lastIndex = endOf(xml, match[0], match.index + 1);
  }
}

/** Decodes the five entities of XML and character references; other entities stay as written. */
const decodeEntities = (text: string): string => decode(text, { level: "xml", scope: "strict" });
