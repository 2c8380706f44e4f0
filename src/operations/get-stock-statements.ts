import { Type } from "@sinclair/typebox";
import { listPeriods } from "#analytics/periods.ts";
import { CountryCode } from "#domain/country.ts";
import { DisplayPanel, type Panel, panelProperties, StringEnum } from "#domain/schema.ts";
import { dateOf } from "#lib/date.ts";
import { PERIOD_LABELS, STATEMENT_LABELS } from "#panels/labels.ts";
import { periodColumn, STATEMENT_TYPES, statementsPanel } from "#panels/statements-panel.ts";
import { getCompany } from "#rollups/companies.ts";
import type { InputKeywords } from "./decode.ts";
import { SymbolInput } from "./inputs.ts";
import { getInstrument, requireCompany } from "./instruments.ts";
import { instrumentNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";

const DEFAULT_PERIODS = 4;

export const getStockStatements = defineOperation({
  name: "get_stock_statements",
  title: "Financial statements",
  description:
    "Returns a company's income statement, balance sheet, cash flow or ratios: the latest figures (trailing twelve months, latest balance sheet). With period or limit it adds single fiscal periods, newest first. For price multiples use get_stock_overview.",
  path: "/data/stocks/{symbol}/statements",
  input: Type.Object({
    country: CountryCode,
    symbol: SymbolInput,
    type: {
      ...StringEnum(STATEMENT_TYPES, { description: "Type of statement." }),
      restLabel: "type (statementType)",
    } satisfies InputKeywords,
    period: Type.Optional(
      StringEnum(["annual", "quarterly"], {
        description: "Adds single fiscal years or quarters.",
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 40,
        description: `Maximum number of periods, ${DEFAULT_PERIODS} by default. Without period they are annual.`,
      }),
    ),
  }),
  output: Type.Object(
    {
      ...panelProperties(STATEMENT_LABELS),
      periods: Type.Optional(
        Type.Array(
          DisplayPanel("FiscalPeriodPanel", "Figures of one fiscal period.", PERIOD_LABELS),
        ),
      ),
      periods_total: Type.Optional(
        Type.Integer({
          description: "Number of all periods. A higher limit returns more of them.",
        }),
      ),
    },
    {
      description:
        "Text by display label. A fiscal year has the number that the company uses in its filings or, if the source does not give it, the calendar year in which it ends. Amounts are rounded to two decimals of K, M, B or T.",
    },
  ),
  needs: (input) => instrumentNeeds(input, ["statements"], ["bars", "instruments"]),
  handle({ country, symbol, type, period, limit }, { market, now }) {
    const instrument = getInstrument(market, { country, symbol });
    requireCompany(instrument, "statements");
    const company = getCompany(market, instrument, now);
    const panel: Panel = statementsPanel(type, instrument.name, company.fundamentals);
    if (period === undefined && limit === undefined) return { data: panel, from: company.from };
    const periods = listPeriods(
      market.statements.list(instrument),
      dateOf(now),
      period ?? "annual",
    );
    return {
      data: {
        ...panel,
        periods: periods
          .slice(0, limit ?? DEFAULT_PERIODS)
          .map((one) => periodColumn(type, one, instrument.industry)),
        periods_total: periods.length,
      },
      from: company.from,
    };
  },
});
