import type { Country } from "#domain/country.ts";
import type { CompanyRollups } from "#rollups/company-rollups.ts";
import { type MarketStore, toUserError } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { ExportFolder } from "./export-folder.ts";
import {
  EXPORT_KIND_NAMES,
  exportKindOf,
  type ExportKindName,
  type ExportSource,
} from "./kinds.ts";
import type { Manifest } from "./manifest.ts";
import { type ShapeName, SHAPES } from "./shapes.ts";
import { TABLE_FORMATS, type TableFormat } from "./table-formats.ts";
import { Pace, type WrittenFiles, writeTables } from "./tables.ts";

/** The formats of an export. */
export type ExportFormat = TableFormat | ShapeName;
export const EXPORT_FORMATS = [
  ...Object.keys(TABLE_FORMATS),
  ...Object.keys(SHAPES),
] as ExportFormat[];

/** True for a format in which every kind can be written. */
export const isTableFormat = (format: ExportFormat): format is TableFormat =>
  Object.hasOwn(TABLE_FORMATS, format);

/** The terms of a source. */
export interface SourceTerms {
  readonly terms: string;
  /** True if they allow to pass its records on. */
  readonly redistributable: boolean;
}

/** What an export writes, and where. */
export interface ExportRequest {
  readonly market: MarketStore;
  readonly rollups: CompanyRollups;
  readonly folder: string;
  readonly kinds: readonly ExportKindName[];
  readonly countries: readonly Country[];
  readonly format: ExportFormat;
  /** The first date of rows with a date; null for all. */
  readonly since: string | null;
  /** The UTC date. */
  readonly today: string;
  readonly version: string;
  /** `sample` or `live`; null for an empty market. */
  readonly origin: string | null;
  readonly termsOf: (source: string) => SourceTerms;
  /** True once the program should stop. */
  readonly isStopped: () => boolean;
  /** Called with each file that is begun. */
  readonly progress: (path: string) => void;
}

/**
 * Writes the market of one moment as files with a manifest. Equal markets give equal bytes on the same UTC date. After
 * an error the folder is as before.
 *
 * @throws BourseError with one sentence
 */
export async function exportMarket(request: ExportRequest): Promise<Manifest> {
  const { market, folder } = request;
  const target = new ExportFolder(folder);
  let isFailed = true;
  try {
    const manifest = await market.readOneMoment(() => writeFiles(request, target));
    target.publish(manifest);
    isFailed = false;
    return manifest;
  } catch (error) {
    throw toUserError(folder, error);
  } finally {
    target.close({ isFailed });
  }
}

async function writeFiles(request: ExportRequest, target: ExportFolder): Promise<Manifest> {
  const { market, format } = request;
  const pace = new Pace(request.isStopped);
  const instruments = new Map<Country, readonly StoredInstrument[]>();
  const source: ExportSource = {
    ...request,
    instrumentsOf(country) {
      const known = instruments.get(country) ?? market.instruments.listAll(country);
      instruments.set(country, known);
      return known;
    },
  };
  const written = isTableFormat(format)
    ? await writeTables({ ...request, format, source, target, pace })
    : await SHAPES[format]({ ...request, source, target, pace });
  return manifestOf(request, written);
}

function manifestOf(request: ExportRequest, { files, notes }: WrittenFiles): Manifest {
  const { version, format, origin, today, since, market, termsOf } = request;
  const newest = market.findNewest();
  const kinds = new Set(files.map(({ kind }) => kind));
  const columnsOf = (kind: ExportKindName) =>
    exportKindOf(kind).columns.map(({ name, type, unit, description }) => ({
      name,
      type,
      unit,
      description,
    }));
  return {
    program: "bourse",
    version,
    format,
    market: origin,
    date: today,
    stored_at: newest === null ? null : new Date(newest).toISOString(),
    since,
    files: [...files],
    kinds: Object.fromEntries(
      EXPORT_KIND_NAMES.filter((kind) => kinds.has(kind)).map((kind) => {
        const { description } = exportKindOf(kind);
        // A shape has the columns of the other program.
        return [kind, { description, columns: isTableFormat(format) ? columnsOf(kind) : [] }];
      }),
    ),
    sources: [...new Set(files.flatMap(({ sources }) => sources))]
      .toSorted()
      .map((source) => ({ source, ...termsOf(source) })),
    notes: [...notes],
  };
}
