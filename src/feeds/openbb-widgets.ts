import { COUNTRIES, COUNTRY_CODES } from "#domain/country.ts";
import { addDays, dateOf } from "#lib/date.ts";
import { type Cell, cellText } from "#lib/table.ts";
import type { FeedRequest } from "./layer.ts";
import { findFigures, getInstrument, getParameter, getSymbols, listBars } from "./request.ts";

/** A parameter of a widget, which is also its query parameter. */
interface Parameter {
  readonly paramName: string;
  readonly label: string;
  readonly description: string;
  /** The value at first. */
  readonly value: string;
  readonly type: "text" | "endpoint";
  readonly options?: readonly { readonly label: string; readonly value: string }[];
  /** The endpoint that lists the allowed values. */
  readonly optionsEndpoint?: string;
}

/** A column of a table: its field, header, and what its figures are; text if left out. */
export type Column = readonly [field: string, header: string, kind?: "number" | "int" | "percent"];

/** A tile of the workspace. */
export interface Widget {
  readonly name: string;
  readonly description: string;
  readonly category: string;
  readonly type: "table" | "metric" | "advanced_charting";
  /** Of the 40 columns of the workspace, and rows. */
  readonly gridData: { readonly w: number; readonly h: number };
  readonly params?: readonly Parameter[];
  /** The columns of a table whose columns are always the same. */
  readonly columns?: readonly Column[];
  readonly data?: Readonly<Record<string, unknown>>;
  /** The rows of a table or the figures of a metric; left out if other routes answer. */
  readonly answer?: (request: FeedRequest) => Promise<readonly object[]>;
}

/** A table as an operation gives it. */
interface Rows {
  readonly columns?: readonly string[] | undefined;
  readonly rows?: readonly (readonly unknown[])[] | undefined;
}

const MAX_ROWS = 100;
const EARNINGS_DAYS = 30;

/** The parameter that one click of the workspace sets in all widgets of a company. */
export const SYMBOL: Parameter = {
  paramName: "symbol",
  label: "Symbol",
  description: "A symbol in any notation: AAPL, 7203.T, HOSE:FPT, ^N225, USD/JPY",
  value: "AAPL",
  type: "text",
};
/** The parameter of all widgets of a country. */
export const COUNTRY = choice(
  "country",
  "Country",
  "The country of the companies",
  COUNTRY_CODES.map((code) => [code, COUNTRIES[code].name] as const),
);
const SECTOR: Parameter = {
  paramName: "sector",
  label: "Sector",
  description: "Companies of this sector only",
  value: "",
  type: "endpoint",
  optionsEndpoint: "sector-names",
};

const NAMES: readonly Column[] = [
  ["symbol", "Symbol"],
  ["name", "Name"],
];
const METRICS: readonly Column[] = [
  ["price", "Price", "number"],
  ["change_percent", "Change", "percent"],
  ["market_cap", "Market cap", "int"],
  ["pe", "P/E", "number"],
  ["dividend_yield", "Dividend yield", "percent"],
  ["revenue_growth", "Revenue growth", "percent"],
  ["return_1y", "Return 1y", "percent"],
];

const namesOf = (columns: readonly Column[]) => columns.map(([field]) => field).join(",");

/** All widgets, by their id, which is their endpoint too. */
export const WIDGETS: Readonly<Record<string, Widget>> = {
  quotes: {
    name: "Quotes",
    description: "Price and valuation of the given symbols",
    category: "Markets",
    type: "table",
    gridData: { w: 40, h: 10 },
    params: [
      {
        ...SYMBOL,
        paramName: "symbols",
        label: "Symbols",
        description: "Symbols in any notation, separated by commas",
        value: "AAPL,MSFT,7203.T,HOSE:FPT",
      },
    ],
    columns: [["country", "Country"], ...NAMES, ["currency", "Currency"], ...METRICS],
    answer: async ({ query, call }) =>
      toObjects(
        await call("compare_stocks", {
          symbols: getSymbols(query).join(","),
          metrics: namesOf(METRICS),
        }),
      ),
  },
  figures: {
    name: "Key figures",
    description: "Price and valuation of one company",
    category: "Company",
    type: "metric",
    gridData: { w: 40, h: 5 },
    params: [SYMBOL],
    answer: answerFigures,
  },
  chart: {
    name: "Chart",
    description: "Days, weeks and months, with dividends and splits",
    category: "Company",
    type: "advanced_charting",
    gridData: { w: 40, h: 18 },
    data: { defaultSymbol: "US:AAPL", updateFrequency: 600_000 },
  },
  history: {
    name: "Price history",
    description: "Bars of one symbol, adjusted for splits",
    category: "Company",
    type: "table",
    gridData: { w: 20, h: 12 },
    params: [
      SYMBOL,
      choice("range", "Range", "How far back", [
        ["1y", "1 year"],
        ["1m", "1 month"],
        ["6m", "6 months"],
        ["5y", "5 years"],
        ["max", "All"],
      ]),
    ],
    columns: [
      ["date", "Date"],
      ["open", "Open", "number"],
      ["high", "High", "number"],
      ["low", "Low", "number"],
      ["close", "Close", "number"],
      ["volume", "Volume", "int"],
    ],
    async answer({ query, call }) {
      const instrument = await getInstrument(call, getParameter(query, "symbol"));
      const { bars } = await listBars(call, instrument, { range: given(query, "range") ?? "1y" });
      return toObjects(bars ?? {});
    },
  },
  statements: {
    name: "Statements",
    description: "Lines of a statement by fiscal period, in the company's currency",
    category: "Company",
    type: "table",
    gridData: { w: 20, h: 12 },
    params: [
      SYMBOL,
      choice("type", "Statement", "Which statement", [
        ["income", "Income"],
        ["balance", "Balance sheet"],
        ["cashflow", "Cash flow"],
      ]),
      choice("period", "Period", "Years or quarters", [
        ["annual", "Years"],
        ["quarterly", "Quarters"],
      ]),
    ],
    answer: answerStatements,
  },
  screen: {
    name: "Screen",
    description: "Companies by figures, the largest first",
    category: "Markets",
    type: "table",
    gridData: { w: 20, h: 14 },
    params: [
      COUNTRY,
      SECTOR,
      {
        ...SYMBOL,
        paramName: "where",
        label: "Conditions",
        description: "Such as pe<15,revenue_growth>10",
        value: "",
      },
    ],
    columns: [...NAMES, ...METRICS],
    answer: async ({ query, call }) =>
      toObjects(
        await call("screen_stocks", {
          country: given(query, "country") ?? COUNTRY.value,
          sector: given(query, "sector"),
          where: given(query, "where"),
          sort: "market_cap:desc",
          metrics: namesOf(METRICS),
          limit: MAX_ROWS,
        }),
      ),
  },
  sectors: {
    name: "Sectors",
    description: "Change and valuation of the sectors of a country",
    category: "Markets",
    type: "table",
    gridData: { w: 20, h: 14 },
    params: [COUNTRY],
    columns: [
      ["slug", "Sector"],
      ["stocks", "Companies", "int"],
      ["market_cap", "Market cap", "int"],
      ["change_percent", "Change", "percent"],
      ["return_1y", "Return 1y", "percent"],
      ["pe_median", "P/E median", "number"],
    ],
    answer: async ({ query, call }) =>
      toObjects(
        await call("get_sectors", {
          country: given(query, "country") ?? COUNTRY.value,
          columns: "stocks,market_cap,change_percent,return_1y,pe_median",
        }),
      ),
  },
  releases: {
    name: "Economic calendar",
    description: "Coming economic publications, in UTC",
    category: "Economy",
    type: "table",
    gridData: { w: 20, h: 12 },
    params: [{ ...COUNTRY, description: "The country of the publications" }],
    columns: [
      ["date", "Date"],
      ["time", "Time (UTC)"],
      ["event", "Event"],
      ["importance", "Importance"],
      ["consensus", "Consensus"],
      ["previous", "Previous"],
      ["actual", "Actual"],
      ["unit", "Unit"],
    ],
    async answer({ query, call }) {
      const country = given(query, "country") ?? COUNTRY.value;
      return (await call("get_macro_calendar", { country, limit: MAX_ROWS })).events;
    },
  },
  earnings: {
    name: "Earnings calendar",
    description: `Reports of US companies in the next ${EARNINGS_DAYS} days`,
    category: "Markets",
    type: "table",
    gridData: { w: 20, h: 12 },
    columns: [
      ...NAMES,
      ["date", "Date"],
      ["session", "Session"],
      ["eps_estimate", "EPS estimate", "number"],
      ["market_cap", "Market cap", "int"],
    ],
    async answer({ call, now }) {
      const today = dateOf(now);
      const period = { from: today, to: addDays(today, EARNINGS_DAYS), limit: MAX_ROWS };
      return (await call("get_earnings_calendar", period)).earnings;
    },
  },
};

/** A parameter with a few values, the first of them at first. */
function choice(
  paramName: string,
  label: string,
  description: string,
  values: readonly (readonly [value: string, label: string])[],
): Parameter {
  const options = values.map(([value, text]) => ({ label: text, value }));
  return { paramName, label, description, value: options[0]?.value ?? "", type: "text", options };
}

/** The value of a query parameter, or undefined if it is empty, as workspaces send parameters without a value. */
const given = (query: URLSearchParams, name: string) => query.get(name) || undefined;

/** A table as a flat list of objects. */
function toObjects({ columns = [], rows = [] }: Rows): object[] {
  return rows.map((row) =>
    Object.fromEntries(columns.map((column, i) => [column, row[i] ?? null])),
  );
}

/** The known figures of one company, the price with its change. */
async function answerFigures({ query, call }: FeedRequest): Promise<object[]> {
  const { country, symbol, name, currency } = await getInstrument(
    call,
    getParameter(query, "symbol"),
  );
  const figures = await findFigures(
    call,
    `${country}:${symbol}`,
    METRICS.map(([field]) => field),
  );
  const change = figures?.get("change_percent") ?? null;
  return METRICS.flatMap(([field, header]) => {
    const value = figures?.get(field) ?? null;
    if (value === null || field === "change_percent") return [];
    const isPrice = field === "price";
    const label = isPrice ? `${name} (${currency ?? "points"})` : header;
    return [
      {
        label,
        value: cellText(value),
        ...(isPrice && change !== null && { delta: cellText(change) }),
      },
    ];
  });
}

/** The lines of a statement, each with a field for every fiscal period. */
async function answerStatements({ query, call }: FeedRequest): Promise<object[]> {
  const { country, symbol } = await getInstrument(call, getParameter(query, "symbol"));
  const { figures } = await call("get_stock_statements", {
    country,
    symbol,
    type: given(query, "type") ?? "income",
    period: given(query, "period") ?? "annual",
    figures: "only",
  });
  const { columns = [], rows = [] }: Rows = figures ?? {};
  const period = columns.indexOf("fiscal_period");
  return columns.flatMap((line, i) => {
    if (i === period) return [];
    const cells = rows.map((row) => [String(row[period]), (row[i] ?? null) as Cell] as const);
    return [{ line, ...Object.fromEntries(cells) }];
  });
}
