import { type Door, type SourceClient, SourceError, type SourceFault } from "./source.ts";

/**
 * Gets records through the first door that lets us pass: the hosts in order, but those that refused lately
 * last. A door that needs a key is skipped without one.
 *
 * @param ways how to get the records at each host
 * @throws SourceError with the words of every door if none passes; as the door does if bourse is stopping
 */
export async function throughDoors<T>(
  client: SourceClient,
  doors: readonly Door[],
  ways: Readonly<Record<string, () => Promise<T>>>,
): Promise<T> {
  const usable = doors.filter(({ needsKey }) => !needsKey || client.key !== null);
  const isClosed = ({ host }: Door) => client.isClosed?.(host) === true;
  const ordered = [
    ...usable.filter((door) => !isClosed(door)),
    ...usable.filter((door) => isClosed(door)),
  ];
  const errors: SourceError[] = [];
  for (const { host } of ordered) {
    try {
      const way = ways[host];
      if (way) return await way();
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      if (error.concernsAll) throw error;
      errors.push(error);
    }
  }
  throw joinErrors(errors);
}

/** What says most about the source comes first. */
const FAULTS: readonly SourceFault[] = ["invalid_answer", "unreachable", "nothing", "not_asked"];

/** One error with the words of all. */
function joinErrors(errors: readonly SourceError[]): SourceError {
  const [main] = errors.toSorted((a, b) => FAULTS.indexOf(a.fault) - FAULTS.indexOf(b.fault));
  if (!main) throw new Error("A source has no door.");
  if (errors.length === 1) return main;
  const waits = errors.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
  const wait = waits.length === 0 ? null : Math.min(...waits);
  const areRefusals = errors.every(({ refusals }) => refusals.length > 0);
  const reason = areRefusals
    ? errors.flatMap(({ refusals }) => refusals)
    : errors.map(({ words }) => words).join("; ");
  return new SourceError(main.source, main.fault, reason, wait);
}
