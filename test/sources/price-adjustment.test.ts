import { describe, expect, test } from "bun:test";
import { KNOWN_CLOSES, priceAdjustment } from "#sources/price-adjustment.ts";
import { csvRows } from "#lib/csv.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

const [FPT] = KNOWN_CLOSES;
if (!FPT) throw new Error("no close is known");

describe("the adjustment of closes", () => {
  test("is of splits if the close is the traded one, and total if cash dividends were subtracted", () => {
    expect(priceAdjustment(FPT, 95_800, null)).toBe("split");
    // A dividend of 1,000 dong at a price of 73,700: 95,800 · (1 − 1,000 / 73,700) = 94,500.
    expect(priceAdjustment(FPT, 94_500, null)).toBe("total");
  });

  test("takes known splits into account", () => {
    const bonus = [{ exDate: "2026-06-01", numerator: 110, denominator: 100 }];
    // 95,800 / 1.1, and that with the dividend.
    expect(priceAdjustment(FPT, 87_091, bonus)).toBe("split");
    expect(priceAdjustment(FPT, 85_909, bonus)).toBe("total");
    const earlier = [{ exDate: "2025-06-01", numerator: 115, denominator: 100 }];
    expect(priceAdjustment(FPT, 95_800, earlier)).toBe("split");
  });

  test("is unknown if an unknown share dividend explains the close, or nothing does", () => {
    expect(priceAdjustment(FPT, 87_091, null)).toBeNull();
    expect(priceAdjustment(FPT, 83_304, null)).toBeNull();
    expect(priceAdjustment(FPT, 95.8, null)).toBeNull();
    expect(priceAdjustment(FPT, 99_000, null)).toBeNull();
    // Without any split, it is a dividend of that size.
    expect(priceAdjustment(FPT, 87_091, [])).toBe("total");
  });
});

describe.skipIf(!hasRecordings)("recorded files of FPT (../shared/data/prices)", () => {
  test("investing.com has traded closes, vnstock's source VCI subtracts dividends", () => {
    const rows = (file: string) => [...csvRows(recordedText(`prices/${file}`))];
    const investing = rows("FPT_investing.csv").find(({ cells }) => cells[0] === "31/12/2025");
    const traded = Number(investing?.cells[1]?.replaceAll(",", ""));
    expect(traded).toBe(FPT.close);
    expect(priceAdjustment(FPT, traded, null)).toBe("split");
    const vci = rows("FPT_vci.csv").find(({ cells }) => cells[0]?.startsWith(FPT.date));
    expect(priceAdjustment(FPT, 1_000 * Number(vci?.cells[4]), null)).toBe("total");
  });
});
