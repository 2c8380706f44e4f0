import { type Database, SQLiteError } from "bun:sqlite";
import type { BarHistory, BarSeries, DailyBar } from "#domain/daily-bar.ts";
import { BourseError } from "#domain/errors.ts";
import { formatPlace, IMPORT, type Place, type Provenance } from "#domain/records.ts";

type BarRow = [
  date: number,
  open: number,
  high: number,
  low: number,
  close: number,
  volume: number | null,
];

const toNumber = (date: string): number =>
  Number(date.slice(0, 4)) * 10_000 + Number(date.slice(5, 7)) * 100 + Number(date.slice(8));

function toDate(number: number): string {
  const text = String(number);
  return `${text.slice(0, 4)}-${text.slice(4, 6)}-${text.slice(6)}`;
}

/** A price as the table has it: a whole number of ten-thousandths, or itself with a minus. */
function toScaled(price: number): number {
  const scaled = Math.round(price * 10_000);
  return scaled / 10_000 === price ? scaled : -price;
}

const toPrice = (scaled: number): number => (scaled < 0 ? -scaled : scaled / 10_000);

function toBar([date, open, high, low, close, volume]: BarRow): DailyBar {
  return {
    date: toDate(date),
    open: toPrice(open),
    high: toPrice(high),
    low: toPrice(low),
    close: toPrice(close),
    volume,
  };
}

/** Dates from `from`, and before `before`; open on the side where there is none. */
interface DateRange {
  readonly from?: string | undefined;
  readonly before?: string | undefined;
}

const FIRST_DATE = "0000-00-00";
const LAST_DATE = "9999-99-99";

const STAGED = `CREATE TEMP TABLE staged_bars (instrument_id INTEGER, date INTEGER, open REAL, high REAL,
  low REAL, close REAL, volume REAL, within TEXT, number INTEGER)`;

/** The first bar, in the order in which they came, of a date that had one already, and that one. */
const STAGED_TWICE = `SELECT date, within, number, earlierWithin, earlierNumber FROM (
    SELECT rowid AS position, date, within, number, lag(within) OVER same AS earlierWithin,
      lag(number) OVER same AS earlierNumber
    FROM staged_bars WINDOW same AS (PARTITION BY instrument_id, date ORDER BY rowid))
  WHERE earlierWithin IS NOT NULL ORDER BY position LIMIT 1`;

interface StagedTwice extends Place {
  readonly date: number;
  readonly earlierWithin: string;
  readonly earlierNumber: number | null;
}

function columnsOf({ date, open, high, low, close, volume }: DailyBar): BarRow {
  return [toNumber(date), toScaled(open), toScaled(high), toScaled(low), toScaled(close), volume];
}

/** The daily bars of the market file, and where each instrument's came from. */
export function createDailyBarStore(reader: Database, writer: Database) {
  const bars =
    "SELECT date, open, high, low, close, volume FROM scaled_bars WHERE instrument_id = ?";
  const newest = reader.query<never, [number, number, number, number]>(
    `${bars} AND date >= ? AND date < ? ORDER BY date DESC LIMIT ?`,
  );
  const atOrBefore = reader.query<never, [number, number]>(
    `${bars} AND date <= ? ORDER BY date DESC LIMIT 1`,
  );
  const onOrAfter = reader.query<never, [number, number]>(
    `${bars} AND date >= ? ORDER BY date LIMIT 1`,
  );
  const history = reader.query<Provenance, [number]>(
    "SELECT source, stored_at AS storedAt FROM bar_histories WHERE instrument_id = ?",
  );

  const counted = reader.query<{ count: number }, [number, number]>(
    "SELECT count(*) AS count FROM scaled_bars WHERE instrument_id = ? AND date >= ?",
  );
  const idOf = writer.query<
    { id: number; source: string | null; newest: number | null },
    [string, string]
  >(
    `SELECT id, bar_histories.source, (SELECT max(date) FROM scaled_bars WHERE instrument_id = id) AS newest
     FROM instruments LEFT JOIN bar_histories ON instrument_id = id WHERE country = ? AND symbol = ?`,
  );
  const putHistory = writer.query(
    `INSERT INTO bar_histories (instrument_id, source, stored_at) VALUES (?, ?, ?)
     ON CONFLICT (instrument_id) DO UPDATE SET source = excluded.source, stored_at = excluded.stored_at`,
  );
  const dropHistory = writer.query("DELETE FROM bar_histories WHERE instrument_id = ?");
  const putBar = writer.query<
    unknown,
    [number, number, number, number, number, number, number | null]
  >(
    `INSERT INTO scaled_bars (instrument_id, date, open, high, low, close, volume)
     VALUES (?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (instrument_id, date) DO UPDATE SET open = excluded.open, high = excluded.high,
       low = excluded.low, close = excluded.close, volume = excluded.volume`,
  );

  /** Newest first. */
  const listRows = (
    instrumentId: number,
    limit: number,
    { from = FIRST_DATE, before = LAST_DATE }: DateRange = {},
  ) => newest.values(instrumentId, toNumber(from), toNumber(before), limit) as BarRow[];
  const instrumentOf = (record: BarHistory) => {
    const instrument = idOf.get(record.country, record.symbol);
    if (!instrument) {
      throw new BourseError("not_found", `${record.symbol} is not known in ${record.country}.`);
    }
    return instrument;
  };
  const write = (id: number, list: Iterable<DailyBar>, provenance: Provenance) => {
    putHistory.run(id, provenance.source, provenance.storedAt);
    for (const bar of list) {
      putBar.run(id, ...columnsOf(bar));
    }
  };

  return {
    /** The newest `limit` bars of a range as columns, oldest first; empty columns where there is none. */
    series(instrumentId: number, limit: number, range?: DateRange): BarSeries {
      const rows = listRows(instrumentId, limit, range);
      const count = rows.length;
      const dates = Array.from({ length: count }, () => "");
      const [open, high, low, close, volume] = Array.from(
        { length: 5 },
        () => new Float64Array(count),
      ) as [Float64Array, Float64Array, Float64Array, Float64Array, Float64Array];
      for (let i = 0; i < count; i++) {
        const row = rows[count - 1 - i] as BarRow;
        dates[i] = toDate(row[0]);
        open[i] = toPrice(row[1]);
        high[i] = toPrice(row[2]);
        low[i] = toPrice(row[3]);
        close[i] = toPrice(row[4]);
        volume[i] = row[5] ?? Number.NaN;
      }
      return { dates, open, high, low, close, volume };
    },
    /** How many bars the instrument has, or has since `from`. */
    count: (instrumentId: number, from = FIRST_DATE): number =>
      counted.get(instrumentId, toNumber(from))?.count ?? 0,
    /** The newest bars, newest first. */
    listNewest(instrumentId: number, limit: number): DailyBar[] {
      return listRows(instrumentId, limit).map(toBar);
    },
    /** The latest bar at or before the date, or null. */
    findAtOrBefore(instrumentId: number, date: string): DailyBar | null {
      const [row] = atOrBefore.values(instrumentId, toNumber(date)) as BarRow[];
      return row ? toBar(row) : null;
    },
    /** The first bar at or after the date, or null. */
    findOnOrAfter(instrumentId: number, date: string): DailyBar | null {
      const [row] = onOrAfter.values(instrumentId, toNumber(date)) as BarRow[];
      return row ? toBar(row) : null;
    },
    /** Where the instrument's bars came from, or null where it has none. */
    findProvenance(instrumentId: number): Provenance | null {
      return history.get(instrumentId);
    },
    /**
     * Stores histories. Bars that are all newer than what the same source gave are added; any others
     * are the whole history and take its place. An imported history stays as it is, and so does any
     * where another source has no bar, or none as new, to put in its place.
     */
    put(records: Iterable<BarHistory>, provenance: Provenance): number {
      let stored = 0;
      for (const record of records) {
        const { id, source, newest: newestDate } = instrumentOf(record);
        if (source === IMPORT && provenance.source !== IMPORT) continue;
        const first = record.bars[0];
        const last = record.bars.at(-1);
        if (source !== provenance.source) {
          const reaches = newestDate === null || (last && toNumber(last.date) >= newestDate);
          if (!last || !reaches) continue;
        }
        const adds =
          source === provenance.source &&
          (first === undefined || (newestDate !== null && toNumber(first.date) > newestDate));
        if (!adds) dropHistory.run(id);
        write(id, record.bars, provenance);
        stored += record.bars.length;
      }
      return stored;
    },
    /** Puts these bars in the place of every bar that the instrument had, whatever their source. */
    replace(record: BarHistory, provenance: Provenance): number {
      const { id } = instrumentOf(record);
      dropHistory.run(id);
      write(id, record.bars, provenance);
      return record.bars.length;
    },
    /**
     * Puts the bars that `fill` adds, of any instruments and in any order, in the place of every bar
     * that these had; returns how many histories they make. A null adds a history without a bar.
     *
     * Until all are there, they lie in a temporary file, where SQLite sorts them: memory holds none of
     * them, and the market file is locked for no longer than it takes to copy them. So it is not to be
     * called within `transaction`.
     *
     * @throws BourseError `invalid_argument` with both places of a date that stands twice
     */
    replaceAll(
      fill: (add: (instrumentId: number, bar: DailyBar | null, place: Place) => void) => void,
      provenance: Provenance,
    ): number {
      writer.run(STAGED);
      const stage = writer.query("INSERT INTO staged_bars VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)");
      try {
        const ids = new Set<number>();
        // To sort what is in order already would cost a tenth of the whole import.
        let isOrdered = true;
        let [lastId, lastDate] = [0, 0];
        writer.transaction(() =>
          fill((id, bar, { within, number }) => {
            ids.add(id);
            if (!bar) return;
            const columns = columnsOf(bar);
            const [date] = columns;
            isOrdered &&= id > lastId || (id === lastId && date > lastDate);
            [lastId, lastDate] = [id, date];
            stage.run(id, ...columns, within, number);
          }),
        )();
        writer
          .transaction(() => {
            for (const id of ids) {
              dropHistory.run(id);
              putHistory.run(id, provenance.source, provenance.storedAt);
            }
            writer.run(
              `INSERT INTO scaled_bars SELECT instrument_id, date, open, high, low, close, volume
               FROM staged_bars ORDER BY ${isOrdered ? "rowid" : "instrument_id, date"}`,
            );
          })
          .immediate();
        return ids.size;
      } catch (error) {
        if (!(error instanceof SQLiteError && error.code === "SQLITE_CONSTRAINT_PRIMARYKEY"))
          throw error;
        const twice = writer.query<StagedTwice, []>(STAGED_TWICE).get();
        if (!twice) throw error;
        const earlier = { within: twice.earlierWithin, number: twice.earlierNumber };
        throw new BourseError(
          "invalid_argument",
          `${formatPlace(twice)}: date ${toDate(twice.date)} stands here and in ${formatPlace(earlier)}`,
        );
      } finally {
        writer.run("DROP TABLE temp.staged_bars");
      }
    },
  };
}
