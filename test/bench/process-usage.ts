import { readdirSync, readFileSync } from "node:fs";

/** What a process and those below it have used: CPU in milliseconds, resident memory now and at most. */
export interface ProcessUsage {
  readonly cpuMs: number;
  readonly residentMb: number;
  readonly peakMb: number;
}

/** Clock ticks of `/proc` a second; Linux has shown 100 to programs since 2.6. */
const TICKS = 100;

/** Reads `/proc`; null where the machine has none. */
export function processUsage(pid: number): ProcessUsage | null {
  try {
    // The name of the program stands in brackets and may hold anything.
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
