import { type Static, Type } from "@sinclair/typebox";
import { isOfHistory, type MetricName, METRICS } from "#analytics/metrics.ts";
import { COUNTRIES, CountryCode } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import { DateOutput, Nullable, TableOutput } from "#domain/schema.ts";
import { INDUSTRIES } from "#domain/taxonomy.ts";
import { closest } from "#lib/closest.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { CompanyMetrics } from "#rollups/companies.ts";
import type { MarketStore } from "#store/index.ts";
import { ConvertedCompanies } from "#rollups/converted-companies.ts";
import { rateNeeds } from "#rollups/currency-rates.ts";
import { CurrencyInput, rateColumns, RatesOutput, ratesOf } from "./conversion.ts";
import { MetricListInput, QueryInput, SectorInput } from "./inputs.ts";
import { parseConditions, parseMetrics, formatSort, parseSort, type Sort } from "./metric-query.ts";
import { columnReader, conditionTest, metricReader } from "./metric-values.ts";
import { countryNeeds, optionalCountryNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";

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
/** Columns of text, which `metrics` can name beside metrics. */
const TEXT_COLUMNS = ["sector", "industry"] as const;
const DEFAULT_METRICS = ["price", "change_percent", "market_cap", "pe"] as const;

const inputWith = (maxRows: number) =>
  Type.Object({
    country: CountryCode,
    sector: Type.Optional(SectorInput("Sector slug.")),
    industry: Type.Optional(
      Type.String({
        minLength: 2,
        maxLength: 60,
        description: "Part of an industry's name: semicon.",
        example: "semicon",
      }),
    ),
    where: Type.Optional(
      QueryInput(
        "Conditions that all must hold: pe<20,revenue_growth>=10,market_cap>10B (percent as 10, not 0.1).",
        "pe<20,revenue_growth>10",
        "conditions",
      ),
    ),
    sort: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 60,
        default: DEFAULT_SORT,
        description:
          "Metric to rank by: pe ascending, -market_cap descending, both:change_percent top and bottom.",
      }),
    ),
    metrics: Type.Optional(
      MetricListInput(
        "Columns: volume, pe, forward_pe, pb, ps, peg, ev_ebitda, fcf_yield, dividend_yield, revenue, eps_growth, net_margin, roe, debt_to_equity, return_1d to return_10y, high_52w, beta, rsi, sector, industry, rating (1 strong buy to 5 strong sell), target_upside and others; compare_stocks with metrics=all has every name.",
      ),
    ),
    currency: Type.Optional(CurrencyInput("USD or another, for amounts, conditions and returns.")),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: maxRows,
        default: DEFAULT_LIMIT,
        description: "Maximum number of rows.",
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: "The next_cursor of the previous page.",
      }),
    ),
  });

export const screenStocks = defineOperation({
  name: NAME,
  title: TITLE,
  description:
    "Finds and ranks the companies of a country by figures: cheapest, largest, fastest growing, movers of the day. For named stocks use compare_stocks, to find a name list_symbols.",
  path: PATH,
  input: inputWith(TOOL_ROWS),
  routes: [{ name: NAME, title: TITLE, path: PATH, input: inputWith(REST_ROWS) }],
  output: Type.Object({
    ...TableOutput,
    total: Type.Integer({ description: "Number of companies that meet all conditions." }),
    of: Type.Integer({ description: "Number of companies of the country." }),
    session: Nullable(
      DateOutput(
        "Newest session of the prices, YYYY-MM-DD; null without prices. If rows have older ones, the column to_session has each.",
      ),
    ),
    currency: Type.String({ description: "ISO code of the currency of amounts: USD." }),
    rates: Type.Optional(RatesOutput),
    emptied_by: Nullable(
      Type.String({
        description:
          "The condition, sector or industry that no remaining company met; null if total is above 0.",
      }),
    ),
    next_cursor: Nullable(
      Type.String({ description: "Value of cursor for the next page; null on the last page." }),
    ),
  }),
  needs: ({ country, currency }) => [
    ...countryNeeds(["instruments"], country),
    ...optionalCountryNeeds(["classifications", "quotes"], country),
    ...(currency === undefined ? [] : rateNeeds(currency)),
  ],
  companiesOf: ({ country }) => [country],
  prepare(input, { market, rollups }) {
    const { country, currency } = input;
    const plan = planOf(input, market);
    const isConverted = currency !== undefined && currency !== COUNTRIES[country].currency;
    const asked = [plan.sort.metric, ...plan.conditions.map(({ metric }) => metric)];
    if (!isConverted && !asked.some((name) => isOfHistory(METRICS[name]))) return undefined;
    return computeInSlices(rollups.get(country).list, plan);
  },
  handle(input, { market, rollups }) {
    const { country, limit = DEFAULT_LIMIT, cursor } = input;
    const { currency, figures, read, conditions, filters, sort } = planOf(input, market);
    const chosen = chooseColumns(input.metrics);
    const metrics = new Set<MetricName>([
      ...chosen.metrics,
      sort.metric,
      ...conditions.map(({ metric }) => metric),
    ]);

    const all = rollups.get(country);
    const companies = all.list.filter(({ instrument }) => instrument.primaryListing);
    const { kept, emptiedBy } = applyFilters(companies, filters);
    const after = cursor === undefined ? null : parseCursor(cursor, sort);
    // A suspended company has an older session than the others.
    const sessionOf = ({ newest }: CompanyMetrics) => newest?.date ?? null;
    const differ = kept.some((one) => (sessionOf(one) ?? all.session) !== all.session);
    const sessions = differ ? ["to_session"] : [];
    const columns = ["symbol", "name", ...chosen.texts, ...metrics, ...sessions];
    const isForTool = limit <= TOOL_ROWS;
    const rowLimit = isForTool ? Math.min(limit, Math.floor(MAX_VALUES / columns.length)) : limit;
    const page = takePage(kept, sort, read(sort.metric), rowLimit, after);
    const last = page.rows.at(-1);

    const readers = [...metrics].map((name) => columnReader(name, figures));
    return {
      data: {
        columns,
        rows: page.rows.map(({ company }) => [
          company.instrument.symbol,
          company.instrument.name,
          ...chosen.texts.map((column) => company.instrument[column]),
          ...readers.map((reader) => reader(company)),
          ...(differ ? [sessionOf(company)] : []),
        ]),
        total: kept.length,
        of: companies.length,
        session: all.session,
        currency,
        ...(input.currency !== undefined &&
          figures.rates.used.length > 0 && { rates: ratesOf(figures.rates) }),
        emptied_by: emptiedBy,
        next_cursor: page.hasMore && last ? formatCursor(last, sort) : null,
      },
      from: [
        ...all.from(),
        ...page.rows.flatMap(({ company }) => company.analysts?.from ?? []),
        ...figures.rates.from,
      ],
    };
  },
  table({ columns, rows, rates = [], total, next_cursor: cursor }) {
    const used = rateColumns(rates);
    return {
      columns: [...columns, ...used.columns],
      rows: rows.map((row) => [...row, ...used.values]),
      total,
      next: cursor === null ? null : { cursor },
    };
  },
});

/** What a screen asks of each company. */
function planOf(input: Static<ReturnType<typeof inputWith>>, market: MarketStore) {
  const { currency = COUNTRIES[input.country].currency } = input;
  const figures = new ConvertedCompanies(market, currency);
  const conditions = input.where === undefined ? [] : parseConditions(input.where);
  const filters = [
    ...listFilters(input),
    ...conditions.map((one) => ({ text: one.text, accepts: conditionTest(one, figures) })),
  ];
  const read = (name: MetricName) => metricReader(name, figures);
  return {
    currency,
    figures,
    read,
    conditions,
    filters,
    sort: parseSort(input.sort ?? DEFAULT_SORT),
  };
}

/** Figures of several years, or of prices in another currency, take some 0.5 ms for each company. */
const COMPANIES_PER_SLICE = 20;

/** Reads what a screen needs in slices, so that the figures that are computed on first use are known. */
async function computeInSlices(
  companies: readonly CompanyMetrics[],
  { filters, read, sort }: ReturnType<typeof planOf>,
): Promise<void> {
  const readKey = read(sort.metric);
  for (let start = 0; start < companies.length; start += COMPANIES_PER_SLICE) {
    for (const company of companies.slice(start, start + COMPANIES_PER_SLICE))
      if (filters.every(({ accepts }) => accepts(company))) readKey(company);
    await nextTurn();
  }
}

/** The chosen columns: texts and metrics. @throws BourseError for an unknown name */
function chooseColumns(text: string | undefined) {
  if (text === undefined) return { texts: [], metrics: DEFAULT_METRICS };
  const names = text.split(",");
  const isText = (name: string, column: string) => name.trim().toLowerCase() === column;
  const left = names.filter((name) => !TEXT_COLUMNS.some((column) => isText(name, column)));
  return {
    texts: TEXT_COLUMNS.filter((column) => names.some((name) => isText(name, column))),
    metrics: left.length === 0 ? [] : parseMetrics(left.join(",")),
  };
}

/** A condition on companies, with the text that names it in an empty answer. */
interface Filter {
  readonly text: string;
  readonly accepts: (company: CompanyMetrics) => boolean;
}

function listFilters({ sector, industry }: { sector?: string; industry?: string }): Filter[] {
  const filters: Filter[] = [];
  if (sector !== undefined) {
    filters.push({ text: `sector ${sector}`, accepts: (one) => one.instrument.sector === sector });
  }
  if (industry !== undefined) {
    const slugs = findIndustries(industry);
    filters.push({
      text: `industry ${industry}`,
      accepts: (one) => slugs.has(one.instrument.industry ?? ""),
    });
  }
  return filters;
}

/** The slug of the industry with this name or slug, or of those that contain the text, in any case. */
function findIndustries(text: string): ReadonlySet<string> {
  const part = text.trim().toLowerCase();
  const all = [...INDUSTRIES.values()];
  const same = all.filter(({ name, slug }) => name.toLowerCase() === part || slug === part);
  const found = all.filter(
    ({ name, slug }) => name.toLowerCase().includes(part) || slug.includes(part),
  );
  if (found.length > 0) return new Set((same.length > 0 ? same : found).map(({ slug }) => slug));
  const near = closest(
    part,
    all.map(({ name }) => name),
  );
  throw new BourseError(
    "invalid_argument",
    `industry must be part of the name of an industry, not ${JSON.stringify(text)}.`,
    {
      param: "industry",
      hint: `${near === null ? "" : `Did you mean ${near}? `}Call get_sector_overview with level industry for all names.`,
    },
  );
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

/** A place in a screen: by key, then by symbol. */
interface Position {
  /** The value, negated for a descending order; infinite if it is unknown, so that it comes last. */
  readonly key: number;
  readonly symbol: string;
}

interface Ranked extends Position {
  readonly company: CompanyMetrics;
  readonly value: number | null;
}

/** Negative if `a` comes before `b`, for a sort. */
function compare(a: Position, b: Position): number {
  if (a.key !== b.key) return a.key < b.key ? -1 : 1;
  return a.symbol < b.symbol ? -1 : a.symbol > b.symbol ? 1 : 0;
}

const keyOf = (value: number | null, order: Sort["order"]): number =>
  value === null ? Infinity : order === "ascending" ? value : -value;

/** The first companies in order. Sorts only as many companies as needed: a screen shows ten of 10,000. */
function takeFirst(ranked: readonly Ranked[], count: number): Ranked[] {
  const last = Float64Array.from(ranked, ({ key }) => key).sort()[count - 1] ?? Infinity;
  return ranked
    .filter(({ key }) => key <= last)
    .sort(compare)
    .slice(0, count);
}

/** At most `limit` companies after a position; with `both` half of them from each end. */
function takePage(
  companies: readonly CompanyMetrics[],
  { order }: Sort,
  valueOf: (company: CompanyMetrics) => number | null,
  limit: number,
  after: Position | null,
): { rows: readonly Ranked[]; hasMore: boolean } {
  const ranked = companies.map((company): Ranked => {
    const value = valueOf(company);
    return { company, value, key: keyOf(value, order), symbol: company.instrument.symbol };
  });
  if (order === "both") return { rows: takeEnds(ranked, limit), hasMore: false };
  const left = after ? ranked.filter((one) => compare(one, after) > 0) : ranked;
  return { rows: takeFirst(left, limit), hasMore: left.length > limit };
}

/** The companies at both ends of a descending order. Those without a value are left out. */
function takeEnds(ranked: readonly Ranked[], limit: number): Ranked[] {
  const known = ranked.filter(({ value }) => value !== null);
  if (known.length <= limit) return takeFirst(known, limit);
  const bottom = Math.floor(limit / 2);
  const ascending = known.map((one) => ({ ...one, key: -one.key }));
  return [
    ...takeFirst(known, limit - bottom),
    ...(bottom > 0 ? takeFirst(ascending, bottom).toReversed() : []),
  ];
}

/** A cursor is opaque to callers. It names the sort and the last company of its page. */
function formatCursor({ value, symbol }: Ranked, sort: Sort): string {
  return Buffer.from(JSON.stringify([formatSort(sort), value, symbol])).toString("base64url");
}

function parseCursor(cursor: string, sort: Sort): Position {
  const [written, value, symbol] = decodeCursor(cursor);
  const isValue = value === null || typeof value === "number";
  if (written === formatSort(sort) && isValue && typeof symbol === "string") {
    return { key: keyOf(value, sort.order), symbol };
  }
  throw new BourseError(
    "invalid_argument",
    "cursor must be the next_cursor of a previous answer with the same sort; omit it for the first page.",
    { param: "cursor" },
  );
}

function decodeCursor(cursor: string): unknown[] {
  try {
    const decoded: unknown = JSON.parse(Buffer.from(cursor, "base64url").toString());
    return Array.isArray(decoded) ? decoded : [];
  } catch {
    return [];
  }
}
