import { t, translate, translateTerm } from "#console/app/words.ts";

/** What the sample says of each instrument. */
const OF_SAMPLE =
  /^(.+) is (an? [a-z -]+?)(?: in (.+) \(([^)]+)\))?(?: on ([^.]+))?\. (Figures in this sample market are generated, not real\.)$/;

/** A summary as the source wrote it; the sample's in the reader's language. @param nameOf the name in that language */
export function summaryText(
  summary: string,
  nameOf: (name: string) => string = (name) => name,
): string {
  const found = OF_SAMPLE.exec(summary);
  if (!found) return summary;
  const [, name = "", kind = "", industry = "", sector = "", exchange = "", rest = ""] = found;
  const sentence =
    exchange === ""
      ? "{name} is {kind}."
      : industry === ""
        ? "{name} is {kind} on {exchange}."
        : "{name} is {kind} in {industry} ({sector}) on {exchange}.";
  const text = t(sentence, {
    name: nameOf(name),
    exchange: translate(exchange),
    kind: translate(kind),
    industry: translateTerm(industry),
    sector: translate(sector),
  });
  return `${text} ${translate(rest)}`;
}
