import { describe, expect, test } from "bun:test";
import { reportsWeek } from "#console/app/pages/lists/reports-week.ts";

type Data = Parameters<typeof reportsWeek>[0];

const report = (symbol: string, date: string) => ({ symbol, date }) as Data["earnings"][number];
const NONE: Data = { earnings: [], without_date: [], not_covered: [] };
const UNTIL = "2026-11-26";

describe("reportsWeek", () => {
  test("names the companies that report within seven days", () => {
    const earnings = [report("NVDA", "2026-11-25"), report("ORCL", "2026-12-10")];
    expect(reportsWeek({ ...NONE, earnings, not_covered: ["JP:7203"] }, UNTIL)).toBe(
      "Reports within seven days: NVDA.",
    );
  });

  test("says that no company reports only of companies whose dates are known", () => {
    const earnings = [report("ORCL", "2026-12-10")];
    expect(reportsWeek({ ...NONE, earnings }, UNTIL)).toBe(
      "No company of the list reports within seven days.",
    );
    const some = "No company with a known date reports within seven days.";
    expect(reportsWeek({ ...NONE, earnings, not_covered: ["JP:7203"] }, UNTIL)).toBe(some);
    expect(reportsWeek({ ...NONE, earnings, without_date: ["AAPL"] }, UNTIL)).toBe(some);
  });

  test("says nothing where no date is known", () => {
    expect(reportsWeek({ ...NONE, not_covered: ["JP:7203", "VN:FPT"] }, UNTIL)).toBeNull();
    expect(reportsWeek({ ...NONE, without_date: ["AAPL"] }, UNTIL)).toBeNull();
  });
});
