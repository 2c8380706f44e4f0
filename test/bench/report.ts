import { formatTable } from "#lib/table.ts";
import { FLOOR } from "./contenders.ts";

/** The measurements of one contender in one round of a case. */
export interface Round {
  readonly rps: number;
  /** CPU time of one request; null if the machine does not give it. */
  readonly cpuMs: number | null;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly residentMb: number | null;
}

/** The rounds of each contender, in order; the same index is the same round. */
export type HttpResults = Map<string, Round[]>;

/** A row of the first table, without the columns that were not measured. */
export interface Row {
  readonly case: string;
  readonly contender: string;
  readonly rps?: number | null;
  readonly ratio?: number | null;
  readonly cpuRatio?: number | null;
  readonly p50Ms?: number | null;
  readonly p99Ms?: number | null;
  readonly maxMs?: number | null;
  /** The longest turn of the event loop without the time for which it waited for a core. */
  readonly turnMs?: number | null;
  readonly residentMb?: number | null;
}

/** The kinds of heavy work during which hot calls are measured. */
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
export const SOAK = "soak";
export const IN_PROCESS = "in process";
export const TECHNICALS = "technicals panel, cold";
export const CALENDAR = "calendar, 10,000 past events";
export const SECTOR_OVERVIEW = "sector overview, 15,000 instruments";
export const SCREEN = "screen of 10,000 companies, cold";
/** Nothing of the day is computed before. */
export const PAST_FIRST = "screen of 10,000 companies, first of a past day";
export const PAST_SCREEN = "screen of 10,000 companies, a past day";
export const ROLL_UP_10X = "sector roll-up, 10,000 stocks";
export const SEARCH_15K = "symbol search, 15,000";
export const SEARCH_150K = "symbol search, 150,000";
export const CLUSTER_HOT = "cluster: hot 1.5 KB, one token";
/** As many tokens in turn as the calls need, each below its hour. */
export const CLUSTER_BUSY = "cluster: hot 1.5 KB, busy tokens in turn";
/** The name of a program as a node of a cluster. */
export const nodeName = (program: string): string => `${program}, a node`;
export const MILLION_BARS = 1_000_000;
export const importCase = (bars: number) => `import of ${bars.toLocaleString("en-US")} bars`;

/** The median; null without values. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? null : (lower + upper) / 2;
}

/** The results of a run so far. */
export type Report = ReturnType<typeof createReport>;

export function createReport() {
  const rows: Row[] = [];
  const byCase = new Map<string, HttpResults>();
  const notes: string[] = [];
  const ratios = new Map<string, number>();

  /** The median over rounds of the ratio of both contenders' values in the same round. */
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
    /** Adds time / time of the reference, both measured in turn. */
    addRatio: (name: string, value: number): void => void ratios.set(name, value),
    ratioOf: (name: string): number | null => ratios.get(name) ?? null,
    /** Adds the rounds of a case over HTTP. */
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
    /** Calls a second of a contender / those of `other` in a case. */
    rpsRatio: (name: string, one: string, other: string): number | null =>
      ratio(({ rps }) => rps, byCase.get(name), [one, other]),
    figure: (name: string, contender: string, key: "p50Ms" | "p99Ms" | "turnMs" | "residentMb") =>
      find(name, contender)?.[key] ?? null,
  };
}

const fixed = (digits: number, value: number | null | undefined): string | null =>
  value === null || value === undefined ? null : value.toFixed(digits);

/** A table of all rows, in the order of measurement. */
export function formatRows(rows: readonly Row[]): string {
  return formatTable(
    [
      "CASE",
      "CONTENDER",
      "RPS",
      "× FLOOR",
      "CPU × FLOOR",
      "P50 MS",
      "P99 MS",
      "MAX MS",
      "TURN MS",
      "RSS MB",
    ],
    rows.map((row) => [
      row.case,
      row.contender,
      row.rps === null || row.rps === undefined ? null : Math.round(row.rps),
      fixed(2, row.ratio),
      fixed(2, row.cpuRatio),
      fixed(3, row.p50Ms),
      fixed(3, row.p99Ms),
      fixed(1, row.maxMs),
      fixed(1, row.turnMs),
      fixed(0, row.residentMb),
    ]),
  );
}
