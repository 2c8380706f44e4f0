import { BourseError } from "#domain/errors.ts";
import type { ConsoleParts } from "#http/console-endpoint.ts";
import { readListFile } from "#imports/lists/read.ts";
import { latestDateOf } from "#lib/date.ts";
import { BackgroundCollection } from "#lib/garbage.ts";
import { inTurns } from "#lib/next-turn.ts";
import { NoSlot, Slots } from "#lib/slots.ts";
import type { Client } from "#operations/execute.ts";
import { describeItems } from "#operations/list-items.ts";
import { previewList } from "#operations/list-preview.ts";
import type { MarketStore } from "#store/index.ts";

/** Files can have 32 MiB, so few are read at once. The bytes of those that wait are in memory, too. */
const READS = { slots: 2, maxWaiting: 2, patienceMs: 5_000 } as const;

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
  const garbage = new BackgroundCollection();
  return {
    async readList({ name, answers, bytes, client }) {
      const today = latestDateOf(clock());
      try {
        return await slots.use(async () => {
          const refuseLate = createDeadline(clock, client);
          const read = readListFile(name, bytes, { today, ...answers });
          const file = await inTurns(read, refuseLate);
          return inTurns(previewList(market, file, { fileName: name, today }), refuseLate);
        });
      } catch (error) {
        if (!(error instanceof NoSlot)) throw error;
        throw new BourseError(
          "unavailable",
          "Other files are being read. Send the file again in a few seconds.",
          {
            retryAfterSeconds: 5,
          },
        );
      } finally {
        garbage.add(GARBAGE_PER_BYTE * bytes.length);
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
    if (client?.signal.aborted)
      throw new BourseError("invalid_argument", "The page that sent the file has gone.");
    if (clock() <= endsAt) return;
    throw new BourseError(
      "invalid_argument",
      `Reading the file takes more than ${READ_MS / 1_000} seconds: export fewer rows, or the holdings alone.`,
    );
  };
}
