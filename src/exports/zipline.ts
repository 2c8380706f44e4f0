import type { MarketStore } from "#store/index.ts";
import { firstAtOrAfter } from "#analytics/adjusted-prices.ts";
import { numberText } from "#lib/number-text.ts";
import { roundPrice } from "#panels/format.ts";
import { BAR_COLUMNS } from "./bars.ts";
import { fileNameOf } from "./file-names.ts";
import type { ManifestFile } from "./manifest.ts";
import { type WriteRequest, type WrittenFiles } from "./tables.ts";
import { LeftOut, listTraded, type TradedBars } from "./traded-bars.ts";

/**
 * Writes a folder for zipline's bundle `csvdir` for each country: a CSV for each share with raw bars, the dividend of
 * the day (0 without one) and the number of new shares for one (1 without a split).
 */
export async function writeZipline(request: WriteRequest): Promise<WrittenFiles> {
  const { source, countries, target, progress, pace } = request;
  const files: ManifestFile[] = [];
  const leftOut = new LeftOut();
  const notes: string[] = [];
  for (const country of countries)
    for (const bars of listTraded(source, country, leftOut)) {
      const { dates, instrument, sources } = bars;
      const paid = dividendsOf(bars, source.market);
      if (!paid) {
        leftOut.add("its dividends are unknown");
        continue;
      }
      // zipline reads the name of a file up to its first full stop.
      const { name, note } = fileNameOf(instrument.symbol, "_");
      const path = `${country}/daily/${name}.csv`;
      if (note) notes.push(note);
      progress(path);
      const identity = await target.write(path, false, (append) =>
        append(Buffer.from(linesOf(bars, paid))),
      );
      files.push({
        path,
        kind: "bars",
        country,
        rows: dates.length,
        ...identity,
        first_date: dates[0] ?? null,
        last_date: dates.at(-1) ?? null,
        sources: [...sources].toSorted(),
      });
      await pace.rest(dates.length * BAR_COLUMNS.length);
    }
  return { files, notes: [...leftOut.notes(), ...notes] };
}

/** The dividends in shares of their day, on the first session from the ex-date on; null if they are unknown. */
function dividendsOf(
  { dates, instrument, splitFactor }: TradedBars,
  market: MarketStore,
): ReadonlyMap<number, number> | null {
  const { country, symbol } = instrument;
  const record = market.documents.find("dividends", country, symbol);
  if (!record) return null;
  const paid = new Map<number, number>();
  for (const { exDate, amount } of record.dividends) {
    const at = firstAtOrAfter(dates, exDate);
    // One before the first session is not of these bars.
    if (at === dates.length || (at === 0 && exDate < (dates[0] ?? ""))) continue;
    paid.set(at, (paid.get(at) ?? 0) + amount * (splitFactor[at] ?? Number.NaN));
  }
  return paid;
}

function linesOf(bars: TradedBars, paid: ReadonlyMap<number, number>): string {
  const { dates, open, high, low, close, volume, splitFactor } = bars;
  const lines = dates.map((date, i) => {
    const now = splitFactor[i] ?? Number.NaN;
    const split = (i === 0 ? now : (splitFactor[i - 1] ?? now)) / now;
    const bar = [open, high, low, close, volume].map((column) => column[i]);
    const numbers = [...bar, roundPrice(paid.get(i) ?? 0), roundPrice(split)];
    return `${date},${numbers.map(numberText).join(",")}\n`;
  });
  return `date,open,high,low,close,volume,dividend,split\n${lines.join("")}`;
}
