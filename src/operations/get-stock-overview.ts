import { Type } from "@sinclair/typebox";
import { analystFigures } from "#analytics/analyst-rating.ts";
import { CountryCode } from "#domain/country.ts";
import { DisplayPanel, InstantOutput } from "#domain/schema.ts";
import { INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";
import { dateOf } from "#lib/date.ts";
import { MISSING } from "#panels/format.ts";
import { localSectorOf } from "#domain/local-sectors.ts";
import { localName } from "#domain/translated-names.ts";
import { boardOf } from "#domain/exchanges.ts";
import {
  OVERVIEW_LABELS,
  PERFORMANCE_FROM_LABELS,
  PERFORMANCE_LABELS,
  VALUATION_LABELS,
} from "#panels/labels.ts";
import {
  overviewPanel,
  performanceFromPanel,
  performancePanel,
  valuationPanel,
} from "#panels/overview-panel.ts";
import { getCompany } from "#rollups/companies.ts";
import { tableOf } from "#lib/table.ts";
import { whyOfCompanies } from "./metric-reasons.ts";
import { SymbolInput } from "./reading/inputs.ts";
import { getInstrument } from "./reading/instruments.ts";
import { instrumentNeeds } from "./needs.ts";
import { COMPANY_FACTS } from "./known-day.ts";
import { defineOperation } from "./operation.ts";

export const getStockOverview = defineOperation({
  name: "get_stock_overview",
  set: "company",
  title: "Stock overview",
  description:
    "Returns one ticker at a glance: newest price, valuation, business and performance. Figures are text with units. For reported figures use get_stock_statements.",
  path: "/data/stocks/{symbol}/overview",
  notRewound: COMPANY_FACTS,
  input: Type.Object({ country: CountryCode, symbol: SymbolInput }),
  output: Type.Object({
    overview: DisplayPanel("OverviewPanel", "Newest price and headline figures.", OVERVIEW_LABELS),
    valuation: DisplayPanel(
      "ValuationPanel",
      "Market cap, enterprise value and multiples.",
      VALUATION_LABELS,
    ),
    business_model: Type.Object({
      business_summary: Type.String({ description: "Description of the business; — if unknown." }),
      employees: Type.Optional(
        Type.Integer({ description: "Number of employees; left out if unknown." }),
      ),
      sector: Type.String({
        description: "Name of the sector: Technology; — if unknown or not a company.",
      }),
      industry: Type.String({
        description: "Name of the industry: Semiconductors; — if unknown or not a company.",
      }),
      fetch_timestamp: InstantOutput("Time at which the profile was stored, UTC."),
    }),
    listing: Type.Object(
      {
        exchange: Type.Optional(Type.String({ description: "Exchange or segment: TSE Prime." })),
        local_sector: Type.Optional(
          Type.String({ description: "Class of its own market: Electric Appliances." }),
        ),
        local_sector_code: Type.Optional(
          Type.String({ description: "One of Tokyo's 33 sectors, or of ICB in Viet Nam: 3650." }),
        ),
      },
      { description: "Where it is listed. Unknown fields are left out." },
    ),
    performance: DisplayPanel(
      "PerformancePanel",
      "Change of the price over each window, up to the close of `Price date`, without dividends.",
      PERFORMANCE_LABELS,
    ),
    performance_from: DisplayPanel(
      "PerformanceFromPanel",
      "Session from whose close each window is measured, YYYY-MM-DD.",
      PERFORMANCE_FROM_LABELS,
    ),
  }),
  table: ({ overview, valuation, business_model, listing, performance, performance_from }) => {
    const panels = { overview, valuation, business_model, listing, performance, performance_from };
    const rows = Object.entries(panels).flatMap(([panel, figures]) =>
      Object.entries(figures).map(([label, value]) => ({ panel, label, value })),
    );
    return tableOf(["panel", "label", "value"], rows);
  },
  needs: ({ country, symbol }) => [
    ...instrumentNeeds(
      { country, symbol },
      [],
      ["statements", "dividends", "instruments", "analystCoverage", "quotes"],
    ),
    // A quote has price and change. Only the performance windows need bars.
    { kind: "bars", country, symbol, substitute: "quotes" },
  ],
  handle({ country, symbol }, { market, now }) {
    const instrument = getInstrument(market, { country, symbol });
    const company = getCompany(market, instrument, now);
    const coverage = market.documents.find("analystCoverage", country, symbol);
    const local = localName(instrument);
    const [board, localSector] = [boardOf(instrument), localSectorOf(instrument)];
    const analysts = coverage && analystFigures(coverage);
    const whyOfCompany = whyOfCompanies(market, () => ({ ...company, analysts }));
    return {
      data: {
        overview: {
          ...overviewPanel({ ...company, analysts }),
          ...(local !== null && { "Local name": local }),
          ...(instrument.delistedAt !== undefined && { Delisted: dateOf(instrument.delistedAt) }),
        },
        valuation: valuationPanel(company),
        business_model: {
          business_summary: instrument.summary ?? MISSING,
          ...(instrument.employees !== null && { employees: instrument.employees }),
          sector: SECTORS.get(instrument.sector ?? "")?.name ?? MISSING,
          industry: INDUSTRIES.get(instrument.industry ?? "")?.name ?? MISSING,
          fetch_timestamp: new Date(instrument.storedAt).toISOString(),
        },
        listing: {
          ...(board !== null && { exchange: board }),
          ...(localSector !== null && {
            local_sector: localSector.names[0],
            local_sector_code: localSector.code,
          }),
        },
        performance: performancePanel(company),
        performance_from: performanceFromPanel(company),
      },
      from: [...company.from, ...(coverage ? [coverage] : [])],
      why: (gap) => (gap.figure === "business_summary" ? "not_published" : whyOfCompany(gap)),
    };
  },
});
