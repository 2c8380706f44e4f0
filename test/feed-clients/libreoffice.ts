import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { resultOf, spawnChild } from "../support/child-process.ts";
import { putLookalikes } from "../support/lookalikes.ts";
import { fillRecipes } from "../support/recipes.ts";
import { startForPrograms } from "../support/program-service.ts";

// Not part of the suite: it needs the Debian package libreoffice-calc-nogui.

const isInstalled = Bun.which("soffice") !== null;
if (!isInstalled) process.stderr.write("SKIPPED: LibreOffice needs libreoffice-calc-nogui.\n");
const { service, folder } = await startForPrograms();
putLookalikes(service.market);
const { textOf } = fillRecipes(service);

const urlOf = (link: string, path: string) => `${service.origin}/feed/${link}/sheets/${path}`;

/** How a user opens a table. */
interface Opening {
  /** The language of the program. */
  readonly language: string;
  /** The choices of the import dialog, as LibreOffice writes them; its own if empty. */
  readonly dialog: string;
}

const AS_IT_IS: Opening = { language: "en-US", dialog: "" };

/** Opens a URL as File → Open does, and returns it as a file of that type; null if it cannot be opened. */
async function convert(
  url: string,
  type: "csv" | "fods",
  { language, dialog }: Opening = AS_IT_IS,
): Promise<string | null> {
  const out = join(folder, "out");
  rmSync(out, { recursive: true, force: true });
  const profile = join(folder, language);
  mkdirSync(join(profile, "user"), { recursive: true });
  await Bun.write(
    join(profile, "user", "registrymodifications.xcu"),
    `<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Setup/L10N"><prop oor:name="ooSetupSystemLocale" oor:op="fuse"><value>${language}</value></prop></item>
</oor:items>`,
  );
  const chosen = dialog === "" ? [] : [`--infilter=Text - txt - csv (StarCalc):${dialog}`];
  // prettier-ignore
  const command = ["soffice", `-env:UserInstallation=file://${profile}`, "--headless", ...chosen, "--convert-to", type, "--outdir", out, url];
  await resultOf(spawnChild(command, { stdout: "pipe", stderr: "pipe" }));
  const [file] = existsSync(out) ? readdirSync(out) : [];
  return file === undefined ? null : Bun.file(join(out, file)).text();
}

/** The cells of a table that LibreOffice opened. */
async function open(link: string, path: string): Promise<string[][] | null> {
  const text = await convert(urlOf(link, path), "csv");
  return (
    text
      ?.trimEnd()
      .split("\n")
      .map((line) => line.split(",")) ?? null
  );
}

/** The numbers of the rows of a table, which SUM adds, without its texts and dates. */
async function openNumbers(link: string, path: string, opening: Opening): Promise<number[][]> {
  const text = (await convert(urlOf(link, path), "fods", opening)) ?? "";
  const rows = text.split("<table:table-row").slice(1);
  return rows.map((row) =>
    [...row.matchAll(/office:value-type="float" office:value="([^"]+)"/g)].map(([, value]) =>
      Number(value),
    ),
  );
}

describe.skipIf(!isInstalled)("LibreOffice Calc", () => {
  const { link } = service.createFeedLink();

  test("opens the address of the recipe", async () => {
    const url = textOf("LibreOffice Calc", "A table");
    const csv = await (await fetch(url)).text();
    expect(await convert(url, "csv")).toBe(csv.replaceAll("\r\n", "\n"));
  });

  test("opens quotes of three countries, with an empty row for an unknown symbol", async () => {
    const path = "quotes.csv?symbols=AAPL,7203.T,HOSE:FPT,NONE1&fields=price,currency,pe";
    const sheet = await open(link, path);
    const csv = await (await fetch(urlOf(link, path))).text();
    expect(sheet).toEqual(
      csv
        .trimEnd()
        .split("\r\n")
        .map((line) => line.split(",")),
    );
    expect(sheet?.[4]).toEqual(["NONE1", "", "", ""]);
  });

  test("opens a history as dates and numbers", async () => {
    const [names = [], ...rows] =
      (await open(link, "history.csv?symbol=7203&from=2026-10-01&to=2026-11-18")) ?? [];
    const toyota = service.market.instruments.find({ country: "JP", symbol: "7203" });
    const { dates, close } = service.market.bars.series(toyota?.id ?? 0, 99, {
      from: "2026-10-01",
      before: "2026-11-19",
    });
    // Calc shows the dates that it has read in the form of its locale.
    const days = dates.map((date) => new Date(date).toISOString().slice(0, 10));
    expect(rows.map(([date = ""]) => toIsoDate(date))).toEqual(days);
    const closes = rows.map((row) => Number(row[names.indexOf("close")]));
    expect(closes).toEqual([...close]);
  });

  // The numbers of the dialog: the separator, the quote, UTF-8, the first row, and the language of the table.
  test.each([
    ["vi-VN", "&decimal=comma", "59,34,76,1"],
    ["de-DE", "&decimal=comma", "59,34,76,1"],
    ["fr-FR", "&decimal=comma", "59,34,76,1"],
    ["vi-VN", "", "44,34,76,1,,1033"],
    ["fr-FR", "", "44,34,76,1,,1033"],
  ])("opens in %s a table with '%s' as our numbers", async (language, more, dialog) => {
    const symbols = "US:PEPE-USD,US:CENT-USD,US:HUGE,VN:HDB,US:HDB,AAPL,NONE1";
    const path = `quotes.csv?symbols=${symbols}&fields=price,name,currency,volume,change_percent`;
    const csv = await (await fetch(urlOf(link, path))).text();
    const figures = csv
      .trimEnd()
      .split("\r\n")
      .map((line) => {
        const [, price, , , ...rest] = line.split(",");
        return [price, ...rest].filter((cell) => cell !== "").map(Number);
      });
    const [, ...expected] = figures;
    const [names, ...rows] = await openNumbers(link, path + more, { language, dialog });
    expect(names).toEqual([]);
    expect(rows).toEqual(expected);
    expect(rows.map(([price]) => price).slice(0, 3)).toEqual([0.00000043, 0.236, 1234567890]);
  });

  test("does not open an unknown symbol, a used-up quota and a revoked link", async () => {
    expect(await open(link, "history.csv?symbol=NONE1")).toBeNull();
    const free = service.createFeedLink("free");
    for (let i = 0; i < 30; i++) await fetch(urlOf(free.link, "value?symbol=AAPL"));
    expect(await open(free.link, "quotes.csv?symbols=AAPL")).toBeNull();
    service.accounts.revokeToken(free.id);
    expect(await open(free.link, "quotes.csv?symbols=AAPL")).toBeNull();
  });
});

/** `2026-10-01` or `10/01/26`. */
function toIsoDate(text: string): string {
  const [, month, day, year] = /^(\d{2})\/(\d{2})\/(\d{2,4})$/.exec(text) ?? [];
  return year === undefined ? text : `20${year.slice(-2)}-${month}-${day}`;
}
