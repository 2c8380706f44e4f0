import { invalidArgument } from "#domain/errors.ts";
import { numberText } from "#lib/number-text.ts";
import { zip } from "#lib/zip-writer.ts";
import { BAR_COLUMNS } from "./bars.ts";
import { fileNameOf } from "./file-names.ts";
import type { ManifestFile } from "./manifest.ts";
import { type WriteRequest, type WrittenFiles } from "./tables.ts";
import { LeftOut, listTraded, type TradedBars } from "./traded-bars.ts";

const FOLDER = "equity/usa";
/** The date of LEAN for "still": a factor of today, an instrument that is listed. */
const STILL = "20501231";
/** LEAN stores prices in ten-thousandths. */
const SCALE = 10_000;

/**
 * Writes US shares in the form of QuantConnect's LEAN: raw daily bars in `daily`, symbols in `map_files`, splits and
 * dividends in `factor_files`.
 */
export async function writeLean(request: WriteRequest): Promise<WrittenFiles> {
  const { source, countries, target, progress, pace } = request;
  if (!countries.includes("US")) {
    throw invalidArgument("--format lean writes US shares only: --country US.");
  }
  const files: ManifestFile[] = [];
  const leftOut = new LeftOut();
  const notes: string[] = [];
  for (const bars of listTraded(source, "US", leftOut)) {
    const { dates, instrument, sources, totalReturnFactor } = bars;
    if (!totalReturnFactor) {
      leftOut.add("factor files need the dividends, which are unknown");
      continue;
    }
    const { name, note } = fileNameOf(instrument.symbol);
    const ticker = name.toLowerCase();
    if (note) notes.push(note);
    progress(instrument.symbol);
    const add = async (path: string, content: Uint8Array, rows: number) => {
      const identity = await target.write(path, false, (append) => append(content));
      files.push({
        path,
        kind: "bars",
        country: "US",
        rows,
        ...identity,
        first_date: dates[0] ?? null,
        last_date: dates.at(-1) ?? null,
        sources: [...sources].toSorted(),
      });
    };
    const daily = Buffer.from(dailyLines(bars));
    await add(
      `${FOLDER}/daily/${ticker}.zip`,
      zip([{ name: `${ticker}.csv`, bytes: daily }]),
      dates.length,
    );
    const first = compact(dates[0] ?? "");
    const last = instrument.delistedAt === undefined ? STILL : compact(dates.at(-1) ?? "");
    const map = `${first},${ticker}\n${last},${ticker}\n`;
    await add(`${FOLDER}/map_files/${ticker}.csv`, Buffer.from(map), 2);
    const factors = factorLines(bars, totalReturnFactor);
    await add(
      `${FOLDER}/factor_files/${ticker}.csv`,
      Buffer.from(`${factors.join("\n")}\n`),
      factors.length,
    );
    await pace.rest(dates.length * BAR_COLUMNS.length);
  }
  return { files, notes: [...leftOut.notes(), ...notes] };
}

const compact = (date: string) => date.replaceAll("-", "");

function dailyLines({ dates, open, high, low, close, volume }: TradedBars): string {
  const scaled = (price: number | undefined) => Math.round((price ?? Number.NaN) * SCALE);
  const lines = dates.map((date, i) => {
    const prices = [open, high, low, close].map((column) => scaled(column[i]));
    return `${compact(date)} 00:00,${prices.join(",")},${numberText(volume[i])}\n`;
  });
  return lines.join("");
}

/**
 * A line for the first day, for each day before an ex-date, and for today: factors of dividends and of splits up to
 * that day, and the close on which they apply.
 */
function factorLines({ dates, close, splitFactor }: TradedBars, dividends: Float64Array): string[] {
  const lines: string[] = [];
  const at = (i: number) => [dividends[i] ?? Number.NaN, splitFactor[i] ?? Number.NaN] as const;
  for (const [i, date] of dates.entries()) {
    const [[paid, split], [nextPaid, nextSplit]] = [
      at(i),
      i + 1 < dates.length ? at(i + 1) : [1, 1],
    ];
    if (i > 0 && paid === nextPaid && split === nextSplit) continue;
    lines.push(
      `${compact(date)},${rounded(paid, 7)},${rounded(1 / split, 8)},${rounded(close[i] ?? Number.NaN, 4)}`,
    );
  }
  return [...lines, `${STILL},1,1,0`];
}

const rounded = (value: number, decimals: number) => numberText(Number(value.toFixed(decimals)));
