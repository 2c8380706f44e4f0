import { rollUpRow } from "#analytics/sector-statistics.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { lazy } from "#lib/lazy.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { compress, decompress } from "#lib/zstd.ts";
import type { FiguresPart } from "#store/company-figures.ts";
import type { MarketStore } from "#store/index.ts";
import { type CompanyMetrics, findCompanyMetrics, listIndexCloses, withYear } from "./companies.ts";
import { CompanyHistory, type LongFigures } from "./company-history.ts";

/** The form of saved figures. Raise it with each change of their fields: figures of another form are not read. */
const FORM = 4;

/** The state in which figures were computed. */
export interface SavedState {
  /** Identifies the program that computed them: another one may compute other figures. */
  readonly build: string;
  /** For which moment, UTC milliseconds. */
  readonly now: number;
  /** The number of the last change of the market that they contain. */
  readonly change: number;
  /** The fingerprint of the bars of each index and currency pair that they contain. */
  readonly inputs: Readonly<Record<string, string>>;
}

/** The companies of each country. */
export type CompaniesByCountry = Readonly<Record<Country, readonly CompanyMetrics[]>>;

/** A part is written or read in a millisecond. */
const COMPANIES_PER_PART = 50;
/** A part has 200 KB. */
const MAX_PART_BYTES = 64 * 2 ** 20;

/** The state of the saved figures; null if there are none of this form, or if it is damaged. */
export function findSavedState(market: MarketStore): SavedState | null {
  try {
    const { form, ...state } = JSON.parse(market.figures.findState() ?? "{}");
    return form === FORM ? (state as SavedState) : null;
  } catch {
    return null;
  }
}

/** Reads the figures of a country that were saved for `now`, part by part between other work. Null if they are damaged. */
export async function readCompanies(
  market: MarketStore,
  country: Country,
  now: number,
): Promise<CompanyMetrics[] | null> {
  const companies: CompanyMetrics[] = [];
  for (let part = 0; ; part++) {
    const body = market.figures.findPart(country, part);
    if (body === null) return companies;
    try {
      const bytes = await decompress(body, MAX_PART_BYTES);
      const saved = JSON.parse(Buffer.from(bytes ?? []).toString()) as SavedCompany[];
      companies.push(...saved.map((company) => fromSaved(market, company, now)));
    } catch {
      return null;
    }
    await nextTurn();
  }
}

/** Saves the figures by `save`, in place of the saved ones. They are written as text part by part between other work. */
export async function saveCompanies(
  save: (state: string, parts: readonly FiguresPart[]) => Promise<void>,
  state: SavedState,
  companies: CompaniesByCountry,
): Promise<void> {
  const parts: FiguresPart[] = [];
  for (const country of COUNTRY_CODES) {
    const list = companies[country];
    for (let start = 0; start < list.length; start += COMPANIES_PER_PART) {
      const part = list.slice(start, start + COMPANIES_PER_PART).map((one) => toSaved(one));
      const body = await compress(Buffer.from(JSON.stringify(part)));
      parts.push({ country, body: shared(body) });
      await nextTurn();
    }
  }
  await save(JSON.stringify({ form: FORM, ...state }), parts);
}

/** Companies to compute. */
export interface CompaniesToCompute {
  readonly country: Country;
  readonly symbols: readonly string[];
  /** UTC milliseconds. */
  readonly now: number;
  /** The past day of the market, `YYYY-MM-DD`; null for today. */
  readonly day: string | null;
}

/**
 * The figures of these companies for another thread, which reads them by `readComputed`.
 *
 * @param market of the day of the companies
 */
export function computeForThread(
  market: MarketStore,
  { country, symbols, now, day }: CompaniesToCompute,
): string {
  const index = lazy(() => listIndexCloses(market, country));
  const withHistory = day === null;
  const found = market.readTogether(() =>
    symbols.map((symbol) =>
      findCompanyMetrics(market, { country, symbol }, now, index, { withHistory }),
    ),
  );
  return JSON.stringify(found.map((company) => company && toSaved(company, day !== null)));
}

/** The result of `computeForThread`, in the order of the symbols; null for each that is no listed company. */
export function readComputed(
  market: MarketStore,
  computed: string,
  now: number,
): (CompanyMetrics | null)[] {
  const saved = JSON.parse(computed) as (SavedCompany | null)[];
  return saved.map((company) => company && fromSaved(market, company, now));
}

/** The row is computed from the other figures. Without `history` or `year`, these are computed when they are read. */
type SavedCompany = Omit<CompanyMetrics, "row" | "history" | "year"> & {
  readonly history: LongFigures | null;
  readonly year?: CompanyMetrics["year"];
};

/** @param isPast true for a company of a past day, whose year is computed when it is read */
function toSaved(company: CompanyMetrics, isPast = false): SavedCompany {
  const left: readonly string[] = ["row", "history", ...(isPast ? ["year"] : [])];
  const names = Object.keys(company) as (keyof CompanyMetrics)[];
  const saved = names.flatMap((name) => (left.includes(name) ? [] : [[name, company[name]]]));
  const history = company.history instanceof CompanyHistory ? company.history.known : null;
  return { ...Object.fromEntries(saved), history } as SavedCompany;
}

function fromSaved(market: MarketStore, company: SavedCompany, now: number): CompanyMetrics {
  const { instrument, fundamentals, history: known, year } = company;
  const history = new CompanyHistory(market, instrument, { fundamentals, now, known });
  const read = { ...company, row: rollUpRow(company), history };
  return year === undefined
    ? withYear(market, read, () => listIndexCloses(market, instrument.country))
    : { ...read, year };
}

/** A copy that is sent to another thread without a further copy of all parts at once. */
function shared(bytes: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(bytes.length));
  copy.set(bytes);
  return copy;
}
