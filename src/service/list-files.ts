import { invalidArgument, unavailable } from "#domain/errors.ts";
import type { ConsoleParts, UploadedFile } from "#http/console-endpoint.ts";
import { readListFile } from "#imports/lists/read.ts";
import { latestDateOf } from "#lib/date.ts";
import { GarbageCollection } from "#lib/garbage.ts";
import { inTurns } from "#lib/next-turn.ts";
import { NoSlot, Slots } from "#lib/slots.ts";
import type { Client } from "#operations/execute.ts";
import { describeItems } from "#operations/portfolio/list-items.ts";
import { type ListPreview, previewList } from "#operations/portfolio/list-preview.ts";
import type { MarketStore } from "#store/index.ts";

/**
 * A file takes fifty times its bytes while it is read, in the thread that serves, so two at once would take twice the
 * memory and be no faster. The bytes of those that wait are in memory, too.
 */
const READS = { slots: 1, maxWaiting: 3, patienceMs: 8_000 } as const;

/** Characters of cells and their copies that reading a byte leaves behind. */
const GARBAGE_PER_BYTE = 16;

/** The longest time for one file. The largest ones take about a second. */
const READ_MS = 5_000;

/** Reads files of other programs as lists for the console, in turns with its other requests. */
export function createListFiles(
  market: MarketStore,
  clock: () => number,
): Pick<ConsoleParts, "readList" | "describeItems"> {
  const slots = new Slots(READS);
  const garbage = new GarbageCollection("characters");
  const read = async ({ name, answers, bytes, client }: UploadedFile): Promise<ListPreview> => {
    const today = latestDateOf(clock());
    const refuseLate = createDeadline(clock, client);
    try {
      const file = await inTurns(readListFile(name, bytes, { today, ...answers }), refuseLate);
      return await inTurns(previewList(market, file, { fileName: name, today }), refuseLate);
    } finally {
      garbage.add(GARBAGE_PER_BYTE * bytes.length);
    }
  };
  return {
    async readList(file) {
      try {
        return await slots.use(() => read(file));
      } catch (error) {
        if (!(error instanceof NoSlot)) throw error;
        throw unavailable("Other files are being read. Send the file again in a few seconds.", {
          retryAfterSeconds: 5,
        });
      }
    },
    describeItems: (items) => describeItems(market, items),
  };
}

/**
 * A check that throws once the time for a file is over, or its client has closed the connection.
 *
 * @throws BourseError `invalid_argument`
 */
function createDeadline(clock: () => number, client: Client | undefined): () => void {
  const endsAt = clock() + READ_MS;
  return () => {
    if (client?.signal.aborted) throw invalidArgument("The page that sent the file has gone.");
    if (clock() <= endsAt) return;
    throw invalidArgument(
      `Reading the file takes more than ${READ_MS / 1_000} seconds: export fewer rows, or the holdings alone.`,
    );
  };
}
