// Calls several servers concurrently, each over one persistent connection with pauses of about a
// millisecond, until its stdin ends. Prints the times of the answers, as JSON by the server's name. A
// server with a blocked event loop cannot answer, so the longest answer shows the longest stall. The
// probe is a separate process, so that no other work of the bench delays it. Without a URL it only makes the
// pauses: how much longer than a millisecond they take is what the machine alone delays.

/** A server to call; `tokens` are used in turn, each for one hour's calls. */
export interface ProbeTarget {
  readonly name: string;
  /** Null to call nothing. */
  readonly url: string | null;
  readonly tokens: readonly string[];
  /** Calls a second that do not wait for answers. If absent, a call follows each answer. */
  readonly perSecond?: number;
}

/** The probe's result for one server. */
export interface ProbeResult {
  readonly calls: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly p999Ms: number;
  readonly maxMs: number;
}

/** Below the 5,000 calls that a token has in an hour. */
const CALLS_PER_TOKEN = 4_500;
const PAUSE_MS = 1;

let isStopped = false;

async function probe({ url, tokens, perSecond }: ProbeTarget): Promise<ProbeResult> {
  const times: number[] = [];
  const started = performance.now();
  const pending = new Set<Promise<void>>();
  for (let call = 0; !isStopped; call++) {
    const begin = performance.now();
    if (url === null) {
      await Bun.sleep(PAUSE_MS);
      times.push(performance.now() - begin - PAUSE_MS);
      continue;
    }
    const token = tokens[Math.floor(call / CALLS_PER_TOKEN) % tokens.length] ?? "";
    const answered = time(url, token).then((ms) => {
      times.push(ms);
      pending.delete(answered);
    });
    pending.add(answered);
    if (perSecond === undefined) {
      await answered;
      await Bun.sleep(PAUSE_MS);
    } else await Bun.sleep(started + ((call + 1) * 1_000) / perSecond - performance.now());
  }
  await Promise.all(pending);
  times.sort((a, b) => a - b);
  const at = (part: number) => times[Math.floor(part * (times.length - 1))] ?? Number.NaN;
  return {
    calls: times.length,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    p999Ms: at(0.999),
    maxMs: times.at(-1) ?? Number.NaN,
  };
}

async function time(url: string, token: string): Promise<number> {
  const begin = performance.now();
  const response = await fetch(url, {
    headers: { authorization: `Bearer ${token}`, "accept-encoding": "identity" },
  });
  await response.bytes();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  return performance.now() - begin;
}

/** Starts this program; `stop` returns the results by the names of the servers. */
export function startProbe(targets: readonly ProbeTarget[]) {
  const child = Bun.spawn([process.execPath, import.meta.path, JSON.stringify(targets)], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  });
  return {
    kill: () => child.kill(),
    async stop(): Promise<Record<string, ProbeResult>> {
      await child.stdin.end();
      return (await new Response(child.stdout).json()) as Record<string, ProbeResult>;
    },
  };
}

if (import.meta.main) {
  const targets = JSON.parse(process.argv[2] ?? "[]") as ProbeTarget[];
  const running = targets.map(async (target) => [target.name, await probe(target)] as const);
  for await (const _ of process.stdin);
  isStopped = true;
  process.stdout.write(JSON.stringify(Object.fromEntries(await Promise.all(running))));
}
