import type { Country } from "#domain/country.ts";
import { unavailable } from "#domain/errors.ts";
import { GarbageCollection } from "#lib/garbage.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { Batch } from "./columns.ts";
import type { ExportFolder } from "./export-folder.ts";
import {
  EXPORT_KIND_NAMES,
  exportKindOf,
  type ExportKindName,
  type ExportSource,
} from "./kinds.ts";
import type { ManifestFile } from "./manifest.ts";
import { TABLE_FORMATS, type TableFormat } from "./table-formats.ts";

/** What files are written from, and where. */
export interface WriteRequest {
  readonly source: ExportSource;
  readonly target: ExportFolder;
  readonly countries: readonly Country[];
  readonly version: string;
  readonly pace: Pace;
  /** Called with each file that is begun. */
  readonly progress: (path: string) => void;
}

/** The files of an export, and what was left out. */
export interface WrittenFiles {
  readonly files: readonly ManifestFile[];
  readonly notes: readonly string[];
}

/** Lets other work go on, and bounds the memory. */
export class Pace {
  readonly #isStopped: () => boolean;
  readonly #garbage = new GarbageCollection("values");

  /** @param isStopped true once the program should stop */
  constructor(isStopped: () => boolean) {
    this.#isStopped = isStopped;
  }

  /** To be called after that many values were written. @throws BourseError once the program should stop */
  async rest(values: number): Promise<void> {
    this.#garbage.add(values);
    await nextTurn();
    if (this.#isStopped()) throw unavailable("The export was stopped, and no file was changed.");
  }
}

interface TablesRequest extends WriteRequest {
  readonly kinds: readonly ExportKindName[];
  readonly format: TableFormat;
}

/** Writes a file for each kind and country. */
export async function writeTables(request: TablesRequest): Promise<WrittenFiles> {
  const { kinds, countries, format, source } = request;
  const files: ManifestFile[] = [];
  for (const kind of EXPORT_KIND_NAMES.filter((name) => kinds.includes(name))) {
    // Not before, because all companies stay in memory.
    if (kind === "metrics") await computeCompanies(source, countries);
    if (exportKindOf(kind).isOfAll) {
      files.push(await writeTable(request, kind, countries, `${kind}.${format}`));
      continue;
    }
    for (const country of countries)
      files.push(await writeTable(request, kind, [country], `${kind}/${country}.${format}`));
  }
  return { files, notes: [] };
}

/** How often garbage is collected while companies are computed. */
const COLLECTION_MS = 500;

async function computeCompanies({ rollups }: ExportSource, countries: readonly Country[]) {
  const collecting = setInterval(() => Bun.gc(true), COLLECTION_MS);
  try {
    await rollups.update(countries);
  } finally {
    clearInterval(collecting);
  }
}

async function writeTable(
  request: TablesRequest,
  kind: ExportKindName,
  countries: readonly Country[],
  path: string,
): Promise<ManifestFile> {
  const { source, target, format, version, progress, pace } = request;
  progress(path);
  const { columns, dateColumn, batches, isOfAll } = exportKindOf(kind);
  const dateAt = columns.findIndex(({ name }) => name === dateColumn);
  const sources = new Set<string>();
  const dates = new DateSpan();
  let rows = 0;
  const identity = await target.write(path, true, async (append) => {
    const writer = TABLE_FORMATS[format](columns, append, `bourse ${version}`);
    for (const country of countries)
      for (const all of batches(source, country)) {
        const batch = selectSince(all, dateAt, source.since);
        if (batch.rows > 0) {
          writer.write(batch);
          rows += batch.rows;
          for (const one of batch.sources) sources.add(one);
          if (dateAt >= 0) dates.add(batch.values[dateAt] ?? []);
        }
        await pace.rest(batch.rows * columns.length);
      }
    writer.finish();
  });
  const [country = null] = isOfAll ? [] : countries;
  return {
    path,
    kind,
    country,
    rows,
    ...identity,
    first_date: dates.first,
    last_date: dates.last,
    sources: [...sources].toSorted(),
  };
}

/** The first and the last of dates; null without any. */
export class DateSpan {
  first: string | null = null;
  last: string | null = null;

  /** Adds dates; other values are missing. */
  add(dates: ArrayLike<unknown>): void {
    for (let i = 0; i < dates.length; i++) {
      const date = dates[i];
      if (typeof date !== "string") continue;
      if (this.first === null || date < this.first) this.first = date;
      if (this.last === null || date > this.last) this.last = date;
    }
  }
}

/** The rows from a date on, and those without a date. */
function selectSince(batch: Batch, dateAt: number, since: string | null): Batch {
  const dates = batch.values[dateAt];
  if (since === null || !dates) return batch;
  const kept: number[] = [];
  for (let row = 0; row < batch.rows; row++)
    if (!(typeof dates[row] === "string" && String(dates[row]) < since)) kept.push(row);
  if (kept.length === batch.rows) return batch;
  return {
    ...batch,
    rows: kept.length,
    values: batch.values.map((values) => kept.map((row) => values[row])),
  };
}
