import { type Source, SourceError } from "#sources/source.ts";

/** A series of an SDMX-ML answer: its attributes, and its observations in the answer's order. */
export interface SdmxSeries {
  readonly attributes: ReadonlyMap<string, string>;
  readonly observations: readonly { readonly period: string; readonly value: string }[];
}

const ATTRIBUTES = `(?:\\s+[\\w.:-]+\\s*=\\s*(?:"[^"<]*"|'[^'<]*'))*`;
const TAG = new RegExp(`<(?:[\\w.-]+:)?(Series|Obs|DataSet)(${ATTRIBUTES})\\s*/?>`, "g");
const ATTRIBUTE = /([\w.:-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g;
const ENTITIES: Readonly<Record<string, string>> = {
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&apos;": "'",
  "&amp;": "&",
};

/**
 * Reads an SDMX-ML 2.1 structure-specific answer: the attributes of `<Series>`, `<Obs>` and
 * `<DataSet>`, and nothing else of it.
 *
 * @throws SourceError `invalid_answer` where it is something else, or is cut off.
 */
export function parseSdmxXml(
  source: Source,
  text: string,
): { dataSet: ReadonlyMap<string, string>; series: SdmxSeries[] } {
  const invalid = (reason: string) => new SourceError(source.name, "invalid_answer", reason);
  const [before = "", ...commented] = text.split("<!--");
  const behind = commented.map((part) => {
    const end = part.indexOf("-->");
    if (end === -1) throw invalid("a comment is never closed");
    return part.slice(end + 3);
  });
  const body = [before, ...behind].join("");
  if (!/<(?:[\w.-]+:)?StructureSpecificData[\s>]/.test(body) || /<!(DOCTYPE|ENTITY)/i.test(body)) {
    throw invalid("the answer is not SDMX-ML");
  }
  if (!/<\/(?:[\w.-]+:)?StructureSpecificData\s*>\s*$/.test(body)) throw invalid("it is cut off");

  let dataSet: ReadonlyMap<string, string> = new Map();
  const series: {
    attributes: Map<string, string>;
    observations: SdmxSeries["observations"][number][];
  }[] = [];
  let read = 0;
  for (const [, tag, written = ""] of body.matchAll(TAG)) {
    const attributes = readAttributes(written);
    read++;
    if (tag === "DataSet") dataSet = attributes;
    else if (tag === "Series") series.push({ attributes, observations: [] });
    else {
      const period = attributes.get("TIME_PERIOD");
      const current = series.at(-1);
      if (period === undefined || !current)
        throw invalid("an observation without series or period");
      current.observations.push({ period, value: attributes.get("OBS_VALUE") ?? "" });
    }
  }
  const begun = body.match(/<(?:[\w.-]+:)?(Series|Obs|DataSet)[\s/>]/g)?.length ?? 0;
  if (read !== begun) throw invalid("an element cannot be read");
  return { dataSet, series };
}

function readAttributes(written: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = "", double, single] of written.matchAll(ATTRIBUTE)) {
    const value = double ?? single ?? "";
    attributes.set(
      name,
      value.replaceAll(/&(lt|gt|quot|apos|amp);/g, (entity) => ENTITIES[entity] ?? entity),
    );
  }
  return attributes;
}
