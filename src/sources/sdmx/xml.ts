import { readXmlTags, xmlAttributes, XmlError } from "#lib/xml.ts";
import { type Source, SourceError } from "#sources/source.ts";

/** A series of an SDMX-ML answer: its attributes, and its observations in the answer's order. */
export interface SdmxSeries {
  readonly attributes: ReadonlyMap<string, string>;
  readonly observations: readonly { readonly period: string; readonly value: string }[];
}

/** An SDMX-ML answer: the attributes of its data set, and its series. */
export interface SdmxData {
  readonly dataSet: ReadonlyMap<string, string>;
  readonly series: readonly SdmxSeries[];
}

const ROOT = "StructureSpecificData";

/**
 * Reads the attributes of `<Series>`, `<Obs>` and `<DataSet>` in an SDMX-ML 2.1 or 3.0 structure-specific
 * answer, and nothing else.
 *
 * @throws SourceError `invalid_answer` if it is something else or is cut off
 */
export function parseSdmxXml(source: Source, text: string): SdmxData {
  try {
    return readData(text);
  } catch (error) {
    if (!(error instanceof XmlError)) throw error;
    throw new SourceError(source.name, "invalid_answer", error.message);
  }
}

/** @throws XmlError */
function readData(text: string): SdmxData {
  let dataSet: ReadonlyMap<string, string> = new Map();
  const series: { attributes: SdmxSeries["attributes"]; observations: Observation[] }[] = [];
  let root: "missing" | "open" | "closed" = "missing";
  for (const tag of readXmlTags(text)) {
    if (tag.name === ROOT) root = tag.kind === "end" ? "closed" : "open";
    else if (tag.kind === "end") continue;
    else if (tag.name === "DataSet") dataSet = xmlAttributes(tag);
    else if (tag.name === "Series") {
      series.push({ attributes: xmlAttributes(tag), observations: [] });
    } else if (tag.name === "Obs") {
      const attributes = xmlAttributes(tag);
      const period = attributes.get("TIME_PERIOD");
      const current = series.at(-1);
      if (period === undefined || !current) {
        throw new XmlError("an observation without series or period");
      }
      current.observations.push({ period, value: attributes.get("OBS_VALUE") ?? "" });
    }
  }
  if (root === "missing") throw new XmlError("the answer is not SDMX-ML");
  if (root === "open") throw new XmlError("it is cut off");
  return { dataSet, series };
}

type Observation = SdmxSeries["observations"][number];
