import { expect, test } from "bun:test";
import { technicals } from "#analytics/technicals.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import type { Panel } from "#domain/schema.ts";
import { overviewPanel, performancePanel, valuationPanel } from "#panels/overview-panel.ts";
import { statementsPanel } from "#panels/statements-panel.ts";
import { technicalsPanel } from "#panels/technicals-panel.ts";
import type { Company } from "#rollups/companies.ts";
import { parseDisplay } from "../support/display.ts";
import { openSampleMarket } from "../support/service.ts";

type Numbers = Readonly<Record<string, number | null>>;

/** The number behind each label of a company's panels, deliberately written a second time. */
function panelsOf(company: Company) {
  const { fundamentals: f, newest, limits, performance: p, changePercent } = company;
  return [
    [
      overviewPanel(company),
      {
        Price: newest?.close ?? null,
        "Chg %": changePercent,
        Volume: newest?.volume ?? null,
        "Mkt cap": f.marketCap,
        "P/E": f.pe,
        "EPS dilTTM": f.epsTtm,
        "EPS dil growthTTM YoY": f.epsGrowthPercent,
        "Div yield %TTM": f.dividendYieldPercent,
        "Reference price": limits?.reference ?? null,
        "Ceiling price": limits?.ceiling ?? null,
        "Floor price": limits?.floor ?? null,
      },
    ],
    [
      valuationPanel(company),
      {
        "Mkt cap": f.marketCap,
        EV: f.enterpriseValue,
        "P/E": f.pe,
        "P/B": f.pb,
        "P/S": f.ps,
        "P/CF": f.priceToCashFlow,
        "P/FCF": f.priceToFreeCashFlow,
        PEGTTM: f.peg,
        "EV/EBITDATTM": f.evToEbitda,
        "EV/revenueTTM": f.evToRevenue,
      },
    ],
    [
      performancePanel(company),
      {
        "Perf %1W": p["1w"],
        "Perf %1M": p["1m"],
        "Perf %3M": p["3m"],
        "Perf %6M": p["6m"],
        "Perf %YTD": p["ytd"],
        "Perf %1Y": p["1y"],
        "Perf %5Y": p["5y"],
        "Perf %10Y": p["10y"],
      },
    ],
    [
      statementsPanel("income", company),
      {
        RevenueTTM: f.revenueTtm,
        "Revenue growthTTM YoY": f.revenueGrowthPercent,
        "Gross profitTTM": f.grossProfitTtm,
        "Op incomeTTM": f.operatingIncomeTtm,
        EBITDATTM: f.ebitdaTtm,
        "Net incomeTTM": f.netIncomeTtm,
        "EPS dilTTM": f.epsTtm,
        "EPS dil growthTTM YoY": f.epsGrowthPercent,
      },
    ],
    [
      statementsPanel("balance", company),
      {
        "Total assetsFQ": f.totalAssets,
        "Current assetsFQ": f.currentAssets,
        "Cash on handFQ": f.cash,
        "Total liabilitiesFQ": f.totalLiabilities,
        "Total debtFQ": f.totalDebt,
        "Net debtFQ": f.netDebt,
        "Total equityFQ": f.totalEquity,
        "Current ratioFQ": f.currentRatio,
        "Quick ratioFQ": f.quickRatio,
        "Debt / equityFQ": f.debtToEquity,
        "Cash / debtFQ": f.cashToDebt,
      },
    ],
    [
      statementsPanel("cashflow", company),
      {
        "Operating CFTTM": f.operatingCashFlowTtm,
        "Investing CFTTM": f.investingCashFlowTtm,
        "Financing CFTTM": f.financingCashFlowTtm,
        FCFTTM: f.freeCashFlowTtm,
        CAPEXTTM: f.capitalExpenditureTtm,
      },
    ],
    [
      statementsPanel("ratios", company),
      {
        "Gross marginTTM": f.grossMarginPercent,
        "Operating marginTTM": f.operatingMarginPercent,
        "Net marginTTM": f.netMarginPercent,
        "FCF marginTTM": f.fcfMarginPercent,
        ROETTM: f.roePercent,
        ROICTTM: f.roicPercent,
        ROATTM: f.roaPercent,
        "FCF yieldTTM": f.fcfYieldPercent,
        "EV/EBITTTM": f.evToEbit,
        "Debt / equityFQ": f.debtToEquity,
        "Current ratioFQ": f.currentRatio,
      },
    ],
  ] as const satisfies readonly (readonly [Panel, Numbers])[];
}

/** The labels whose text is not a number, or whose number has no independent source. */
function faults(panel: Panel, numbers: Numbers, texts: readonly string[]): string[] {
  return Object.entries(panel).flatMap(([label, text]) => {
    if (texts.includes(label)) return [];
    const number = numbers[label];
    if (number === undefined) return [`${label} is new: add its number to the table`];
    if (number === null) return text === "—" ? [] : [`${label} is ${text}, but missing`];
    const { value, tolerance } = parseDisplay(text);
    return Math.abs(value - number) <= tolerance ? [] : [`${label} is ${text}, but ${number}`];
  });
}

const TEXTS = [
  "Name",
  "Price date",
  "Analyst rating",
  "Fiscal periodCurrent",
  "Fiscal period endCurrent",
  "Rounding",
];
const RATINGS = ["Name", "Price date", "Tech rating", "MA rating", "Os rating"];

test("every display value of the sample market parses back to its number", async () => {
  const { market, rollups, close } = openSampleMarket();
  await rollups.update();
  let values = 0;
  for (const country of COUNTRY_CODES) {
    for (const company of rollups.get(country).list) {
      const { instrument } = company;
      const t = technicals(market.bars.series(instrument.id, 300));
      const found = [
        ...panelsOf(company).flatMap(([panel, numbers]) => {
          values += Object.keys(numbers).length;
          return faults(panel, numbers, TEXTS);
        }),
        ...faults(
          technicalsPanel(instrument, company.newest, t),
          {
            "RSI (14)": t.rsi,
            "MACD (12,26)Level": t.macdLevel,
            "MACD (12,26)Signal": t.macdSignal,
            "Stoch (14,3,3)%K": t.stochK,
            "Stoch (14,3,3)%D": t.stochD,
            "CCI (20)": t.cci,
            "Mom (10)": t.momentum,
            AO: t.awesomeOscillator,
          },
          RATINGS,
        ),
      ];
      expect([instrument.symbol, found]).toEqual([instrument.symbol, []]);
    }
  }
  expect(values).toBeGreaterThan(25_000);
  close();
});
