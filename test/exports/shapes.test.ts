import { beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { ZipFile } from "#lib/zip.ts";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { runAt } from "../support/cli.ts";
import { instrument, stock } from "../support/market.ts";
import { START } from "../support/service.ts";
import { bar, putSplitShare } from "./split-share.ts";

const folder = openFolder();
const data = join(folder.path, "data");
const at = (path: string) => join(folder.path, path);
const text = (path: string) => readFileSync(at(path), "utf8");
const filesBelow = (path: string) =>
  readdirSync(at(path), { recursive: true, encoding: "utf8" })
    .filter((name) => statSync(join(at(path), name)).isFile())
    .toSorted();
const exportAs = async (format: string, ...flags: string[]) => {
  const env = { BOURSE_DATA: data };
  const result = await runAt(() => START, env, "export", at(format), "--format", format, ...flags);
  expect(result).toMatchObject({ code: 0 });
  return result.stdout;
};

beforeAll(() => {
  const market = openMarket(data);
  putSplitShare(market);
  const provenance = { source: "yahoo", storedAt: START };
  market.instruments.put(
    [
      stock("US", "NOSPLIT"),
      stock("US", "NODIV"),
      instrument("US", "^GSPC", { assetType: "index" }),
      stock("JP", "7203"),
    ],
    provenance,
  );
  const bars = [bar("2026-11-19", 10)];
  market.put(
    "bars",
    [
      { country: "US", symbol: "NOSPLIT", bars },
      { country: "US", symbol: "NODIV", bars },
      { country: "US", symbol: "^GSPC", bars },
      { country: "JP", symbol: "7203", bars },
    ],
    provenance,
  );
  const none = (country: "US" | "JP", symbol: string) => ({ country, symbol, splits: [] });
  market.documents.put("splits", [none("US", "NODIV"), none("JP", "7203")], provenance);
  market.documents.put("dividends", [{ country: "JP", symbol: "7203", dividends: [] }], provenance);
  market.close();
});

// Two old shares were 98 together, so one was: 49 × 2. The traded volume is 100 / 2.
describe("the form of LEAN", () => {
  test("has raw bars in ten-thousandths, the symbol, and factors up to the day before each ex-date", async () => {
    const output = await exportAs("lean");
    expect(filesBelow("lean")).toEqual([
      "equity/usa/daily/splt.zip",
      "equity/usa/factor_files/splt.csv",
      "equity/usa/map_files/splt.csv",
      "manifest.json",
    ]);
    const daily = new ZipFile(readFileSync(at("lean/equity/usa/daily/splt.zip"))).read("splt.csv");
    expect(Buffer.from(daily ?? []).toString()).toBe(
      "20261117 00:00,980000,1000000,960000,980000,50\n" +
        "20261118 00:00,500000,510000,490000,500000,\n" +
        "20261119 00:00,510000,520000,500000,510000,100\n",
    );
    expect(text("lean/equity/usa/map_files/splt.csv")).toBe("20261117,splt\n20501231,splt\n");
    // The dividend: 1 − 1 / 50. The reference price is the close as traded.
    expect(text("lean/equity/usa/factor_files/splt.csv")).toBe(
      "20261117,0.98,0.5,98\n20261118,0.98,1,50\n20501231,1,1,0\n",
    );
    expect(output).toContain("1 instrument left out: prices as traded need the splits");
    expect(output).toContain("1 instrument left out: factor files need the dividends");
  });

  test("is a ZIP file that other programs read", () => {
    const { stdout, exitCode } = Bun.spawnSync([
      "python3",
      "-c",
      `import zipfile; z = zipfile.ZipFile(${JSON.stringify(at("lean/equity/usa/daily/splt.zip"))}); print(z.testzip(), z.namelist())`,
    ]);
    if (exitCode === 0) expect(stdout.toString().trim()).toBe("None ['splt.csv']");
  });
});

test("the form of zipline has raw bars with the dividend and the split of the day", async () => {
  await exportAs("zipline");
  expect(filesBelow("zipline")).toEqual([
    "JP/daily/7203.csv",
    "US/daily/SPLT.csv",
    "manifest.json",
  ]);
  expect(text("zipline/US/daily/SPLT.csv")).toBe(
    "date,open,high,low,close,volume,dividend,split\n" +
      "2026-11-17,98,100,96,98,50,0,1\n" +
      "2026-11-18,50,51,49,50,,0,2\n" +
      "2026-11-19,51,52,50,51,100,1,1\n",
  );
});

test("flat files have all shares of a day, raw, with the start of the local day in nanoseconds", async () => {
  await exportAs("flat", "--country", "US");
  expect(filesBelow("flat")).toEqual([
    "US/2026/11/2026-11-17.csv.gz",
    "US/2026/11/2026-11-18.csv.gz",
    "US/2026/11/2026-11-19.csv.gz",
    "manifest.json",
  ]);
  const dayOf = (date: string) =>
    gunzipSync(readFileSync(at(`flat/US/2026/11/${date}.csv.gz`))).toString();
  const header = "ticker,volume,open,close,high,low,window_start,transactions\n";
  // New York is five hours behind UTC in November.
  const startOf = (date: string) => `${Date.parse(`${date}T05:00:00Z`)}000000`;
  expect(dayOf("2026-11-17")).toBe(`${header}SPLT,50,98,98,100,96,${startOf("2026-11-17")},\n`);
  expect(dayOf("2026-11-19")).toBe(
    `${header}NODIV,100,10,10,11,9,${startOf("2026-11-19")},\n` +
      `SPLT,100,51,51,52,50,${startOf("2026-11-19")},\n`,
  );
});

test("a symbol that is a device of Windows has another name in both forms, and a note", async () => {
  const own = join(folder.path, "devices");
  const market = openMarket(own);
  const provenance = { source: "yahoo", storedAt: START };
  const key = { country: "US", symbol: "CON" } as const;
  market.instruments.put([stock("US", "CON")], provenance);
  market.put("bars", [{ ...key, bars: [bar("2026-11-19", 10)] }], provenance);
  market.documents.put("splits", [{ ...key, splits: [] }], provenance);
  market.documents.put("dividends", [{ ...key, dividends: [] }], provenance);
  market.close();
  for (const [format, file] of [
    ["zipline", "US/daily/CON_.csv"],
    ["lean", "equity/usa/daily/con_.zip"],
  ] as const) {
    const target = at(`devices-${format}`);
    const flags = ["export", target, "--format", format];
    expect(await runAt(() => START, { BOURSE_DATA: own }, ...flags)).toMatchObject({ code: 0 });
    expect(filesBelow(`devices-${format}`)).toContain(file);
    const { notes } = JSON.parse(text(`devices-${format}/manifest.json`)) as { notes: string[] };
    expect(notes).toContain("CON is in CON_, because Windows reserves the name CON.");
  }
});
