// Prints what the two computed answers cost: `bun run bench`. Nothing here is an assertion.
import { sectorStatistics } from "#analytics/sector-statistics.ts";
import { companyFundamentals } from "#analytics/valuation.ts";
import { askQuestion, createExecutor } from "#operations/execute.ts";
import { listCompanies } from "#operations/companies.ts";
import { OPERATIONS } from "#operations/index.ts";
import { openMarket } from "#store/index.ts";
import { formatTable } from "#lib/table.ts";
import { copySampleMarket, START, temporaryFolder } from "../support/service.ts";

const { folder, remove } = temporaryFolder();
copySampleMarket(folder);
const market = openMarket(folder);

/** The median of `rounds` runs in milliseconds, after as many to warm up. */
function medianMs(rounds: number, work: (round: number) => void): number {
  for (let round = 0; round < rounds; round++) work(round);
  const times = Array.from({ length: rounds }, (_, round) => {
    const start = performance.now();
    work(rounds + round);
    return performance.now() - start;
  });
  return times.sort((a, b) => a - b)[Math.floor(rounds / 2)] ?? Number.NaN;
}

function operation(name: string) {
  const found = OPERATIONS.find((one) => one.name === name);
  if (!found) throw new Error(`there is no operation ${name}`);
  return found;
}

// Each execution is later than the one before by more than the cache holds, so that all are cold.
let now = START;
const executor = createExecutor({ market, clock: () => (now += 31_000) });
const cold = (name: string, args: Record<string, string>) => () =>
  void executor.execute(askQuestion(operation(name), args));

const companies = (["US", "JP"] as const).flatMap(
  (country) => listCompanies(market, country, START).list,
);
const tenThousand = Array.from(
  { length: 10_000 },
  (_, i) => companies[i % companies.length],
).filter((company) => company !== undefined);
const [apple] = companies.filter(({ instrument }) => instrument.symbol === "AAPL");
const statements = market.statements.list({ country: "US", symbol: "AAPL" });

const rows = [
  [
    "technicals panel, cold",
    "≤ 1.5",
    medianMs(300, cold("get_stock_technicals", { country: "US", symbol: "AAPL" })),
  ],
  [
    "overview panel, cold",
    "",
    medianMs(300, cold("get_stock_overview", { country: "US", symbol: "AAPL" })),
  ],
  [
    "roll-up of 10,000 companies",
    "≤ 15",
    medianMs(30, () => void sectorStatistics(tenThousand, "2026-11-20")),
  ],
  [
    "fundamentals of one company",
    "",
    medianMs(300, () => {
      if (!apple) return;
      void companyFundamentals({
        instrument: apple.instrument,
        statements,
        price: 200,
        dividends: [],
        asOf: "2026-11-20",
      });
    }),
  ],
] as const;
process.stdout.write(
  formatTable(
    ["WHAT", "BUDGET MS", "MEDIAN MS"],
    rows.map(([what, budget, ms]) => [what, budget, ms.toFixed(3)]),
  ),
);
market.close();
remove();
