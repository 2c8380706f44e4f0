import { describe, expect, test } from "bun:test";
import { createLocalWriter } from "#ingest/changes.ts";
import { storeIndexPe } from "#ingest/index-pe.ts";
import { openTestMarket } from "../support/market.ts";

/** A market and its index P/E. */
function openNotes() {
  const home = openTestMarket();
  const { market } = home;
  const writer = createLocalWriter(market);
  let computed = 0;
  return {
    market,
    /** How often the P/E was computed. */
    computed: () => computed,
    note: (at: string, pe: number | null) =>
      storeIndexPe({ market, writer }, "VN", Date.parse(`${at}:00Z`), async () => {
        computed++;
        return pe;
      }),
    stored: () =>
      market.documents.list("indexPe", "VN").map(({ month, pe, source }) => [month, pe, source]),
    [Symbol.dispose]: () => home[Symbol.dispose](),
  };
}

describe("the index P/E of a month", () => {
  test("is the last one that was computed in it, and stays once the month is over", async () => {
    using home = openNotes();
    await home.note("2026-11-27T09:00", 14);
    // The last session of November ends at 8:30 UTC.
    await home.note("2026-11-30T08:31", 15);
    await home.note("2026-12-01T08:29", 99);
    expect(home.stored()).toEqual([["2026-11", 15, "computed"]]);
    await home.note("2026-12-01T08:31", 16);
    expect(home.stored()).toEqual([
      ["2026-11", 15, "computed"],
      ["2026-12", 16, "computed"],
    ]);
  });

  test("is computed once for each session, also if the result is unknown", async () => {
    using home = openNotes();
    await home.note("2026-11-20T09:00", null);
    await home.note("2026-11-20T12:00", 14);
    await home.note("2026-11-22T12:00", 14);
    expect([home.computed(), home.stored()]).toEqual([1, []]);
    await home.note("2026-11-23T09:00", 14);
    expect([home.computed(), home.stored()]).toEqual([2, [["2026-11", 14, "computed"]]]);
  });

  test.each(["import", "shiller"])(
    "does not replace the value that %s gave for the month",
    async (source) => {
      using home = openNotes();
      home.market.put("indexPe", [{ country: "VN", month: "2026-11", pe: 20 }], {
        source,
        storedAt: 1,
      });
      await home.note("2026-11-20T09:00", 14);
      expect(home.stored()).toEqual([["2026-11", 20, source]]);
      await home.note("2026-12-01T09:00", 14);
      expect(home.stored()).toHaveLength(2);
    },
  );
});
