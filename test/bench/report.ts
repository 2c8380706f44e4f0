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

/** What one contender did in one round of a case. */
export interface Round {
  readonly rps: number;
  /** CPU of one request; null where the machine does not tell. */
  readonly cpuMs: number | null;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentMb: number | null;
}

/** The rounds of each contender, in order; the same index is the same round. */
export type HttpResults = Map<string, Round[]>;

/** A line of the first table; what was not measured is left out. */
export interface Row {
  readonly case: string;
  readonly contender: string;
  readonly rps?: number | null;
  readonly ratio?: number | null;
  readonly cpuRatio?: number | null;
  readonly p50Ms?: number | null;
  readonly p99Ms?: number | null;
  readonly maxMs?: number | null;
  readonly residentMb?: number | null;
}

/** The heavy work beside which hot calls are measured. */
export const STALLS = [
  "midnight UTC, 10,000 companies",
  "listing of 15,000",
  "quotes of 15,000",
  "recompute of all roll-ups",
  "import by another process",
  "mistyped symbols among 15,000",
] as const;
export type StallName = (typeof STALLS)[number];
export const stallCase = (name: StallName) => `stall: ${name}`;

export const AT_RATE = "hot 1.5 KB at 70 %";
export const START = "first answer after start";
export const SOAK = "soak";
export const IN_PROCESS = "in process";
export const TECHNICALS = "technicals panel, cold";
export const ROLL_UP_10X = "sector roll-up, 10,000 stocks";
export const SEARCH_15K = "symbol search, 15,000";
export const SEARCH_150K = "symbol search, 150,000";
export const importCase = (bars: number) => `import of ${bars.toLocaleString("en-US")} bars`;

/** The middle of the values, or the mean of the two in the middle; null where there is none. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? null : (lower + upper) / 2;
}

/** What a run has found so far. */
export type Report = ReturnType<typeof createReport>;

export function createReport() {
  const rows: Row[] = [];
  const byCase = new Map<string, HttpResults>();
  const notes: string[] = [];

  /** The median over rounds of what `of` gives for both contenders in the same round. */
  const ratio = (
    of: (round: Round) => number | null,
    results: HttpResults | undefined,
    [one, other]: readonly [string, string],
  ): number | null =>
    median(
      (results?.get(one) ?? []).flatMap((round, i) => {
        const against = results?.get(other)?.[i];
        const [mine, theirs] = [of(round), against ? of(against) : null];
        return mine === null || !theirs ? [] : [mine / theirs];
      }),
    );
  const find = (name: string, contender: string): Row | undefined =>
    rows.find((row) => row.case === name && row.contender === contender);

  return {
    rows,
    notes,
    add: (row: Row): void => void rows.push(row),
    /** Says why something has no figure. */
    note: (what: string, why: string): void => void notes.push(`${what}: ${why}.`),
    /** Takes the rounds of a case over HTTP. */
    addHttp(name: string, results: HttpResults): void {
      byCase.set(name, results);
      for (const [contender, rounds] of results) {
        const middle = (of: (round: Round) => number | null) =>
          median(rounds.flatMap((round) => of(round) ?? []));
        rows.push({
          case: name,
          contender,
          rps: middle(({ rps }) => rps),
          ratio: ratio(({ rps }) => rps, results, [contender, FLOOR]),
          cpuRatio: ratio(({ cpuMs }) => cpuMs, results, [contender, FLOOR]),
          p50Ms: middle(({ p50Ms }) => p50Ms),
          p99Ms: middle(({ p99Ms }) => p99Ms),
          residentMb: middle(({ residentMb }) => residentMb),
        });
      }
    },
    /** How many times the calls a second of `other` the contender answers, by case. */
    rpsRatio: (name: string, one: string, other: string): number | null =>
      ratio(({ rps }) => rps, byCase.get(name), [one, other]),
    figure: (name: string, contender: string, key: "p50Ms" | "p99Ms" | "maxMs" | "residentMb") =>
      find(name, contender)?.[key] ?? null,
  };
}

const fixed = (digits: number, value: number | null | undefined): string | null =>
  value === null || value === undefined ? null : value.toFixed(digits);

/** Every row, in the order in which it was measured. */
export function formatRows(rows: readonly Row[]): string {
  return formatTable(
    ["CASE", "CONTENDER", "RPS", "× FLOOR", "CPU × FLOOR", "P50 MS", "P99 MS", "MAX MS", "RSS MB"],
    rows.map((row) => [
      row.case,
      row.contender,
      row.rps === null || row.rps === undefined ? null : Math.round(row.rps),
      fixed(2, row.ratio),
      fixed(2, row.cpuRatio),
      fixed(3, row.p50Ms),
      fixed(3, row.p99Ms),
      fixed(1, row.maxMs),
      fixed(0, row.residentMb),
    ]),
  );
}

interface Budget {
  readonly what: string;
  readonly limit: number;
  readonly unit: string;
  /** Whether the figure must be at least or at most the limit. */
  readonly is: "least" | "most";
  /** The figures that are judged, by who has them; the budget is met where all of them meet it. */
  readonly figures: (report: Report) => Readonly<Record<string, number | null>>;
}

const ofPrograms = (figure: (report: Report, program: string) => number | null) => {
  return (report: Report) =>
    Object.fromEntries(PROGRAM_NAMES.map((name) => [name, figure(report, name)]));
};
const against = (what: string, name: string, other: string, limit: number): Budget => ({
  what,
  limit,
  unit: other === FLOOR ? "× floor" : "×",
  is: "least",
  figures: ofPrograms((report, program) => report.rpsRatio(name, program, other)),
});
const inProcess = (what: string, limit: number): Budget => ({
  what,
  limit,
  unit: "ms",
  is: "most",
  figures: (report) => ({ [IN_PROCESS]: report.figure(what, IN_PROCESS, "p50Ms") }),
});
/** How much longer the longest hot call took than the longest of the floor in the same seconds. */
const longestStall = (name: StallName): Budget => ({
  what: stallCase(name),
  limit: 20,
  unit: "ms above the floor",
  is: "most",
  figures: (report) => {
    const own = report.figure(stallCase(name), "bourse, source", "maxMs");
    const floor = report.figure(stallCase(name), FLOOR, "maxMs");
    return { "bourse, source": own === null || floor === null ? null : own - floor };
  },
});
const p99Meanwhile = (name: StallName): Budget => ({
  what: `p99 meanwhile: ${name}`,
  limit: 10,
  unit: "ms",
  is: "most",
  figures: (report) => ({
    "bourse, source": report.figure(stallCase(name), "bourse, source", "p99Ms"),
  }),
});
const MILLION = importCase(1_000_000);

/** The budgets of the project, in their order. */
const BUDGETS: readonly Budget[] = [
  against(HOT_SMALL, HOT_SMALL, FLOOR, 0.65),
  against(HOT_LARGE, HOT_LARGE, FLOOR, 0.75),
  against(MANY_TOKENS, MANY_TOKENS, FLOOR, 0.5),
  against(MANY_KEYS, MANY_KEYS, FLOOR, 0.5),
  against(UNAUTHENTICATED, UNAUTHENTICATED, FLOOR, 0.45),
  against(RATE_LIMITED, RATE_LIMITED, FLOOR, 0.45),
  against("against Fastify", HOT_SMALL, "fastify", 3),
  against("against Hono", HOT_SMALL, "hono", 2),
  against("against Express", HOT_SMALL, "express", 8),
  against(TOOLS_CALL, TOOLS_CALL, FLOOR, 0.5),
  against(TOOLS_CALL_META, TOOLS_CALL_META, FLOOR, 0.5),
  against(`${TOOLS_CALL} against fastmcp`, TOOLS_CALL, "fastmcp", 6),
  against(`${TOOLS_CALL} against elysia-mcp`, TOOLS_CALL, "elysia-mcp", 6),
  ...STALLS.flatMap((name) => [longestStall(name), p99Meanwhile(name)]),
  {
    what: "p99 at 70 % of saturation",
    limit: 3,
    unit: "ms",
    is: "most",
    figures: ofPrograms((report, program) => report.figure(AT_RATE, program, "p99Ms")),
  },
  {
    what: "first 200 of the binary",
    limit: 30,
    unit: "ms",
    is: "most",
    figures: (report) => binary(report.figure(START, "bourse, binary", "p50Ms")),
  },
  {
    what: "idle RSS",
    limit: 70,
    unit: "MB",
    is: "most",
    figures: (report) => binary(report.figure(START, "bourse, binary", "residentMb")),
  },
  {
    what: "RSS over a soak, last fifth / second",
    limit: 1.05,
    unit: "×",
    is: "most",
    figures: (report) => binary(report.rows.find((row) => row.case === SOAK)?.ratio ?? null),
  },
  inProcess(TECHNICALS, 1.5),
  inProcess(ROLL_UP_10X, 15),
  inProcess(SEARCH_15K, 1),
  inProcess(SEARCH_150K, 8),
  {
    what: MILLION,
    limit: 4_000,
    unit: "ms",
    is: "most",
    figures: ofPrograms((report, program) => report.figure(MILLION, program, "p50Ms")),
  },
];

const binary = (figure: number | null) => ({ "bourse, binary": figure });

/** Each budget beside its figures. */
export function formatBudgets(report: Report): string {
  return formatTable(
    ["BUDGET", "LIMIT", "FIGURE", "MET"],
    BUDGETS.map(({ what, limit, unit, is, figures }) => {
      const all = Object.entries(figures(report));
      const known = all.filter(([, figure]) => figure !== null);
      const meets = ([, figure]: [string, number | null]) =>
        figure !== null && (is === "least" ? figure >= limit : figure <= limit);
      return [
        what,
        `${is === "least" ? "≥" : "≤"} ${limit} ${unit}`,
        known.length === 0
          ? null
          : known.map(([name, figure]) => `${figure?.toFixed(2)} (${name})`).join(", "),
        known.length === 0 ? null : known.every(meets) ? "yes" : "NO",
      ];
    }),
  );
}
