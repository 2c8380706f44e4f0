import { describe, expect, test } from "bun:test";
import type { Classification } from "#domain/classification.ts";
import { sp500Constituents } from "#sources/constituents/classifications.ts";
import type { LiveQuery } from "#sources/fetcher.ts";
import { ingested, transformed } from "../support/fetcher.ts";
import { answersFrom } from "../support/answers.ts";
import { hasRecordings, recordedText } from "../support/recordings.ts";

const QUERY: LiveQuery = { now: 0, after: null, country: "US", instrument: null };

async function membersOf(body: string): Promise<Classification[]> {
  const client = answersFrom({ "raw.githubusercontent.com": body }, { source: "constituents" });
  const raw = await sp500Constituents.fetch(QUERY, client);
  return transformed("classifications", sp500Constituents, raw, QUERY);
}

const list = (count: number, row = (i: number) => `A${i},Company ${i},Energy,${i}`) =>
  `Symbol,Security,GICS Sector,CIK\n${Array.from({ length: count }, (_, i) => `${row(i)}\n`).join("")}`;

describe("the members of the S&P 500", () => {
  test.skipIf(!hasRecordings)("have the sectors of the recorded list", async () => {
    const members = await membersOf(recordedText("constituents/sp500_constituents.csv"));
    // Counted in the file by Python's csv module.
    const counts: Record<string, number> = {};
    for (const { sector } of members) counts[sector ?? ""] = (counts[sector ?? ""] ?? 0) + 1;
    expect(counts).toEqual({
      industrials: 83,
      "financial-services": 76,
      technology: 73,
      healthcare: 59,
      "consumer-cyclical": 47,
      "consumer-defensive": 34,
      utilities: 31,
      "real-estate": 31,
      "basic-materials": 25,
      "communication-services": 23,
      energy: 21,
    });
    const sectorOf = (symbol: string) => members.find((one) => one.symbol === symbol)?.sector;
    expect(["GOOGL", "BRK.B", "WMT", "V", "NFLX", "MMM"].map(sectorOf)).toEqual([
      "communication-services",
      "financial-services",
      "consumer-defensive",
      "financial-services",
      "communication-services",
      "industrials",
    ]);
    expect(members.every(({ indexMember, replaces }) => indexMember && !replaces)).toBe(true);
  });

  test("have a dot before the class of a share, also if the list has a hyphen", async () => {
    const members = await membersOf(
      list(500, (i) => (i === 0 ? "BRK-B,B,Financials,5" : `A${i},A,Energy,1`)),
    );
    expect(members[0]).toEqual({
      country: "US",
      symbol: "BRK.B",
      sector: "financial-services",
      replaces: false,
      indexMember: true,
    });
  });

  test.each([
    ["a sector of another taxonomy", "A9,A,__proto__,1"],
    ["no symbol", ",A,Energy,1"],
    ["a CIK that is none", "A9,A,Energy,x"],
  ])("are read without a line with %s", (_, line) => {
    const text = list(500, (i) => (i === 9 ? line : `A${i},A,Energy,1`));
    const { records, leftOut } = ingested("classifications", sp500Constituents, text, QUERY);
    expect([records.length, leftOut]).toEqual([499, 1]);
  });

  test.each([
    ["half of the list", list(250)],
    ["far too many", list(700)],
    ["a cut list", list(500).slice(0, -3)],
    ["another header", list(500).replace("Symbol", "Ticker")],
    ["sixty lines that are none", list(560, (i) => `A${i},A,${i < 60 ? "__proto__" : "Energy"},1`)],
    ["a page for people", "<html></html>\n"],
    ["nothing", ""],
  ])("are refused with %s", async (_, body) => {
    const error: unknown = await membersOf(body).catch((e: unknown) => e);
    expect(error).toMatchObject({ fault: "invalid_answer" });
  });
});
