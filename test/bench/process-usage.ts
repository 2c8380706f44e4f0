import { readdirSync, readFileSync } from "node:fs";

/** The CPU time and the current and peak resident memory of a process and its descendants. */
export interface ProcessUsage {
  readonly cpuMs: number;
  readonly residentMb: number;
  readonly peakMb: number;
}

/** Clock ticks a second in `/proc`: always 100 since Linux 2.6. */
const TICKS = 100;

/** Reads `/proc`; null if the machine has none. */
export function processUsage(pid: number): ProcessUsage | null {
  try {
    // The program's name is in brackets and may contain anything.
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ").at(-1)?.split(" ") ?? [];
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    const megabytes = (name: string) =>
      Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(status)?.[1]) / 1024;
    const own: ProcessUsage = {
      cpuMs: ((Number(stat[11]) + Number(stat[12])) * 1000) / TICKS,
      residentMb: megabytes("VmRSS"),
      peakMb: megabytes("VmHWM"),
    };
    return childrenOf(pid).reduce((sum, child) => {
      const used = processUsage(child);
      return {
        cpuMs: sum.cpuMs + (used?.cpuMs ?? 0),
        residentMb: sum.residentMb + (used?.residentMb ?? 0),
        peakMb: sum.peakMb + (used?.peakMb ?? 0),
      };
    }, own);
  } catch {
    return null;
  }
}

function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, "utf8")
      .split(" ")
      .filter((text) => text !== "")
      .map(Number),
  );
}
