import { t, translate, translateTerm } from "#console/app/words.ts";

/** What the sample says of each company. */
const OF_SAMPLE =
  /^(.+) is (a company|a real estate investment trust) in (.+) \(([^)]+)\) on ([^.]+)\. (Figures in this sample market are generated, not real\.)$/;

/** A summary as the source wrote it; that of the sample in the reader's language. */
export function summaryText(summary: string): string {
  const found = OF_SAMPLE.exec(summary);
  if (!found) return summary;
  const [, name = "", kind = "", industry = "", sector = "", exchange = "", rest = ""] = found;
  const text = t("{name} is {kind} in {industry} ({sector}) on {exchange}.", {
    name,
    exchange,
    kind: translate(kind),
    industry: translateTerm(industry),
    sector: translate(sector),
  });
  return `${text} ${translate(rest)}`;
}
