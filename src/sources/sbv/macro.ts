import { frequencyOf, PERIOD } from "#domain/macro-periods.ts";
import { addMonths, dateOf } from "#lib/date.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import {
  createSeries,
  IN_PERCENT,
  type Observation,
  parseFigure,
  type SeriesSpec,
} from "#sources/macro/series.ts";
import { parseSdmxCsv } from "#sources/sdmx/csv.ts";
import { parseSdmxXml } from "#sources/sdmx/xml.ts";
import { orError } from "#sources/or-error.ts";
import { type SourceClient, SourceError, type SourceRequest } from "#sources/source.ts";
import { parseArticles } from "./articles.ts";
import { SBV } from "./source.ts";

/** 36 observations, and a year before them for the comparison. */
const MONTHS_BACK = 60;

const ARTICLES = "https://sbv.gov.vn/o/article/v1.0/articles?scopeKey=20117&contentStructureId=";
const DATAFLOWS = "https://api.imf.org/external/sdmx/3.0/data/dataflow/IMF.STA";

interface SbvSpec extends SeriesSpec {
  /** The address of its figures; `from` is the first month: `2021-11`. */
  readonly address: (from: string) => string;
  readonly read: (text: string) => Observation[];
}

/** A monthly series of the IMF about Viet Nam, by its dataflow and key. */
const fromImf = (dataflow: string, key: string): Pick<SbvSpec, "address" | "read"> => ({
  address: (from) => `${DATAFLOWS}/${dataflow}/+/VNM.${key}.M?startPeriod=${from}`,
  read: (text) => parseSdmx(text, key),
});

const SERIES: readonly SbvSpec[] = [
  {
    ...IN_PERCENT,
    category: "money",
    id: "m2-yoy",
    name: "M2 money supply YoY",
    transform: "yoy",
    isDetail: true,
    address: () => `${ARTICLES}10038520`,
    // Total means of payment.
    read: (text) => parseArticles(text, /tongphuongtienthanhtoan/i),
  },
  {
    ...IN_PERCENT,
    category: "money",
    id: "refinancing-rate",
    name: "Refinancing rate",
    decimals: 2,
    ...fromImf("MFS_IR", "MFS166_RT_PT_A_PT"),
  },
  {
    ...IN_PERCENT,
    category: "money",
    id: "usd-vnd",
    name: "USD/VND mid rate",
    unit: "VND",
    decimals: 0,
    ...fromImf("ER", "XDC_USD.PA_RT"),
  },
];

/** Money supply, policy rate and exchange rate of Viet Nam. A series that fails does not lose the others. */
export const sbvMacro = defineFetcher({
  kind: "macroSeries",
  source: SBV,
  countries: ["VN"],
  scope: "country",
  complements: true,
  async fetch({ now }, client) {
    const from = addMonths(dateOf(now), -MONTHS_BACK).slice(0, 7);
    const answers: (Observation[] | SourceError)[] = [];
    for (const one of SERIES) answers.push(await requestSeries(client, one, from));
    const errors = answers.filter((answer) => answer instanceof SourceError);
    const [first] = errors;
    if (first && errors.length === SERIES.length) throw first;
    return answers;
  },
  lacks: (answers) =>
    SERIES.flatMap(({ name }, i) => {
      const answer = answers[i];
      return answer instanceof SourceError ? [{ what: name, why: answer.words }] : [];
    }),
  transform(answers, { now, country }) {
    const series = SERIES.flatMap((one, i) => {
      const answer = answers[i];
      if (!answer || answer instanceof SourceError) return [];
      return createSeries(country, one, answer, now) ?? [];
    });
    if (series.length === 0) throw SBV.error("nothing", "no current series");
    return series;
  },
});

/** @throws SourceError `not_asked` if bourse stops or the source is not set up */
function requestSeries(
  client: SourceClient,
  { address, read }: SbvSpec,
  from: string,
): Promise<Observation[] | SourceError> {
  const url = address(from);
  const request: SourceRequest = url.startsWith(DATAFLOWS)
    ? { headers: { accept: "application/vnd.sdmx.data+csv" }, form: "lines" }
    : { headers: { accept: "application/json" } };
  return orError(async () => read((await client.request(url, request)).text()));
}

/** The monthly observations of Viet Nam in an SDMX answer. Months are written `2026-07` or `2026-M07`. */
function parseSdmx(text: string, key: string): Observation[] {
  const [indicator = ""] = key.split(".");
  const isOurs = (get: (name: string) => string | undefined) =>
    get("COUNTRY") === "VNM" && get("INDICATOR") === indicator && get("FREQUENCY") === "M";
  const found = text.trimStart().startsWith("<")
    ? parseSdmxXml(SBV, text)
        .series.filter(({ attributes }) => isOurs((name) => attributes.get(name)))
        .flatMap(({ observations }) => observations)
    : parseSdmxCsv(SBV, text, ["COUNTRY", "INDICATOR", "FREQUENCY"])
        .filter((row) => isOurs(row))
        .map((row) => ({ period: row("TIME_PERIOD"), value: row("OBS_VALUE") }));
  return found.flatMap(({ period: written, value }) => {
    const period = written.replace(/-M(?=\d\d$)/, "-");
    if (!PERIOD.test(period) || frequencyOf(period) !== "M")
      throw SBV.error("invalid_answer", "a period is in another form");
    const figure = parseFigure(value);
    return figure === null ? [] : [{ period, value: figure }];
  });
}
