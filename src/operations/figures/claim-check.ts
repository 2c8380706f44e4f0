import { METRICS } from "#analytics/metrics.ts";
import type { Country } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import type { Provenance } from "#domain/records.ts";
import { dateOf } from "#lib/date.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { Cell } from "#lib/table.ts";
import { toSnakeCase } from "#operations/get-stock-statements.ts";
import type { OperationContext } from "#operations/operation.ts";
import type { Gap } from "#operations/reasons.ts";
import { type Claim, isCountry, parseClaims } from "#operations/reading/claims.ts";
import { findMacroSeries } from "#operations/reading/macro-series.ts";
import { suggestMetrics } from "#operations/reading/metric-query.ts";
import { findInstrument, formatKey } from "#operations/reading/symbols.ts";
import { readDate } from "#operations/reading/written-dates.ts";
import { readFigure } from "#operations/reading/written-figures.ts";
import { readPeriod, type WrittenPeriod } from "#operations/reading/written-periods.ts";
import { createMetricsReader } from "#rollups/companies.ts";
import { CurrencyRates } from "#rollups/currency-rates.ts";
import { ClaimedCompany } from "./company-readings.ts";
import { readFigureName } from "./figure-name.ts";
import { readPastPrice } from "./price-readings.ts";
import type { Readings } from "./reading.ts";
import { readSeries } from "./series-readings.ts";
import { judge, type Verdict, VERDICTS, whyNull } from "./verdict.ts";

const COLUMNS = [
  "claim",
  "verdict",
  "symbol",
  "figure",
  "value",
  "unit",
  "on",
  "off_percent",
  "note",
];

/** The result of `check_figures` for the claims as they are written. @throws BourseError as `parseClaims` */
export async function checkClaims(written: string, context: OperationContext) {
  const claims = parseClaims(written);
  const checker = new Checker(context);
  const rows: Cell[][] = [];
  const definitions: Record<string, string> = {};
  for (const [i, claim] of claims.entries()) {
    // Each claim can take some milliseconds.
    if (i > 0) await nextTurn();
    const { subject, figure, metric, ...found } = checker.check(claim);
    const { verdict, value, unit, on, off, note } = found;
    rows.push([i + 1, verdict, subject, figure, value, unit, on, off, note]);
    if (verdict === "differs" && metric !== null) definitions[metric] = METRICS[metric].description;
  }
  const count = (verdict: Verdict["verdict"]) => rows.filter((row) => row[1] === verdict).length;
  const [confirmed, differs, unknown] = VERDICTS.map(count) as [number, number, number];
  return {
    data: {
      confirmed,
      differs,
      unknown,
      columns: [...COLUMNS],
      rows,
      ...(Object.keys(definitions).length > 0 && { definitions }),
    },
    from: checker.from,
    // The note of an unknown claim says why it has no value.
    why: ({ of }: Gap) => {
      if (of["verdict"] === "unknown") return null;
      return typeof of["value"] === "string" ? "not_applicable" : "not_meaningful";
    },
  };
}

/** A claim with its verdict. */
interface Checked extends Verdict {
  readonly subject: string;
  readonly figure: string;
  readonly metric: keyof typeof METRICS | null;
}

/** The closest symbol is looked up for this number of unknown ones, because each takes milliseconds. */
const MAX_SUGGESTED = 5;

/** Reads what a figure can mean at a time, in the currency of the claim if it is computed in one. */
type Read = (period: WrittenPeriod, currency: string | null) => Readings;

/** Checks claims. It reads each instrument once. */
class Checker {
  readonly #context: OperationContext;
  readonly #companies = new Map<number, ClaimedCompany>();
  readonly #readMetrics;
  readonly #from: Provenance[] = [];
  #suggested = 0;

  constructor(context: OperationContext) {
    this.#context = context;
    this.#readMetrics = createMetricsReader(context.market, context.now);
  }

  get from(): readonly Provenance[] {
    return [...this.#from, ...[...this.#companies.values()].flatMap(({ from }) => from)];
  }

  check(written: Claim): Checked {
    const claim = withTime(written, dateOf(this.#context.now));
    const { subject, figure, problem } = claim;
    const named = { subject, figure, metric: null };
    if (problem !== undefined) return { ...named, ...unknown(problem) };
    try {
      return isCountry(subject) ? this.#checkSeries(claim, subject) : this.#checkCompany(claim);
    } catch (thrown) {
      if (!(thrown instanceof BourseError)) throw thrown;
      const { message, details } = thrown;
      return { ...named, ...unknown([message, details.hint].filter(Boolean).join(" ")) };
    }
  }

  #checkSeries(claim: Claim, country: Country): Checked {
    const { market } = this.#context;
    const all = market.documents.list("macroSeries", country);
    const series = findMacroSeries(all, country, claim.figure);
    this.#from.push(series);
    const named = { subject: country, figure: series.name, metric: null };
    return {
      ...named,
      ...this.#judge(claim, (period) => readSeries(series, period), { country }),
    };
  }

  #checkCompany(claim: Claim): Checked {
    const { market, now } = this.#context;
    const found = findInstrument(market, claim.subject, this.#suggested < MAX_SUGGESTED);
    if ("reason" in found) {
      this.#suggested++;
      const near = found.closest === null ? "" : ` Did you mean ${found.closest}?`;
      return {
        subject: claim.subject,
        figure: claim.figure,
        metric: null,
        ...unknown(`${found.reason}${near}`),
      };
    }
    const { instrument } = found;
    const name = readFigureName(claim.figure);
    const subject = formatKey(instrument);
    if (name === null)
      return {
        subject,
        figure: claim.figure,
        metric: null,
        ...unknown(unknownFigure(claim.figure)),
      };
    const company =
      this.#companies.get(instrument.id) ??
      new ClaimedCompany(market, instrument, now, this.#readMetrics);
    this.#companies.set(instrument.id, company);
    const { metric, line, field } = name;
    const isOfBars = field !== null || metric === "change_percent";
    const read: Read = (period, currency) => {
      const isNewest = period.unit === "newest";
      if (!isOfBars || (isNewest && metric !== null && name.adjustments === null))
        return company.read(name, period, currency);
      const { today } = company;
      return readPastPrice(
        company,
        name,
        isNewest ? { ...period, unit: "day", from: today, to: today } : period,
      );
    };
    const verdict = this.#judge(claim, read, instrument);
    const figure = metric ?? (line === null ? null : toSnakeCase(line)) ?? field ?? claim.figure;
    return { subject, figure, metric: isOfBars ? null : metric, ...verdict };
  }

  #judge(
    claim: Claim,
    read: Read,
    { country, currency: own }: { readonly country: Country; readonly currency?: string },
  ): Verdict {
    const { market, now } = this.#context;
    const isVietnamese = country === "VN";
    const period = readPeriod(claim.on, dateOf(now));
    if (period === null)
      return unknown(
        `on is not understood: ${JSON.stringify(claim.on)}. Write a date, FY2025, Q3 2026 or TTM.`,
      );
    const stated = readFigure(claim.value, { isVietnamese, unitWords: [] });
    const currency = claim.currency || stated?.currency || null;
    if (stated?.currency && stated.currency !== currency)
      return unknown(`value is in ${stated.currency}, and currency says ${currency}.`);
    const readings = read(period, currency);
    const [first] = readings.all;
    if (typeof first?.shown === "string") return judgeText(claim, first.shown, first.on);
    if (stated === null && first?.words !== undefined)
      return judgeText(claim, first.words, first.on);
    if (stated === null && first?.value === null)
      return { ...unknown(whyNull(first)), on: first.on };
    const unitWords = first?.unitWords;
    const figure = readFigure(claim.value, { isVietnamese, ...(unitWords && { unitWords }) });
    if (figure === null)
      return unknown(
        `${JSON.stringify(claim.value)} is no figure: write it as 4.84T, 27.5% or -1234.5.`,
      );
    const currencies = [first?.currency ?? null, own, "USD"];
    return judge(readings, {
      figure,
      currency: first && first.currency !== null ? currency : null,
      rates: new CurrencyRates(market),
      currencies: [...new Set(currencies.flatMap((one) => one ?? []))],
    });
  }
}

const TIME = String.raw`(?<on>(?:Q[1-4] )?(?:FY|CY|Q[1-4]) ?'?\d{2,4}(?: ?Q[1-4])?|\d{4}(?: ?Q[1-4])?)`;
const TIMED = [
  /^(?<figure>.+?),? *\((?<on>[^()]+)\)$/,
  new RegExp(`^${TIME} (?<figure>.+)$`, "i"),
  new RegExp(`^(?<figure>.+?),? (?:(?:in|for|of) )?${TIME}$`, "i"),
];

/** A claim whose figure names its time, such as `Revenue (FY2026)`, with the time where it belongs. */
function withTime(claim: Claim, today: string): Claim {
  if (claim.on !== "") return claim;
  for (const pattern of TIMED) {
    const { figure, on } = pattern.exec(claim.figure)?.groups ?? {};
    if (figure === undefined || on === undefined) continue;
    const period = readPeriod(on, today);
    if (period !== null && period.from !== "") return { ...claim, figure, on };
  }
  return claim;
}

/** The verdict on a date, a fiscal quarter or the words of a rating. */
function judgeText({ value }: Claim, shown: string, on: string): Verdict {
  const written = readDate(String(value)) ?? String(value);
  const wordsOf = (text: string) =>
    text
      .toLowerCase()
      .split(/[^a-z0-9]+/)
      .toSorted()
      .join(" ");
  const isRight = wordsOf(written) === wordsOf(shown);
  return {
    verdict: isRight ? "confirmed" : "differs",
    value: shown,
    unit: "",
    on,
    off: null,
    note: "",
  };
}

const unknown = (note: string): Verdict => ({
  verdict: "unknown",
  value: null,
  unit: "",
  on: "",
  off: null,
  note,
});

function unknownFigure(written: string): string {
  const near = suggestMetrics(written.toLowerCase());
  const hint =
    near.length > 0
      ? `Did you mean ${near.join(", ")}?`
      : "Usual ones are price, market_cap, pe, revenue, net_income, eps.";
  return `${JSON.stringify(written)} is no figure of a company here. ${hint}`;
}
