import type { MetricName } from "#analytics/metrics.ts";
import { listPeriods } from "#analytics/periods.ts";
import { isCompany } from "#domain/instrument.ts";
import { addDays, dateOf } from "#lib/date.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { Cell } from "#lib/table.ts";
import { formatFiscalPeriod } from "#panels/format.ts";
import { getCompany } from "#rollups/companies.ts";
import { CurrencyRates } from "#rollups/currency-rates.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { ratesOf } from "./conversion.ts";
import { metricOf, type Subject, whyPastMetric } from "./metric-reasons.ts";
import { figuresOfPeriod, newestInputs, periodReader } from "./past-periods.ts";
import type { Gap, Why } from "./reasons.ts";
import { formatKey } from "./reading/symbols.ts";

/** A year of 52 or 53 weeks can end in the first days of the next year. */
const DAYS_OVER = 7;

const HEAD_COLUMNS = ["country", "symbol", "name", "currency", "fiscal_period", "period_end"];

/** What a comparison of fiscal years asks of each company. */
interface Asked {
  /** The calendar year in which the fiscal year ends. */
  readonly year: number;
  readonly metrics: readonly MetricName[];
  /** ISO code; each company's own currency if absent. */
  readonly currency: string | undefined;
  /** UTC milliseconds. */
  readonly now: number;
}

/** The figures of the fiscal years of companies that end in the same calendar year. */
export async function compareFiscalYear(
  market: MarketStore,
  found: readonly StoredInstrument[],
  asked: Asked,
) {
  const rates = new CurrencyRates(market);
  const rows: Cell[][] = [];
  const notes: string[] = [];
  const from: ReturnType<typeof getCompany>["from"][number][] = [];
  const subjects: YearOf["subject"][] = [];
  for (const instrument of found) {
    if (rows.length > 0) await nextTurn();
    const company = getCompany(market, instrument, asked.now);
    from.push(...company.from);
    const { cells, note, subject } = yearOf(market, instrument, { ...asked, rates });
    rows.push([instrument.country, instrument.symbol, instrument.name, ...cells]);
    subjects.push(subject);
    if (note !== null) notes.push(note);
  }
  const [first = null, ...others] = new Set(rows.flatMap(([, , , currency]) => currency ?? []));
  return {
    data: {
      columns: [...HEAD_COLUMNS, ...asked.metrics],
      rows,
      session: null,
      currency: others.length === 0 && typeof first === "string" ? first : null,
      rates: ratesOf(rates),
      ...(notes.length > 0 && { notes }),
    },
    from: [...from, ...rates.from],
    why({ figure, row, path }: Gap): Why | null | undefined {
      if (path.length === 0) return figure === "session" ? "not_asked" : null;
      const instrument = found[row];
      const subject = subjects[row];
      if (!subject)
        return instrument && isCompany(instrument.assetType) ? "not_published" : "not_applicable";
      const name = metricOf(figure);
      return name && whyPastMetric(name, subject(), market);
    },
  };
}

/** The year of a company. */
interface YearOf {
  /** The currency, the period and the figures. */
  readonly cells: Cell[];
  /** Null without a year. */
  readonly subject: (() => Pick<Subject, "instrument" | "fundamentals">) | null;
  /** Why the figures are null; null if there is a year. */
  readonly note: string | null;
}

function yearOf(
  market: MarketStore,
  instrument: StoredInstrument,
  { year, metrics, currency, now, rates }: Asked & { readonly rates: CurrencyRates },
): YearOf {
  const key = formatKey(instrument);
  const none = [currency ?? null, null, null, ...metrics.map(() => null)];
  if (!isCompany(instrument.assetType))
    return {
      cells: none,
      subject: null,
      note: `${key} is of type ${instrument.assetType}, so it has no statements.`,
    };
  const today = dateOf(now);
  const [newest] = market.bars.listNewest(instrument.id, 1);
  const inputs = newestInputs(market, instrument, newest?.close ?? null, today);
  const years = listPeriods(inputs.statements, today, "annual");
  const endYear = (periodEnd: string) => Number(addDays(periodEnd, -DAYS_OVER).slice(0, 4));
  const statement = years.find(({ periodEnd }) => endYear(periodEnd) === year);
  if (!statement) {
    const [last, first] = [years[0]?.periodEnd, years.at(-1)?.periodEnd];
    const known = last === undefined ? "none is stored" : `its years end from ${first} to ${last}`;
    return {
      cells: none,
      subject: null,
      note: `${key} has no fiscal year that ends in ${year}: ${known}.`,
    };
  }
  const to = currency ?? statement.currency;
  const read = periodReader(market, instrument, inputs);
  return {
    cells: [
      to,
      formatFiscalPeriod(statement.fiscalYear, null),
      statement.periodEnd,
      ...figuresOfPeriod(statement, { instrument, read, metrics, rates, to }),
    ],
    subject: () => ({ instrument, fundamentals: read(statement) }),
    note: null,
  };
}
