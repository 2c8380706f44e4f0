import { appendFileSync, readFileSync, rmSync } from "node:fs";
import { COUNTRIES, type Country } from "#domain/country.ts";
import { numberText } from "#lib/number-text.ts";
import { instantIn } from "#lib/zone.ts";
import { BAR_COLUMNS } from "./bars.ts";
import type { ManifestFile } from "./manifest.ts";
import { type WriteRequest, type WrittenFiles } from "./tables.ts";
import { LeftOut, listTraded, type TradedBars } from "./traded-bars.ts";

const HEADER = "ticker,volume,open,close,high,low,window_start,transactions\n";
/** The characters of all months that wait in memory. */
const MAX_WAITING = 2 ** 22;

/**
 * Writes a file for each day in the form of Massive's flat files of day aggregates: raw prices of all shares of a
 * country. The number of transactions is unknown and empty.
 */
export async function writeFlat(request: WriteRequest): Promise<WrittenFiles> {
  const files: ManifestFile[] = [];
  const leftOut = new LeftOut();
  for (const country of request.countries)
    files.push(...(await writeCountry(request, country, leftOut)));
  return { files, notes: leftOut.notes() };
}

/** The market is stored by instrument and written by day: lines are first collected by month. */
async function writeCountry(
  request: WriteRequest,
  country: Country,
  leftOut: LeftOut,
): Promise<ManifestFile[]> {
  const { source, target, progress, pace } = request;
  const sources = new Set<string>();
  const months = new MonthLines((month) => target.scratch(`${country}-${month}`));
  const startOf = startsOf(country);
  progress(country);
  for (const bars of listTraded(source, country, leftOut)) {
    addLines(months, bars, startOf);
    for (const one of bars.sources) sources.add(one);
    await pace.rest(bars.dates.length * BAR_COLUMNS.length);
  }
  const files: ManifestFile[] = [];
  for (const month of months.list()) {
    let rows = 0;
    for (const [date, lines] of Map.groupBy(months.take(month), (line) => line.slice(0, 10))) {
      const text = lines.map((line) => `${line.slice(10)}\n`).join("");
      const path = `${country}/${date.slice(0, 4)}/${date.slice(5, 7)}/${date}.csv.gz`;
      progress(path);
      rows += lines.length;
      const identity = await target.write(path, false, (append) =>
        append(Bun.gzipSync(Buffer.from(HEADER + text))),
      );
      files.push({
        path,
        kind: "bars",
        country,
        rows: lines.length,
        ...identity,
        first_date: date,
        last_date: date,
        sources: [...sources].toSorted(),
      });
    }
    await pace.rest(rows * BAR_COLUMNS.length);
  }
  return files.toSorted((a, b) => (a.path < b.path ? -1 : 1));
}

/** The start of a local day in nanoseconds since 1970, as text. */
function startsOf(country: Country): (date: string) => string {
  const known = new Map<string, string>();
  return (date) => {
    const start =
      known.get(date) ?? `${instantIn(COUNTRIES[country].timeZone, date, "00:00")}000000`;
    known.set(date, start);
    return start;
  };
}

function addLines(
  months: MonthLines,
  { instrument, dates, open, high, low, close, volume }: TradedBars,
  startOf: (date: string) => string,
): void {
  for (const [i, date] of dates.entries()) {
    const numbers = [volume, open, close, high, low].map((column) => numberText(column[i]));
    months.add(date, `${instrument.symbol},${numbers.join(",")},${startOf(date)},`);
  }
}

/** Lines by month, in files while there are many. */
class MonthLines {
  readonly #pathOf: (month: string) => string;
  readonly #waiting = new Map<string, string>();
  readonly #months = new Set<string>();
  #size = 0;

  constructor(pathOf: (month: string) => string) {
    this.#pathOf = pathOf;
  }

  /** Adds a line, which begins with its date. */
  add(date: string, line: string): void {
    const month = date.slice(0, 7);
    this.#waiting.set(month, `${this.#waiting.get(month) ?? ""}${date}${line}\n`);
    this.#size += line.length + 11;
    if (this.#size >= MAX_WAITING) this.#flush();
  }

  /** All months, oldest first. */
  list(): string[] {
    this.#flush();
    return [...this.#months].toSorted();
  }

  /** The lines of a month in the order in which they were added. */
  take(month: string): string[] {
    const path = this.#pathOf(month);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    rmSync(path);
    return lines;
  }

  #flush(): void {
    for (const [month, lines] of this.#waiting) {
      this.#months.add(month);
      appendFileSync(this.#pathOf(month), lines);
    }
    this.#waiting.clear();
    this.#size = 0;
  }
}
