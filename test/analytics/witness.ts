import { test } from "bun:test";
import type { Series } from "#analytics/series.ts";
import type { BarSeries } from "#domain/daily-bar.ts";
import { lazy } from "#lib/lazy.ts";
import { hasRecordings, recordedJson, recordedText } from "../support/recordings.ts";
import { expectSeries } from "./expect-series.ts";

/** A test against values of an independent implementation; skipped without `../shared/data`. */
export function testWitness(name: string, body: () => void): void {
  test.skipIf(!hasRecordings)(hasRecordings ? name : `${name} (../shared/data is absent)`, body);
}

/** The 502 bars of Skender's expected values. */
export const skenderBars = lazy(() => readBars("indicators/skender-default-quotes.csv"));

/** The 5,241 bars of Tulip's values. */
export const spyBars = lazy(() => readBars("tulip/SPY_D.csv"));

/** One column of Skender's expected values, NaN for null. */
export function skenderSeries(file: string, name: string): Series {
  const rows = readJson<Record<string, number | null>[]>(
    `indicators/skender-${file}.standard.json`,
  );
  return Float64Array.from(rows, (row) => row[name] ?? NaN);
}

const tulipArrays = lazy(
  () => readJson<{ arrays: Record<string, number[]> }>("tulip/tulipy_oracle.json").arrays,
);

/** The last 2,100 values of one Tulip output over {@link spyBars}. */
export function tulipTail(name: string): Series {
  const values = tulipArrays()[name];
  if (!values) throw new Error(`Tulip has no ${name}`);
  return Float64Array.from(values);
}

/** The answer of TradingView's screener for one stock, by column name. */
export type Snapshot = Readonly<Record<string, number>>;

/** The recorded Tokyo stocks by code. */
export function tokyoSnapshots(): [code: string, snapshot: Snapshot][] {
  const { values } = readJson<{ values: Record<string, Snapshot> }>(
    "tradingview/tse11-2026-09-18.json",
  );
  return Object.entries(values);
}

/** Expects the end of the series to equal Tulip's values within 1e-8. */
export function expectTulip(actual: Series, name: string): void {
  const expected = tulipTail(name);
  expectSeries(actual.subarray(-expected.length), expected, 1e-8);
}

/** Expects the series to equal Skender's values from the first bar on, within 1e-9. */
export function expectSkender(actual: Series, file: string, name: string): void {
  expectSeries(actual, skenderSeries(file, name), 1e-9);
}

function readJson<T>(path: string): T {
  return recordedJson(`reference/${path}`);
}

/** Reads date, open, high, low, close and volume in any order of columns. */
function readBars(path: string): BarSeries {
  const [header = "", ...lines] = recordedText(`reference/${path}`).trim().split(/\r?\n/);
  const names = header.split(",");
  const rows = lines.map((line) => line.split(","));
  const texts = (name: string) => rows.map((row) => row[names.indexOf(name)] ?? "");
  const numbers = (name: string) => Float64Array.from(texts(name), Number);
  return {
    dates: texts("date"),
    open: numbers("open"),
    high: numbers("high"),
    low: numbers("low"),
    close: numbers("close"),
    volume: numbers("volume"),
  };
}
