import { resolve } from "node:path";
import { COUNTRY_CODES } from "#domain/country.ts";
import { invalidArgument, notFound } from "#domain/errors.ts";
import {
  EXPORT_FORMATS,
  exportMarket,
  type ExportRequest,
  isTableFormat,
} from "#exports/export-market.ts";
import { EXPORT_KIND_NAMES } from "#exports/kinds.ts";
import type { Manifest } from "#exports/manifest.ts";
import { findOrigin } from "#ingest/ingest.ts";
import { closest } from "#lib/closest.ts";
import { dateOf, isDate } from "#lib/date.ts";
import { formatCount, formatTable } from "#lib/table.ts";
import { CompanyRollups } from "#rollups/company-rollups.ts";
import { refuseAbsent } from "#service/data-folder.ts";
import { termsOf } from "#service/live.ts";
import { findBuild, VERSION } from "#domain/program.ts";
import { type Command, type Invocation, parseChoice } from "./command.ts";
import { createProgressLine } from "./progress.ts";
import { withMarket } from "./stores.ts";

export const exportCommand: Command = {
  name: "export",
  operands: "FOLDER",
  summary: "Write the market to files: Parquet, CSV, JSON Lines, or the form of another program",
  flags: {
    kinds: {
      value: "KINDS",
      description: `${EXPORT_KIND_NAMES.join(", ")}; comma-separated, all if not given`,
    },
    country: { value: COUNTRY_CODES.join("|"), description: "one country, all if not given" },
    format: { value: EXPORT_FORMATS.join("|"), description: "the format, parquet if not given" },
    since: { value: "DATE", description: "only rows from this date on, such as 2020-01-01" },
  },
  examples: ["./market", "./market --kinds bars --country US", "./csv --format csv"],
  values: { KINDS: EXPORT_KIND_NAMES },
  settings: ["data"],
  async report(invocation) {
    const { io, config, operands } = invocation;
    const [folder = ""] = operands;
    const wanted = readFlags(invocation.flags);
    refuseAbsent(config.dataFolder);
    const line = createProgressLine(io);
    let isStopped = false;
    io.onStop(() => (isStopped = true));
    const manifest = await withMarket(
      config,
      async (market) => {
        const origin = findOrigin(market);
        if (market.findNewest() === null) {
          throw notFound(
            `The market of ${config.dataFolder} is empty: start \`serve\`, or import your data first.`,
          );
        }
        return exportMarket({
          ...wanted,
          market,
          origin,
          folder: resolve(folder),
          today: dateOf(io.clock()),
          version: VERSION,
          rollups: new CompanyRollups(market, io.clock, { servesPrevious: false, findBuild }),
          termsOf,
          isStopped: () => isStopped,
          progress: (path) => line.show(path),
        }).finally(() => line.end());
      },
      io.clock,
    );
    return { json: manifest, text: describe(manifest), note: describeTerms(manifest) };
  },
};

type Wanted = Pick<ExportRequest, "kinds" | "countries" | "format" | "since">;

/** @throws BourseError if a flag is wrong */
function readFlags({ kinds, country, format = "parquet", since }: Invocation["flags"]): Wanted {
  const wanted = {
    kinds: kinds === undefined ? EXPORT_KIND_NAMES : readKinds(String(kinds)),
    countries:
      country === undefined ? COUNTRY_CODES : [parseChoice("country", country, COUNTRY_CODES)],
    format: parseChoice("format", format, EXPORT_FORMATS),
    since: since === undefined ? null : String(since),
  };
  if (wanted.since !== null && !isDate(wanted.since)) {
    throw invalidArgument(`--since must be a date such as 2020-01-01, not ${wanted.since}.`);
  }
  if (!isTableFormat(wanted.format) && kinds !== undefined && String(kinds) !== "bars") {
    throw invalidArgument(`--format ${wanted.format} writes bars only; leave --kinds out.`);
  }
  return wanted;
}

function readKinds(text: string) {
  return text.split(",").map((written) => {
    const name = EXPORT_KIND_NAMES.find((one) => one === written.trim());
    if (name) return name;
    const near = closest(written.trim(), EXPORT_KIND_NAMES);
    throw invalidArgument(
      `--kinds must name some of ${EXPORT_KIND_NAMES.join(", ")}, not ${written}${near ? `; did you mean ${near}?` : "."}`,
    );
  });
}

/** Files of a shape can be thousands. */
const MAX_SHOWN = 40;

function describe({ files, notes }: Manifest): string {
  const rows = files
    .slice(0, MAX_SHOWN)
    .map(({ path, rows: count, bytes, first_date, last_date }) => [
      path,
      count,
      bytes,
      first_date,
      last_date,
    ]);
  const more = files.length - rows.length;
  return [
    formatTable(["FILE", "ROWS", "BYTES", "FIRST", "LAST"], rows),
    ...(more > 0 ? [`… and ${formatCount(more, "other file")}\n`] : []),
    ...notes.map((note) => `${note}\n`),
  ].join("");
}

/** The sources whose terms do not allow to pass the files on. */
function describeTerms({ sources, market }: Manifest): string {
  if (market === "sample") return "Every figure is generated, none is real.\n";
  const closed = sources.filter(({ redistributable }) => !redistributable);
  if (closed.length === 0) return "";
  return `For your own use only: the terms of ${closed.map(({ source }) => source).join(", ")} forbid or do not allow redistribution. manifest.json names the sources of each file.\n`;
}
