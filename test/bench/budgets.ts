import { formatTable } from "#lib/table.ts";
import {
  HOT_LARGE,
  HOT_SMALL,
  MANY_KEYS,
  MANY_TOKENS,
  RATE_LIMITED,
  TOOLS_CALL,
  TOOLS_CALL_META,
  UNAUTHENTICATED,
} from "./cases.ts";
import { FLOOR, PROGRAM_NAMES } from "./contenders.ts";
import {
  AT_RATE,
  CALENDAR,
  CLUSTER_BUSY,
  importCase,
  IN_PROCESS,
  MILLION_BARS,
  nodeName,
  type Report,
  ROLL_UP_10X,
  PAST_FIRST,
  PAST_SCREEN,
  SCREEN,
  SEARCH_150K,
  SEARCH_15K,
  SECTOR_OVERVIEW,
  SOAK,
  STALLS,
  stallCase,
  type StallName,
  TECHNICALS,
} from "./report.ts";

/** A figure of a run by contender; null if it was not measured. */
type Figures = Readonly<Record<string, number | null>>;

/** A lower or upper limit for a figure. */
interface Budget {
  readonly name: string;
  readonly is: "≥" | "≤";
  readonly limit: number;
  readonly unit: string;
  /** The figures, which must all meet the limit. */
  readonly figures: (report: Report) => Figures;
}

const SOURCE = "bourse, source";
const BINARY = "bourse, binary";
const MILLION = importCase(MILLION_BARS);

type Of = Budget["figures"];
const ofPrograms = (figure: (report: Report, program: string) => number | null): Of => {
  return (report) =>
    Object.fromEntries(PROGRAM_NAMES.map((program) => [program, figure(report, program)]));
};
const rpsAgainst = (name: string, other: string): Of =>
  ofPrograms((report, program) => report.rpsRatio(name, program, other));
const inProcess =
  (name: string): Of =>
  (report) => ({
    [IN_PROCESS]: report.figure(name, IN_PROCESS, "p50Ms"),
  });
/** Time / time of the reference, both measured in turn. */
const ofReference =
  (name: string): Of =>
  (report) => ({ [IN_PROCESS]: report.ratioOf(name) });
const p99AtRate: Of = ofPrograms((report, program) => report.figure(AT_RATE, program, "p99Ms"));
const p99AgainstFloor: Of = ofPrograms((report, program) =>
  quotient(report.figure(AT_RATE, program, "p99Ms"), report.figure(AT_RATE, FLOOR, "p99Ms")),
);
const soakMemory: Of = (report) => ({
  [BINARY]: report.rows.find((row) => row.case === SOAK)?.ratio ?? null,
});
const importTime: Of = ofPrograms((report, program) => report.figure(MILLION, program, "p50Ms"));
const importAgainstInserts: Of = ofPrograms((report, program) =>
  quotient(
    report.figure(MILLION, program, "p50Ms"),
    report.figure(MILLION, "bare inserts", "p50Ms"),
  ),
);
/** A figure of the service during heavy work minus that of the floor at the same time. */
const aboveFloor =
  (name: StallName, key: "turnMs" | "p99Ms"): Of =>
  (report) => {
    const own = report.figure(stallCase(name), SOURCE, key);
    const floor = report.figure(stallCase(name), FLOOR, key);
    return { [SOURCE]: own === null || floor === null ? null : own - floor };
  };

const quotient = (value: number | null, by: number | null): number | null =>
  value === null || by === null || by === 0 ? null : value / by;

const budget = (
  name: string,
  is: Budget["is"],
  limit: number,
  unit: string,
  figures: Of,
): Budget => ({ name, is, limit, unit, figures });

/** All budgets of the project. */
const BUDGETS: readonly Budget[] = [
  budget(HOT_SMALL, "≥", 0.65, "× floor", rpsAgainst(HOT_SMALL, FLOOR)),
  budget(HOT_LARGE, "≥", 0.75, "× floor", rpsAgainst(HOT_LARGE, FLOOR)),
  budget(MANY_TOKENS, "≥", 0.5, "× floor", rpsAgainst(MANY_TOKENS, FLOOR)),
  budget(MANY_KEYS, "≥", 0.5, "× floor", rpsAgainst(MANY_KEYS, FLOOR)),
  budget(UNAUTHENTICATED, "≥", 0.45, "× floor", rpsAgainst(UNAUTHENTICATED, FLOOR)),
  budget(RATE_LIMITED, "≥", 0.45, "× floor", rpsAgainst(RATE_LIMITED, FLOOR)),
  budget(TOOLS_CALL, "≥", 0.5, "× floor", rpsAgainst(TOOLS_CALL, FLOOR)),
  budget(TOOLS_CALL_META, "≥", 0.5, "× floor", rpsAgainst(TOOLS_CALL_META, FLOOR)),
  budget("hot 1.5 KB against Fastify", "≥", 3, "×", rpsAgainst(HOT_SMALL, "fastify")),
  budget("hot 1.5 KB against Hono", "≥", 2, "×", rpsAgainst(HOT_SMALL, "hono")),
  budget("hot 1.5 KB against Express", "≥", 8, "×", rpsAgainst(HOT_SMALL, "express")),
  budget("MCP tools/call against fastmcp", "≥", 6, "×", rpsAgainst(TOOLS_CALL, "fastmcp")),
  budget("MCP tools/call against elysia-mcp", "≥", 6, "×", rpsAgainst(TOOLS_CALL, "elysia-mcp")),
  budget(
    "a node's busy tokens against one machine",
    "≥",
    0.95,
    "×",
    ofPrograms((report, program) => report.rpsRatio(CLUSTER_BUSY, nodeName(program), program)),
  ),
  ...STALLS.flatMap((name) => [
    budget(stallCase(name), "≤", 5, "ms above the floor", aboveFloor(name, "turnMs")),
    budget(`p99 meanwhile: ${name}`, "≤", 3, "ms above the floor", aboveFloor(name, "p99Ms")),
  ]),
  budget("p99 at 70 % of saturation", "≤", 3, "ms", p99AtRate),
  budget("p99 at 70 % against the floor's", "≤", 2, "×", p99AgainstFloor),
  budget("RSS over a soak, last fifth / second", "≤", 1.05, "×", soakMemory),
  budget(TECHNICALS, "≤", 1.5, "ms", inProcess(TECHNICALS)),
  budget("technicals against trading-signals", "≤", 0.15, "×", ofReference(TECHNICALS)),
  budget(CALENDAR, "≤", 2, "ms", inProcess(CALENDAR)),
  budget(ROLL_UP_10X, "≤", 15, "ms", inProcess(ROLL_UP_10X)),
  budget("roll-up against SQL window functions", "≤", 0.1, "×", ofReference(ROLL_UP_10X)),
  budget(SCREEN, "≤", 15, "ms", inProcess(SCREEN)),
  budget("screen against SQL window functions", "≤", 0.1, "×", ofReference(SCREEN)),
  budget(PAST_FIRST, "≤", 1_000, "ms", inProcess(PAST_FIRST)),
  budget(PAST_SCREEN, "≤", 20, "ms", inProcess(PAST_SCREEN)),
  budget("screen of a past day against today's", "≤", 1.2, "×", ofReference(PAST_SCREEN)),
  budget(SECTOR_OVERVIEW, "≤", 15, "ms", inProcess(SECTOR_OVERVIEW)),
  budget(SEARCH_15K, "≤", 1, "ms", inProcess(SEARCH_15K)),
  budget("search of 15,000 against LIKE", "≤", 0.1, "×", ofReference(SEARCH_15K)),
  budget(SEARCH_150K, "≤", 8, "ms", inProcess(SEARCH_150K)),
  budget("search of 150,000 against LIKE", "≤", 0.03, "×", ofReference(SEARCH_150K)),
  budget(MILLION, "≤", 4_000, "ms", importTime),
  budget("import against bare inserts", "≤", 2, "×", importAgainstInserts),
];

/** A table of the budgets with their figures. */
export function formatBudgets(report: Report): string {
  return formatTable(
    ["BUDGET", "LIMIT", "FIGURE", "MET"],
    BUDGETS.map(({ name, is, limit, unit, figures }) => {
      const known = Object.entries(figures(report)).flatMap(([program, figure]) =>
        figure === null ? [] : [{ program, figure }],
      );
      const isMet = known.every(({ figure }) => (is === "≥" ? figure >= limit : figure <= limit));
      const text = known.map(({ program, figure }) => `${figure.toFixed(2)} (${program})`);
      return [
        name,
        `${is} ${limit} ${unit}`,
        known.length === 0 ? null : text.join(", "),
        known.length === 0 ? null : isMet ? "yes" : "NO",
      ];
    }),
  );
}
