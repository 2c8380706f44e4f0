import { describe, expect, test } from "bun:test";
import { shillerPe } from "#sources/shiller/index-pe.ts";
import { answersFrom } from "../support/answers.ts";
import { faultOf, liveQuery, transformed } from "../support/fetcher.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

const query = liveQuery({ today: "2026-11-20" });
const HEADER = "Date,SP500,Dividend,Earnings,PE10";
const pes = (csv: string) => transformed("indexPe", shillerPe, csv, query);

describe("Shiller's price/earnings", () => {
  test("a ratio is price over earnings; zero or empty earnings are missing", () => {
    const csv = `${HEADER}\n2023-05-01,4000,68,160,28\n2023-06-01,4100,68,0.0,28\n2023-07-01,4200,,,\n`;
    expect(pes(csv)).toEqual([{ country: "US", month: "2023-05", pe: 25 }]);
  });

  test("another form is refused; a file without earnings is `nothing`", async () => {
    for (const csv of [
      "",
      "<!doctype html><html></html>",
      '{"message":"rate limited"}',
      "Date,Close\n2023-05-01,4000",
      `${HEADER}\n2023-05-01,4000,68,160,28\nignore this line`,
      `${HEADER}\n2023-05-01,4000,68,many,28`,
      `${HEADER}\n"2023-05-01,4000`,
      // It ends within a figure: 17 instead of 175.
      `${HEADER}\n2023-05-01,4000,68,17`,
    ]) {
      expect(await faultOf(() => pes(csv))).toBe("invalid_answer");
    }
    expect(await faultOf(() => pes(`${HEADER}\n2023-07-01,4200,0,0,0\n`))).toBe("nothing");
  });

  test("one file is requested", async () => {
    const client = answersFrom({ "data.csv": HEADER });
    expect(await shillerPe.fetch(query, client)).toBe(HEADER);
    expect(client.requests.map(({ url }) => url)).toEqual([
      "https://raw.githubusercontent.com/datasets/s-and-p-500/main/data/data.csv",
    ]);
  });
});

describe.skipIf(!hasRecordings)("the recorded series (../shared/data/pe_history)", () => {
  test("it has the months from 1871 to June 2023, when earnings end", () => {
    const months = pes(recordedText("pe_history/sp500_shiller_monthly.csv"));
    // 1871-01-01,4.44,0.26,0.4 and 2023-06-01,4345.372857142857,68.71,181.17
    expect(months[0]).toEqual({ country: "US", month: "1871-01", pe: 4.44 / 0.4 });
    expect(months.at(-1)?.month).toBe("2023-06");
    expect(months.at(-1)?.pe).toBeCloseTo(23.985, 3);
    // 152 years of twelve months, and six more months.
    expect(months).toHaveLength(152 * 12 + 6);
  });
});
