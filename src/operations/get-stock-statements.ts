import { Type } from "@sinclair/typebox";
import type { PeriodRatios } from "#analytics/period-fundamentals.ts";
import { listPeriods, periodFigures } from "#analytics/periods.ts";
import { CountryCode } from "#domain/country.ts";
import {
  DisplayPanel,
  Nullable,
  panelProperties,
  StringEnum,
  TableOutput,
} from "#domain/schema.ts";
import { BALANCE_ITEMS, type Statement } from "#domain/statement.ts";
import { dateOf } from "#lib/date.ts";
import type { Cell } from "#lib/table.ts";
import { formatFiscalPeriod, round2 } from "#panels/format.ts";
import {
  PERIOD_LABELS,
  REPORTED_TYPES,
  STATEMENT_LABELS,
  STATEMENT_TYPES,
  type StatementType,
} from "#panels/labels.ts";
import { type FiscalPeriod, periodColumn, statementsPanel } from "#panels/statements-panel.ts";
import { getCompany } from "#rollups/companies.ts";
import type { InputKeywords } from "./reading/decode.ts";
import { BeginsOutput, beginsOf } from "./horizon.ts";
import { DateInput, PERIOD_WORDS, SymbolInput } from "./reading/inputs.ts";
import { getInstrument, requireCompany } from "./reading/instruments.ts";
import { type Filed, filingPanel, getFiled, KnownOnOutput } from "./reading/known-on.ts";
import { instrumentNeeds } from "./needs.ts";
import { newestInputs, periodReader } from "./past-periods.ts";
import { COMPANY_FACTS } from "./known-day.ts";
import { defineOperation } from "./operation.ts";
import { whyOfStatements } from "./metric-reasons.ts";

const NAME = "get_stock_statements";
const TITLE = "Financial statements";
const PATH = "/data/stocks/{symbol}/statements";
const RATIOS_PATH = "/data/stocks/{symbol}/ratios";

const DEFAULT_PERIODS = 4;
const HEAD = ["fiscal_period", "period_end", "filing_date"];
const NO_FIGURES = { columns: [], rows: [] };

/** The line items of `figures` by type, as in `Statement` and `PeriodFigures`. */
export const LINE_ITEMS = {
  income: [
    "revenue",
    "costOfRevenue",
    "grossProfit",
    "researchAndDevelopment",
    "sellingGeneralAdministrative",
    "operatingIncome",
    "ebitda",
    "interestExpense",
    "ordinaryIncome",
    "pretaxIncome",
    "incomeTax",
    "netIncome",
    "epsDiluted",
    "sharesDiluted",
  ],
  balance: [...BALANCE_ITEMS, "totalEquity"],
  cashflow: [
    "operatingCashFlow",
    "investingCashFlow",
    "financingCashFlow",
    "capitalExpenditure",
    "freeCashFlow",
    "depreciationAndAmortization",
    "stockCompensation",
    "dividendsPaid",
    "shareRepurchases",
  ],
  ratios: [
    "grossMarginPercent",
    "operatingMarginPercent",
    "netMarginPercent",
    "fcfMarginPercent",
    "roicPercent",
    "fcfYieldPercent",
    "evToEbit",
    "debtToEquity",
    "currentRatio",
    "roePercent",
    "pe",
  ],
} as const satisfies Record<
  StatementType,
  readonly (keyof (Statement["items"] & ReturnType<typeof periodFigures> & PeriodRatios))[]
>;

const typeInput = (types: readonly StatementType[]) =>
  StringEnum(types, {
    description: "Type of statement.",
    aliases: {
      "income statement": "income",
      "balance sheet": "balance",
      "cash flow statement": "cashflow",
      "profit and loss": "income",
      "p&l": "income",
      損益計算書: "income",
      貸借対照表: "balance",
      キャッシュフロー計算書: "cashflow",
      "kết quả kinh doanh": "income",
      "bảng cân đối kế toán": "balance",
      "lưu chuyển tiền tệ": "cashflow",
      損益: "income",
      "báo cáo thu nhập": "income",
      "kết quả hoạt động kinh doanh": "income",
      "báo cáo kết quả kinh doanh": "income",
      "báo cáo lưu chuyển tiền tệ": "cashflow",
    },
  });

/** How to get the trailing twelve months, or one quarter or year. */
function correctPeriod(text: string): string | undefined {
  if (/^(?:ttm|ltm|trailing|latest)/i.test(text)) {
    return "Without period and limit the answer has the trailing twelve months.";
  }
  const kind = /^(?:\d{4} ?)?Q\d/i.test(text) ? "quarterly" : "annual";
  return /\d{4}/.test(text)
    ? `Use ${kind}, with a limit that reaches back to the fiscal period.`
    : undefined;
}

const subject = { country: CountryCode, symbol: SymbolInput };
const periods = {
  period: Type.Optional({
    ...StringEnum(["annual", "quarterly"], {
      description: "Adds single fiscal years or quarters.",
      aliases: PERIOD_WORDS,
    }),
    correction: correctPeriod,
  }),
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 40,
      description: `Maximum periods, ${DEFAULT_PERIODS} by default; annual without period.`,
    }),
  ),
  figures: Type.Optional({
    ...StringEnum(["true", "false", "only"], {
      description: "Adds the periods as raw numbers; only: nothing else.",
      exact: true,
    }),
    expected: "true or false, or only",
  }),
  known_on: Type.Optional(DateInput("As filed by this date")),
};

export const getStockStatements = defineOperation({
  name: NAME,
  set: "company",
  title: TITLE,
  description:
    "Returns a company's income statement, balance sheet, cash flow or ratios: the latest figures (trailing twelve months, latest balance sheet), and with period or limit single fiscal periods. For price multiples use get_stock_overview.",
  path: PATH,
  notRewound: COMPANY_FACTS,
  input: Type.Object({ ...subject, type: typeInput(STATEMENT_TYPES), ...periods }),
  routes: [
    {
      name: NAME,
      title: TITLE,
      path: PATH,
      input: Type.Object({
        ...subject,
        type: {
          ...typeInput(REPORTED_TYPES),
          label: "type (statementType)",
          expected: `one of ${REPORTED_TYPES.join(", ")} (ratios are at ${RATIOS_PATH})`,
        } satisfies InputKeywords,
        ...periods,
      }),
    },
    {
      name: "get_stock_ratios",
      title: "Financial ratios",
      path: RATIOS_PATH,
      input: Type.Object({ ...subject, ...periods }),
      implied: { type: "ratios" },
    },
  ],
  sourceKey: "Source",
  output: Type.Object(
    {
      ...panelProperties(STATEMENT_LABELS),
      periods: Type.Optional(
        Type.Array(
          DisplayPanel("FiscalPeriodPanel", "Figures of one fiscal period.", PERIOD_LABELS),
        ),
      ),
      known_on: Type.Optional(KnownOnOutput),
      periods_total: Type.Optional(
        Type.Integer({
          description: "Number of all periods. A higher limit returns more of them.",
        }),
      ),
      ...BeginsOutput,
      figures: Type.Optional(
        Type.Object(
          {
            currency: Nullable(
              Type.String({ description: "ISO code of the newest period's currency: USD." }),
            ),
            scale: Type.Integer({
              description: "Units of an amount: 1 means whole units of the currency.",
            }),
            ...TableOutput,
          },
          {
            description:
              "A row for each fiscal period, newest first, with raw numbers. filing_date is the day of publication; with known_on the day of the filing with these figures, and accession_number is its number at the SEC. Per-share figures are in units of the currency, margins in percent.",
          },
        ),
      ),
    },
    {
      description:
        "Text by display label. A fiscal year has the number that the company uses in its filings or, if the source does not give it, the calendar year in which it ends. After a move of the fiscal year, Q5 to Q7 are quarters between two years. Amounts are rounded to two decimals of K, M, B or T.",
    },
  ),
  tableArguments: { figures: "only" },
  table: ({ figures = NO_FIGURES, periods_total: total }) => ({ ...figures, total }),
  needs: (input) => instrumentNeeds(input, ["statements"], ["bars", "instruments"]),
  handle(args, { market, now }) {
    const { country, symbol, type, period, limit, figures = "false", known_on: day } = args;
    const instrument = getInstrument(market, { country, symbol });
    requireCompany(instrument, "statements");
    const today = dateOf(now);
    const past = day === undefined ? null : getFiled(market, instrument, day);
    const company = getCompany(market, instrument, now);
    const panel = figures === "only" ? {} : statementsPanel(type, company);
    const known = past && { known_on: past.known };
    const parts = { market, company: { ...company, instrument } };
    const hasPeriods = period !== undefined || limit !== undefined;
    if (!hasPeriods && figures === "false")
      return {
        data: { ...panel, ...known },
        from: company.from,
        why: whyOfStatements({ ...parts, shown: [], read: null }),
      };
    const statements = past?.statements ?? market.statements.list(instrument);
    const all = listPeriods(statements, today, period ?? "annual");
    const inputs =
      type === "ratios"
        ? newestInputs(market, instrument, company.newest?.close ?? null, today)
        : null;
    const read = inputs && periodReader(market, instrument, inputs);
    const shown = all.slice(0, limit ?? DEFAULT_PERIODS).map((statement) => ({
      statement,
      figures: {
        ...periodFigures(statement.items, instrument.industry),
        ...(read && ratiosOf(read(statement))),
      },
    }));
    return {
      data: {
        ...panel,
        ...known,
        ...(hasPeriods &&
          figures !== "only" && {
            periods: shown.map((one) => ({
              ...periodColumn(type, one),
              ...(past && filingPanel(one.statement)),
            })),
          }),
        periods_total: all.length,
        ...(limit !== undefined && limit > all.length && beginsOf(all.at(-1)?.periodEnd, "")),
        ...(figures !== "false" && { figures: figuresTable(type, shown, past !== null) }),
      },
      from: company.from,
      why: whyOfStatements({ ...parts, shown, read }),
    };
  },
});

/** No ratio of a fiscal period is known. */
export const NO_RATIOS: PeriodRatios = {
  roicPercent: null,
  fcfYieldPercent: null,
  evToEbit: null,
  roePercent: null,
  pe: null,
};

const ratiosOf = (figures: PeriodRatios): PeriodRatios => ({
  roicPercent: figures.roicPercent,
  fcfYieldPercent: figures.fcfYieldPercent,
  evToEbit: figures.evToEbit,
  roePercent: figures.roePercent,
  pe: figures.pe,
});

/** The raw figures of fiscal periods: a row for each, newest first. Ratios have two decimals. */
function figuresTable(type: StatementType, periods: readonly FiscalPeriod[], hasFilings: boolean) {
  // Only Japanese standards have this line.
  const isLineOf = (item: (typeof LINE_ITEMS)[StatementType][number]) =>
    item !== "ordinaryIncome" ||
    periods.some(({ statement }) => statement.items.ordinaryIncome !== null);
  const items = LINE_ITEMS[type].filter(isLineOf);
  const filing = hasFilings ? ["accession_number", "filing_date_assumed"] : [];
  return {
    currency: periods[0]?.statement.currency ?? null,
    scale: 1,
    columns: [...HEAD, ...filing, "currency", ...items.map(toSnakeCase)],
    rows: periods.map(({ statement, figures }): Cell[] => {
      const { span, fiscalYear, fiscalQuarter, periodEnd, filedOn, currency } = statement;
      const { accession = null, isFilingAssumed = false }: Filed = statement;
      const values = { ...NO_RATIOS, ...statement.items, ...figures };
      return [
        formatFiscalPeriod(fiscalYear, span === "year" ? null : fiscalQuarter),
        periodEnd,
        filedOn,
        ...(hasFilings ? [accession, isFilingAssumed] : []),
        currency,
        ...items.map((item) => (type === "ratios" ? round2(values[item]) : toExact(values[item]))),
      ];
    }),
  };
}

/** Without the noise of a difference: 79.67999999999999 as 79.68. Whole numbers stay as they are. */
const toExact = (value: number | null) =>
  value === null || Number.isInteger(value) ? value : Number(value.toPrecision(15));

/** `operatingCashFlow` as `operating_cash_flow`. */
export const toSnakeCase = (name: string) =>
  name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
