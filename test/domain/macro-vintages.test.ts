import { describe, expect, test } from "bun:test";
import type { MacroSeries } from "#domain/macro.ts";
import {
  keepVintages,
  type MacroVintages,
  mergeVintages,
  seriesOn,
  vintagesOn,
} from "#domain/macro-vintages.ts";
import { addDays } from "#lib/date.ts";

/** A quarterly series with these figures, whose first one is of the first quarter of 2023. */
function growth(...values: readonly (number | null)[]): MacroSeries {
  return {
    country: "US",
    category: "gdp",
    id: "gdp",
    name: "GDP growth",
    unit: "%",
    decimals: 1,
    observations: values.flatMap((value, i) =>
      value === null ? [] : [{ period: `2023-Q${i + 1}`, value }],
    ),
  };
}

/** The vintages after these series are stored, one on each day. */
function kept(...stored: readonly (readonly [day: string, series: MacroSeries])[]): MacroVintages {
  let vintages: MacroVintages | null = null;
  for (const [day, series] of stored)
    vintages = keepVintages(vintages, null, series, Date.parse(`${day}T12:00Z`));
  if (!vintages) throw new Error("nothing is stored");
  return vintages;
}

/** `2023-Q1 2024-01-25 3.3`, with a star if an earlier figure may have been published. */
const listed = ({ vintages }: MacroVintages) =>
  vintages.map(
    ({ period, since, value, isBase }) => `${period} ${since} ${value}${isBase ? "*" : ""}`,
  );

describe("vintages of a series", () => {
  test("begin with the first stored figures, and none counts as a first publication", () => {
    expect(listed(kept(["2023-08-01", growth(1, 2)]))).toEqual([
      "2023-Q1 2023-08-01 1*",
      "2023-Q2 2023-08-01 2*",
    ]);
  });

  test("have each new and each changed figure with its day, and nothing if nothing changes", () => {
    const first = growth(1, 2);
    const all = kept(
      ["2023-08-01", first],
      ["2023-08-02", first],
      ["2023-10-26", growth(1, 2, 4.9)],
      ["2023-11-29", growth(1, 2.1, 5.2)],
    );
    expect(listed(all)).toEqual([
      "2023-Q1 2023-08-01 1*",
      "2023-Q2 2023-08-01 2*",
      "2023-Q2 2023-11-29 2.1",
      "2023-Q3 2023-10-26 4.9",
      "2023-Q3 2023-11-29 5.2",
    ]);
  });

  test("of several new periods, only the newest is known to be a first figure", () => {
    const all = kept(["2023-05-01", growth(1)], ["2024-02-01", growth(1, 2, 3)]);
    expect(listed(all).slice(1)).toEqual(["2023-Q2 2024-02-01 2*", "2023-Q3 2024-02-01 3"]);
  });

  test("take a correction on the same day as the figure of the day", () => {
    const all = kept(["2023-08-01", growth(1)], ["2023-08-01", growth(1.5)]);
    expect(listed(all)).toEqual(["2023-Q1 2023-08-01 1.5*"]);
  });

  test("say that a figure was withdrawn, but not that older ones are no longer given", () => {
    const all = kept(["2023-12-01", growth(1, 2, 3)], ["2023-12-05", growth(null, 2, null, 4)]);
    expect(listed(all)).toEqual([
      "2023-Q1 2023-12-01 1*",
      "2023-Q2 2023-12-01 2*",
      "2023-Q3 2023-12-01 3*",
      "2023-Q3 2023-12-05 null",
      "2023-Q4 2023-12-05 4",
    ]);
  });

  test("count from the day of the series that was stored before vintages were kept", () => {
    const before = { ...growth(1, 2), storedAt: Date.parse("2023-09-01T12:00Z") };
    const all = keepVintages(null, before, growth(1, 2.5), Date.parse("2023-11-01T12:00Z"));
    expect(listed(all)).toEqual([
      "2023-Q1 2023-09-01 1*",
      "2023-Q2 2023-09-01 2*",
      "2023-Q2 2023-11-01 2.5",
    ]);
  });

  test("begin again in another unit", () => {
    const inYen = { ...growth(500), unit: "JPY tn" };
    expect(listed(kept(["2023-08-01", growth(1)], ["2023-09-01", inYen]))).toEqual([
      "2023-Q1 2023-09-01 500*",
    ]);
  });
});

describe("a series on a day", () => {
  const series = growth(1, 2.1, 5.2);
  const all = kept(
    ["2023-08-01", growth(1, 2)],
    ["2023-10-26", growth(1, 2, 4.9)],
    ["2023-11-29", series],
  );
  const on = (day: string) => seriesOn(series, all, day)?.observations.map(({ value }) => value);

  test.each([
    ["2023-07-31", undefined],
    ["2023-08-01", [1, 2]],
    ["2023-10-25", [1, 2]],
    ["2023-10-26", [1, 2, 4.9]],
    ["2023-11-29", [1, 2.1, 5.2]],
  ])("has what was known at the end of %s", (day, values) => {
    expect(on(day)).toEqual(values);
    expect(vintagesOn(all, day)?.vintages.every(({ since }) => since <= day)).toBe(values && true);
  });

  test("is unknown if the vintages have another unit", () => {
    expect(seriesOn({ ...series, unit: "index" }, all, "2023-11-29")).toBeNull();
  });
});

/** What was kept here on three days. */
const OWN = kept(
  ["2023-08-01", growth(1, 2)],
  ["2023-10-26", growth(1, 2, 4.9)],
  ["2023-11-29", growth(1, 2, 5.2)],
);

test("vintages that a source gives replace the stored ones of their periods, except later ones", () => {
  const given: MacroVintages = {
    ...OWN,
    vintages: [
      { period: "2023-Q2", since: "2023-07-27", value: 2.4 },
      { period: "2023-Q2", since: "2023-08-30", value: 2 },
      { period: "2023-Q3", since: "2023-10-26", value: 4.9 },
    ],
  };
  expect(listed(mergeVintages(OWN, given))).toEqual([
    "2023-Q1 2023-08-01 1*",
    "2023-Q2 2023-07-27 2.4",
    "2023-Q2 2023-08-30 2",
    "2023-Q3 2023-10-26 4.9",
    "2023-Q3 2023-11-29 5.2",
  ]);
});

test("vintages of some days alone do not replace the exact ones that were kept here", () => {
  // The ends of months, without the days of the changes.
  const given: MacroVintages = {
    ...OWN,
    vintages: [
      { period: "2023-Q3", since: "2023-10-31", value: 4.9, isBase: true },
      { period: "2023-Q3", since: "2023-11-30", value: 5.2 },
    ],
  };
  expect(listed(mergeVintages(OWN, given))).toEqual(listed(OWN));
});

test("a series with too many changes keeps all its figures since an earlier day", () => {
  const monthly = (...values: readonly number[]): MacroSeries => ({
    ...growth(),
    observations: values.map((value, i) => ({ period: `2023-0${i + 1}`, value })),
  });
  const changes = Array.from({ length: 5_100 }, (_, i) => i);
  const vintages = changes.map((i) => ({
    period: "2023-02",
    since: addDays("2000-01-01", i),
    value: i,
  }));
  const base = { period: "2023-01", since: "2000-01-01", value: 7, isBase: true as const };
  const older = { country: "US" as const, id: "gdp", unit: "%", vintages: [base, ...vintages] };
  const all = keepVintages(older, null, monthly(7, 1), Date.parse("2023-06-01T12:00Z"));
  // The 5,000 newest of 5,102, and the figure of January.
  expect(all.vintages).toHaveLength(5_001);
  expect(listed(all).slice(0, 2)).toEqual(["2023-01 2000-04-11 7*", "2023-02 2000-04-11 101"]);
  expect(seriesOn(monthly(7, 1), all, "2023-05-31")?.observations).toEqual([
    { period: "2023-01", value: 7 },
    { period: "2023-02", value: 5_099 },
  ]);
});
