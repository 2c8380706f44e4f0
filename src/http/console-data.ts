import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { CURRENCIES } from "#domain/currency.ts";
import { invalidArgument, notFound } from "#domain/errors.ts";
import { formatLocalSector, LOCAL_SECTORS } from "#domain/local-sectors.ts";
import { REASONS } from "#domain/reasons.ts";
import type { JsonSchema } from "#domain/schema.ts";
import { INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";
import { BOARDS } from "#domain/exchanges.ts";
import { closest } from "#lib/closest.ts";
import { mapInTurns } from "#lib/next-turn.ts";
import { decodeRequest, readPayload } from "#operations/execute.ts";
import { getMacroHistory } from "#operations/get-macro-history.ts";
import { getMacroIndicators } from "#operations/get-macro-indicators.ts";
import { getStockPriceHistory } from "#operations/get-stock-price-history.ts";
import { OPERATIONS, type PayloadOf } from "#operations/index.ts";
import { type Distribution, distributionOf } from "./distribution.ts";
import { screenStocks } from "#operations/screen-stocks.ts";
import { type IndicatorLines, indicatorLines, WARM_UP_BARS } from "./indicator-lines.ts";
import { routesOf } from "#operations/operation.ts";
import { METRICS_SCHEMA } from "#operations/reading/metric-query.ts";
import { createDocumentAnswer } from "./answers.ts";
import { type JsonAnswer, PRIVATE_ANSWER } from "./console-answers.ts";
import { endpoint, marketEndpoint } from "./console-endpoint.ts";
import { formatOf, readRestCall, requestOf, RestAnswers } from "./rest-endpoint.ts";

/** `GET data/get_stock_overview?country=US&symbol=AAPL`: the answer of the REST route of that name, not counted against a token. */
export const DATA_ENDPOINTS = [
  marketEndpoint({
    route: "GET data/:operation",
    async handle({ parts, visit, param }, read) {
      const { operation, route } = findRoute(param("operation"));
      const call = readRestCall(operation, route, visit.request, {});
      if (call.linked) throw needsToken();
      const format = formatOf(call, visit.request);
      const cached = await read(requestOf(call, format));
      return answersOf(parts.clock).write(visit.request, call, format, cached, null);
    },
  }),
  endpoint({
    route: "GET company-names/:language",
    role: "user",
    /** The names of instruments in a language of the console, by `JP:7203`; none in English. */
    handle: ({ parts, param }) => parts.namesIn(param("language")),
  }),
  endpoint({
    route: "GET vocabulary",
    role: "user",
    /** What arguments can name. A browser keeps it, and asks whether it is still the same. */
    handle: ({ visit }): JsonAnswer<Vocabulary> => answerVocabulary(visit.request, ""),
  }),
  marketEndpoint({
    route: "GET macro-lines",
    /** The newest figures of each macro series of a country, oldest first, as `get_macro_history` has them on a day. */
    async handle({ visit }, read): Promise<Record<string, number[]>> {
      const of = { country: visit.query.get("country"), known_on: visit.query.get("known_on") };
      const indicators = await readPayload<PayloadOf<"get_macro_indicators">>(
        await read(decodeRequest(getMacroIndicators, of)),
      );
      // Together, because in a busy service each of them waits for its place.
      const lines = await mapInTurns(Object.values(indicators).flat(), async ({ name }) => {
        const args = { ...of, series: name, limit: LINE_POINTS };
        const { rows } = await readPayload<PayloadOf<"get_macro_history">>(
          await read(decodeRequest(getMacroHistory, args)),
        );
        return [name, rows.map((row) => Number(row.at(-1)))] as const;
      });
      return Object.fromEntries(lines);
    },
  }),
  marketEndpoint({
    route: "GET indicator-lines",
    /**
     * RSI (14) and MACD (12, 26, 9) at the newest `limit` bars of an instrument, oldest first; null where there are
     * too few bars. Country, symbol, interval, adjust and limit mean the same as in `get_stock_price_history`.
     */
    async handle({ visit }, read): Promise<IndicatorLines> {
      const asked = Object.fromEntries(visit.query);
      const rows = Number(asked["limit"] ?? MAX_CLOSES - WARM_UP_BARS);
      const limit = Math.min(MAX_CLOSES, rows + WARM_UP_BARS);
      const args = { ...asked, from: FIRST_DATE, fields: "close", snapshot: false, limit };
      const history = await readPayload<PayloadOf<"get_stock_price_history">>(
        await read(decodeRequest(getStockPriceHistory, args)),
      );
      return indicatorLines(history, rows);
    },
  }),
  marketEndpoint({
    route: "GET distribution",
    /** The distribution of a metric over the companies of a screen. It takes the arguments of `screen_stocks`. */
    async handle({ visit }, read): Promise<Distribution> {
      const [route] = routesOf(screenStocks);
      const args = { ...Object.fromEntries(visit.query), limit: MAX_COMPANIES };
      const figures: number[] = [];
      for (let cursor: string | undefined, pages = 1; ; pages++) {
        const { rows, columns, next_cursor, currency } = await readPayload<
          PayloadOf<"screen_stocks">
        >(await read(decodeRequest(screenStocks, { ...args, cursor }, route)));
        const at = columns.indexOf(visit.query.get("metrics") ?? "");
        for (const row of rows) if (typeof row[at] === "number") figures.push(row[at]);
        if (next_cursor === null || pages === MAX_PAGES) return distributionOf(figures, currency);
        cursor = next_cursor;
      }
    },
  }),
] as const;

/** A metric of screens and comparisons, as the OpenAPI document describes it. */
interface MetricWords {
  readonly title?: string;
  readonly description: string;
  readonly group: string;
  readonly unit: string;
  /** Which values a shareholder prefers; left out if neither. */
  readonly better?: "low" | "high";
}

/**
 * What arguments can name: metrics, sectors and industries by their slugs, currencies, and the exchanges and classes of each country.
 * `reasons` are of missing figures.
 */
interface Vocabulary {
  readonly metrics: Readonly<Record<string, MetricWords>>;
  readonly sectors: readonly string[];
  readonly industries: readonly string[];
  readonly exchanges: Readonly<Record<string, readonly string[]>>;
  readonly localSectors: Readonly<Record<string, readonly string[]>>;
  readonly currencies: readonly string[];
  readonly reasons: typeof REASONS;
}

const METRICS = METRICS_SCHEMA["properties"] as Readonly<Record<string, JsonSchema>>;

const ofCountries = <T>(valueOf: (country: Country) => T) =>
  Object.fromEntries(COUNTRY_CODES.map((country) => [country, valueOf(country)]));

const answerVocabulary = createDocumentAnswer(
  () =>
    JSON.stringify({
      metrics: Object.fromEntries(
        Object.entries(METRICS).map(([name, { title, description, ...more }]) => [
          name,
          {
            title,
            description,
            group: more["x-group"],
            unit: more["x-unit"],
            better: more["x-better"],
          } as MetricWords,
        ]),
      ),
      sectors: [...SECTORS.keys()],
      industries: [...INDUSTRIES.keys()],
      exchanges: ofCountries((country) =>
        BOARDS.filter((one) => one.country === country).map(({ name }) => name),
      ),
      localSectors: ofCountries((country) =>
        LOCAL_SECTORS.filter((one) => one.country === country).map(formatLocalSector),
      ),
      currencies: CURRENCIES,
      reasons: REASONS,
    } satisfies Vocabulary),
  { ...PRIVATE_ANSWER, "Cache-Control": "no-cache" },
);

/** The companies of a page of a screen. */
const MAX_COMPANIES = 1_000;
/** More companies than three countries have. */
const MAX_PAGES = 20;
/** The observations of a small line. */
const LINE_POINTS = 40;
/** The most closes of a call. */
const MAX_CLOSES = 3_000;
/** A date before every price. */
const FIRST_DATE = "1900-01-01";

const needsToken = () =>
  invalidArgument("as=csv_link needs a token. Here, use format=csv.", { param: "as" });

const answers = new WeakMap<() => number, RestAnswers>();

/** The answers on that clock, which share their compressed bodies. */
function answersOf(clock: () => number): RestAnswers {
  let made = answers.get(clock);
  if (!made) answers.set(clock, (made = new RestAnswers(PRIVATE_ANSWER, clock)));
  return made;
}

/** Every REST route that reads, with its operation. The console changes lists by endpoints of its own. */
const ROUTES = OPERATIONS.filter(({ right }) => !right).flatMap((operation) =>
  routesOf(operation).map((route) => ({ operation, route })),
);

function findRoute(name: string) {
  const found = ROUTES.find(({ route }) => route.name === name);
  if (found) return found;
  const near = closest(
    name,
    ROUTES.map(({ route }) => route.name),
  );
  throw notFound(`There is no operation of this name${near ? `; did you mean ${near}?` : "."}`);
}
