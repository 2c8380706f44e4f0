import { type BourseError, unavailable } from "#domain/errors.ts";
import type { Leadership } from "#store/leadership.ts";
import type { MarketLog } from "#store/market-log.ts";
import type { ChangeResult, MarketChange, MarketWriter } from "./changes.ts";
import { encodeChange } from "./change-encoding.ts";
import type { Replica } from "./replica.ts";

/** The dependencies of a writer of the cluster. */
interface ClusterWriterParts {
  readonly marketLog: MarketLog;
  readonly replica: Replica;
  /** If present, the writer writes only while this node leads. If absent, always; that is for imports. */
  readonly leadership?: Pick<Leadership, "fence" | "holder" | "lose">;
}

/** Creates a writer that appends changes to the cluster's log and waits until this node has applied them. */
export function createClusterWriter(parts: ClusterWriterParts): MarketWriter {
  let lastAppend: Promise<unknown> = Promise.resolve();
  const writeAll = async (changes: Iterable<MarketChange>): Promise<ChangeResult[]> => {
    const { replica } = parts;
    replica.checkWritable();
    const id = crypto.randomUUID();
    const results = replica.collect(id);
    try {
      const appending = lastAppend.then(() => append(parts, id, changes));
      lastAppend = appending.catch(() => {});
      const { number, expected } = await appending;
      if (!results.has(expected.length - 1)) await replica.reach(number);
      return expected.map((one, position) => results.get(position) ?? one);
    } finally {
      replica.forget(id);
    }
  };
  return {
    async write(change) {
      const [result] = await writeAll([change]);
      if (!result) throw new Error("A change has no result.");
      return result;
    },
    async writeAll(changes) {
      const results = await writeAll(changes);
      return results.reduce((sum, { records }) => sum + records, 0);
    },
  };
}

/** Appends changes together; returns the last number, and the results of changes that another process applies. */
async function append(
  { marketLog, leadership }: ClusterWriterParts,
  id: string,
  changes: Iterable<MarketChange>,
): Promise<{ number: number; expected: ChangeResult[] }> {
  const fence = leadership?.fence ?? null;
  if (leadership && fence === null) throw notLeading();
  const expected: ChangeResult[] = [];
  let last: Uint8Array | null = null;
  try {
    for (const change of changes) {
      if (last) await marketLog.stage(id, expected.length - 1, last);
      last = await encodeChange(change);
      expected.push({ records: countRecords(change), delisted: 0, warnings: [] });
    }
    if (!last) return { number: 0, expected };
    const holder = leadership?.holder ?? null;
    const number = await marketLog.append(id, last, { changes: expected.length, fence, holder });
    if (number !== null) return { number, expected };
    if (fence !== null) leadership?.lose(fence);
    throw notLeading();
  } catch (error) {
    // Otherwise they are removed with the old entries of the log.
    if (expected.length > 1) await marketLog.discard(id).catch(() => {});
    throw error;
  }
}

/** The number of records of a change, each bar counted. */
function countRecords(change: MarketChange): number {
  if (change.type !== "answer" && change.type !== "import") return 0;
  if (change.kind !== "bars") return change.records.length;
  return change.records.reduce((sum, { bars }) => sum + bars.length, 0);
}

function notLeading(): BourseError {
  return unavailable(
    "Another node of the cluster refreshes the market now, so this one stored nothing.",
    { retryAfterSeconds: 1 },
  );
}
