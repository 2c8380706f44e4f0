import { type Static, Type } from "@sinclair/typebox";
import { isOfHistory, isOfYear, type MetricName, METRICS } from "#analytics/metrics.ts";
import { COUNTRIES, type Country, COUNTRY_CODES } from "#domain/country.ts";
import { DateOutput, Nullable, TableOutput } from "#domain/schema.ts";
import type { Table } from "#lib/table.ts";
import type { CompanyMetrics } from "#rollups/companies.ts";
import type { CountryRollup } from "#rollups/country-rollup.ts";
import { ConvertedCompanies } from "#rollups/converted-companies.ts";
import { rateNeeds } from "#rollups/currency-rates.ts";
import { CurrencyInput, RatesOutput, ratesOf, withRates } from "./conversion.ts";
import type { DecodedArguments } from "./reading/decode.ts";
import { ConditionsInput, CountriesInput, MetricListInput } from "./reading/inputs.ts";
import { readAmong } from "./portfolio/list-references.ts";
import {
  AnySectorInput,
  ExchangeInput,
  type IndustryFilter,
  readIndustry,
  readLocalSector,
  sectorTest,
  boardTest,
} from "./reading/company-filters.ts";
import { splitColumns, TEXT_COLUMNS, type TextColumn } from "./reading/text-columns.ts";
import { parseMetrics, parseSort } from "./reading/metric-query.ts";
import { inSlices } from "./metric-ranks.ts";
import { whyOfCompanies } from "./metric-reasons.ts";
import {
  columnReader,
  conditionTest,
  type MedianOf,
  medianReader,
  metricReader,
} from "./metric-values.ts";
import { countryNeeds, optionalCountryNeeds } from "./needs.ts";
import { COMPANY_FACTS } from "./known-day.ts";
import { defineOperation, type OperationContext } from "./operation.ts";
import { type Condition, parseScreen } from "./reading/screen-language.ts";
import { describeLimit } from "./screen-limits.ts";
import { formatCursor, parseCursor, takePage } from "./screen-page.ts";
import { formatKey } from "./reading/symbols.ts";
import { withoutCurrency } from "./reading/written-conditions.ts";

const DEFAULT_LIMIT = 10;
const DEFAULT_SORT = "-market_cap";
/** The maximum number of values on a page: more could exceed 20,000 tokens. */
const MAX_VALUES = 3_000;
/** The maximum number of rows on a page for a tool, and over REST, where programs read them. */
const TOOL_ROWS = 100;
const REST_ROWS = 1_000;
const NAME = "screen_stocks";
const TITLE = "Stock screener";
const PATH = "/data/stocks/screen";
const DEFAULT_METRICS = ["price", "change_percent", "market_cap", "pe"] as const;

const inputWith = (maxRows: number) =>
  Type.Object({
    country: CountriesInput,
    sector: Type.Optional(AnySectorInput("Sector slug, Tokyo's 33 or ICB: 電気機器.")),
    industry: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 60,
        description: "Words of an industry's name: semicon.",
        example: "semicon",
      }),
    ),
    exchange: Type.Optional(ExchangeInput),
    where: Type.Optional(
      ConditionsInput(
        "Conditions: pe<20,revenue_growth>=10,market_cap>10B or return_1y<0. Commas bind tighter than or; percent as 10, not 0.1. Also pe<pe_5y_median, pe<industry.pe_median, roe>sector.roe_median, list:sp500, list:NAME.",
        "pe<20,revenue_growth>10",
      ),
    ),
    sort: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        default: DEFAULT_SORT,
        description: "pe ascending, -market_cap descending, both:change_percent top and bottom.",
      }),
    ),
    metrics: Type.Optional(
      MetricListInput(
        "Columns: volume, pe, pb, fcf_yield, dividend_yield, revenue, net_margin, roe, debt_to_equity, return_1d to return_10y, beta, rsi, sector, industry, exchange, local_sector, rating (1 strong buy to 5 strong sell), target_upside and others; compare_stocks with metrics=all has every name.",
      ),
    ),
    currency: Type.Optional(
      CurrencyInput("Of amounts, conditions and returns; USD for several countries."),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxRows,
        default: DEFAULT_LIMIT,
        description: "Maximum rows.",
      }),
    ),
    cursor: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: "The last next_cursor." }),
    ),
  });

/**
 * Conditions with amounts in the currency of the screen, and the classes of its countries.
 *
 * @throws BourseError for another currency, and for a class of another country
 */
function readForCountries(args: DecodedArguments): DecodedArguments {
  const { where, country, currency } = args as Partial<Record<string, string>>;
  if (country === undefined) return args;
  const read = readLocalSector(args, countriesOf(country));
  return where === undefined ? read : { ...read, where: withoutCurrency(where, country, currency) };
}

export const screenStocks = defineOperation({
  name: NAME,
  set: "company",
  title: TITLE,
  description:
    "Finds and ranks the companies of a country by figures: cheapest, largest, fastest growing, movers of the day. For named stocks use compare_stocks, to find a name list_symbols.",
  path: PATH,
  notRewound: COMPANY_FACTS,
  input: inputWith(TOOL_ROWS),
  complete: readForCountries,
  routes: [
    {
      name: NAME,
      title: TITLE,
      path: PATH,
      input: inputWith(REST_ROWS),
      complete: readForCountries,
    },
  ],
  output: Type.Object({
    ...TableOutput,
    total: Type.Integer({ description: "Number of companies that meet the conditions." }),
    of: Type.Integer({ description: "Number of companies of the countries." }),
    by_country: Type.Optional(
      Type.Record(Type.String(), Type.Integer(), {
        description: "Of several countries, the number that meets the conditions in each.",
      }),
    ),
    session: Nullable(
      DateOutput(
        "Newest session of the prices, YYYY-MM-DD; null without prices. If rows have older ones, the column to_session has each.",
      ),
    ),
    currency: Type.String({ description: "ISO code of the currency of amounts: USD." }),
    rates: Type.Optional(RatesOutput),
    industries: Type.Optional(
      Type.Array(Type.String(), { description: "Names of the industries that industry matched." }),
    ),
    note: Type.Optional(
      Type.String({
        description: "What was probably meant otherwise: percent: 0.03 is 0.03 %; for 3 % write 3.",
      }),
    ),
    emptied_by: Nullable(
      Type.String({
        description:
          "The condition, sector, industry or exchange that no remaining company met; null if total is above 0.",
      }),
    ),
    limits: Type.Optional(
      Type.Array(Type.String(), {
        description:
          "Conditions that all companies meet, or none, with the unit and the range of the figure.",
      }),
    ),
    next_cursor: Nullable(
      Type.String({ description: "Value of cursor for the next page; null on the last page." }),
    ),
  }),
  needs: ({ country, currency }) => [
    ...countriesOf(country).flatMap((one) => [
      ...countryNeeds(["instruments"], one),
      ...optionalCountryNeeds(["classifications", "quotes"], one),
    ]),
    ...(isLocal(country, currency) ? [] : rateNeeds(currencyOf(country, currency))),
  ],
  companiesOf: ({ country }) => countriesOf(country),
  prepare(input, context) {
    const plan = planOf(input, context);
    const { country, currency } = input;
    const isPast = context.market.knownOn !== null;
    const isSlow = plan.metrics.some(
      (name) => isOfHistory(METRICS[name]) || (isPast && isOfYear(METRICS[name])),
    );
    if (!isSlow && isLocal(country, currency)) return undefined;
    return computeInSlices(plan).then((screened) => void SCREENED.set(input, screened));
  },
  handle(input, context) {
    const screened = SCREENED.get(input) ?? screenAll(planOf(input, context));
    SCREENED.delete(input);
    const { plan, kept, emptiedBy, session, differ, columns, page } = screened;
    const { currency, figures, lists, metrics, medians, texts, sort } = plan;
    const last = page.rows.at(-1);
    const limits = plan.conditions.flatMap(
      (condition) => describeLimit(condition, plan.companies, figures) ?? [],
    );
    const readers = metrics.map((name) => columnReader(name, figures));
    const whyOfCompany = whyOfCompanies(context.market, ({ row }) => page.rows[row]?.company);
    return {
      data: {
        columns,
        rows: page.rows.map(({ company }) => [
          ...(lists.length > 1 ? [company.instrument.country] : []),
          company.instrument.symbol,
          company.instrument.name,
          ...texts.map((column) => TEXT_COLUMNS[column](company.instrument)),
          ...readers.map((reader) => reader(company)),
          ...medians.map((median) => plan.medianOf(company, median)),
          ...(differ ? [sessionOf(company)] : []),
        ]),
        total: kept.length,
        of: plan.companies.length,
        ...(lists.length > 1 && { by_country: countByCountry(input.country, kept) }),
        session,
        currency,
        ...(!isLocal(input.country, input.currency) &&
          figures.rates.used.length > 0 && { rates: ratesOf(figures.rates) }),
        ...(plan.industries && { industries: [...plan.industries.names] }),
        ...(plan.notes.length > 0 && { note: plan.notes.join("; ") }),
        emptied_by: emptiedBy,
        ...(limits.length > 0 && { limits }),
        next_cursor: page.hasMore && last ? formatCursor(last, sort) : null,
      },
      from: [
        ...lists.flatMap((list) => list.from),
        ...page.rows.flatMap(({ company }) => company.analysts?.from ?? []),
        ...figures.rates.from,
      ],
      why: (gap) => (gap.isList ? "no_match" : whyOfCompany(gap)),
    };
  },
  table: ({ rates, total, next_cursor: cursor, ...data }, { country }) => ({
    ...withRates(withContext(data, country), rates),
    total,
    next: cursor === null ? null : { cursor },
  }),
});

type Input = Static<ReturnType<typeof inputWith>>;

/** The rows with their country, session and currency, which a file does not say elsewhere. */
function withContext(
  data: Table & { readonly session: string | null; readonly currency: string },
  country: string,
): Table {
  const { columns, rows, session, currency } = data;
  const [first = null] = countriesOf(country);
  const before = columns.includes("country") ? [] : [["country", first] as const];
  const after = [
    ...(columns.includes("to_session") ? [] : [["to_session", session] as const]),
    ["currency", currency] as const,
  ];
  return {
    columns: [...before.map(([name]) => name), ...columns, ...after.map(([name]) => name)],
    rows: rows.map((row) => [
      ...before.map(([, value]) => value),
      ...row,
      ...after.map(([, value]) => value),
    ]),
  };
}

/** The countries of a screen, in the order of `COUNTRY_CODES`. */
function countriesOf(text: string): Country[] {
  const names = text.split(",");
  return COUNTRY_CODES.filter((country) => names.includes("all") || names.includes(country));
}

/** The currency that was asked for, the one of the country, or the US dollar for several countries. */
function currencyOf(country: string, currency: Input["currency"]): NonNullable<Input["currency"]> {
  const [first, ...others] = countriesOf(country);
  if (currency !== undefined) return currency;
  return first === undefined || others.length > 0 ? "USD" : COUNTRIES[first].currency;
}

/** True if all companies have prices in the currency of the answer. */
function isLocal(country: string, currency: Input["currency"]): boolean {
  const to = currencyOf(country, currency);
  return countriesOf(country).every((one) => COUNTRIES[one].currency === to);
}

/** The number of companies by country, 0 included. */
function countByCountry(
  country: string,
  companies: readonly CompanyMetrics[],
): Record<string, number> {
  const counts = Map.groupBy(companies, ({ instrument }) => instrument.country);
  return Object.fromEntries(countriesOf(country).map((one) => [one, counts.get(one)?.length ?? 0]));
}

const sessionOf = ({ newest }: CompanyMetrics) => newest?.date ?? null;

function newestOf(lists: readonly CountryRollup[]): string | null {
  return lists.reduce<string | null>(
    (newest, { session }) => ((session ?? "") > (newest ?? "") ? session : newest),
    null,
  );
}

/** A screen as its arguments say it. @throws BourseError `invalid_argument` with the part that cannot be read */
export function readScreen({ where, sort = DEFAULT_SORT, metrics }: Partial<Input>) {
  const screen: readonly Condition[][] = where === undefined ? [[]] : parseScreen(where);
  return { screen, sort: parseSort(sort), ...chooseColumns(metrics) };
}

/** What a screen asks of each company. */
function planOf(input: Input, { market, rollups }: Pick<OperationContext, "market" | "rollups">) {
  const currency = currencyOf(input.country, input.currency);
  const figures = new ConvertedCompanies(market, currency);
  const lists = countriesOf(input.country).map((country) => rollups.get(country));
  const medianOf = medianReader(rollups);
  const { screen, sort, texts, metrics: chosen } = readScreen(input);
  const among = readAmong(input);
  const industries =
    input.industry === undefined ? null : readIndustry(input.industry, countriesOf(input.country));
  const conditions = screen.flat();
  const asked = conditions.flatMap(({ metric, right }) =>
    right.kind === "metric" ? [metric, right.metric] : [metric],
  );
  const metrics = [...new Set<MetricName>([...chosen, sort.metric, ...asked])];
  const medians = [
    ...new Map(
      conditions.flatMap(({ right }) => (right.kind === "median" ? [[right.name, right]] : [])),
    ).values(),
  ];
  const columns = ["symbol", "name", ...texts, ...metrics, ...medians.map(({ name }) => name)];
  return {
    currency,
    figures,
    lists,
    companies: lists.flatMap(({ list }) =>
      list.filter(({ instrument }) =>
        among ? among.has(formatKey(instrument)) : instrument.primaryListing,
      ),
    ),
    medianOf,
    industries,
    filters: [
      ...listFilters(input, industries),
      ...screenFilters(screen, input.where, figures, medianOf),
    ],
    conditions,
    notes: [...new Set(conditions.flatMap(({ note }) => note ?? []))],
    sort,
    texts,
    metrics,
    medians,
    columns: lists.length > 1 ? ["country", ...columns] : columns,
    after: input.cursor === undefined ? null : parseCursor(input.cursor, sort),
    limit: input.limit ?? DEFAULT_LIMIT,
  };
}

type Plan = ReturnType<typeof planOf>;

/** What `prepare` computed, until `handle` takes it. */
const SCREENED = new WeakMap<Input, Screened>();

/** A filter for each condition; one for all if there are alternatives. */
function screenFilters(
  screen: readonly (readonly Condition[])[],
  where: string | undefined,
  figures: ConvertedCompanies,
  medianOf: MedianOf,
): Filter[] {
  const [first = [], ...others] = screen.map((conditions) =>
    conditions.map((one) => ({ text: one.text, accepts: conditionTest(one, figures, medianOf) })),
  );
  if (others.length === 0) return first;
  const meetsAll = (filters: readonly Filter[], company: CompanyMetrics) =>
    filters.every(({ accepts }) => accepts(company));
  return [
    {
      text: where ?? "",
      accepts: (company) => [first, ...others].some((filters) => meetsAll(filters, company)),
    },
  ];
}

/** A screen at once. */
function screenAll(plan: Plan): Screened {
  const { kept, emptiedBy } = applyFilters(plan.companies, plan.filters);
  return screenedOf(plan, kept, emptiedBy);
}

function screenedOf(plan: Plan, kept: readonly CompanyMetrics[], emptiedBy: string | null) {
  const session = newestOf(plan.lists);
  // A suspended company has an older session than the others.
  const differ = kept.some((one) => (sessionOf(one) ?? session) !== session);
  const columns = differ ? [...plan.columns, "to_session"] : plan.columns;
  const page = pageOf(plan, kept, columns.length);
  return { plan, kept, emptiedBy, session, differ, columns, page };
}

/** The companies that meet the conditions, and a page of them. */
type Screened = ReturnType<typeof screenedOf>;

function pageOf(plan: Plan, kept: readonly CompanyMetrics[], columnCount: number) {
  const { figures, lists, sort, after, limit } = plan;
  const most = limit <= TOOL_ROWS ? Math.floor(MAX_VALUES / columnCount) : limit;
  const idOf = ({ instrument: { country, symbol } }: CompanyMetrics) =>
    lists.length > 1 ? `${country}:${symbol}` : symbol;
  const valueOf = metricReader(sort.metric, figures);
  return takePage(kept, sort, valueOf, idOf, Math.min(limit, most), after);
}

/** Screens in slices, and reads the figures of the page, so that all that are computed on first use are known. */
async function computeInSlices(plan: Plan): Promise<Screened> {
  const { companies, filters, figures, sort, metrics } = plan;
  const readKey = metricReader(sort.metric, figures);
  const kept: CompanyMetrics[] = [];
  await inSlices(companies, (company) => {
    if (!filters.every(({ accepts }) => accepts(company))) return;
    readKey(company);
    kept.push(company);
  });
  // All figures are known now, so the filter that removed the last company is found at once.
  const screened = kept.length === 0 ? screenAll(plan) : screenedOf(plan, kept, null);
  const readers = metrics.map((name) => metricReader(name, figures));
  await inSlices(screened.page.rows, ({ company }) => {
    for (const read of readers) read(company);
  });
  return screened;
}

/** The chosen columns: texts and metrics. @throws BourseError for an unknown name */
function chooseColumns(text: string | undefined): {
  readonly texts: readonly TextColumn[];
  readonly metrics: readonly MetricName[];
} {
  if (text === undefined) return { texts: [], metrics: DEFAULT_METRICS };
  const { texts, others } = splitColumns(text);
  return { texts, metrics: others === null ? [] : parseMetrics(others) };
}

/** A condition on companies, with the text that names it in an empty answer. */
interface Filter {
  readonly text: string;
  readonly accepts: (company: CompanyMetrics) => boolean;
}

function listFilters(
  { sector, industry, exchange }: Pick<Input, "sector" | "industry" | "exchange">,
  industries: IndustryFilter | null,
): Filter[] {
  const filters: Filter[] = [];
  const add = (text: string, test: (one: CompanyMetrics["instrument"]) => boolean) =>
    filters.push({ text, accepts: ({ instrument }) => test(instrument) });
  if (sector !== undefined) add(`sector ${sector}`, sectorTest(sector));
  if (industries !== null) add(`industry ${industry}`, industries.test);
  if (exchange !== undefined) add(`exchange ${exchange}`, boardTest(exchange));
  return filters;
}

/** The companies that meet all filters, and the filter that removed the last company. */
function applyFilters(
  companies: readonly CompanyMetrics[],
  filters: readonly Filter[],
): { kept: readonly CompanyMetrics[]; emptiedBy: string | null } {
  let kept = companies;
  for (const { text, accepts } of filters) {
    kept = kept.filter(accepts);
    if (kept.length === 0) return { kept, emptiedBy: text };
  }
  return { kept, emptiedBy: null };
}
