import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { endChildren, resultOf, spawnChild } from "../support/child-process.ts";
import { startService, temporaryFolder } from "../support/service.ts";

// Not part of the suite: it needs the Debian package libreoffice-calc-nogui.

const isInstalled = Bun.which("soffice") !== null;
if (!isInstalled) process.stderr.write("SKIPPED: LibreOffice needs libreoffice-calc-nogui.\n");
const { folder, remove } = temporaryFolder();
const service = await startService();

afterAll(async () => {
  await endChildren();
  await service.stop();
  remove();
});

/** A new user with that plan and a feed link. */
function createLink(plan: "free" | "max" = "max") {
  const { user } = service.createToken(plan);
  return service.accounts.createToken(user, "a sheet", null, "feed");
}

const urlOf = (link: string, path: string) => `${service.origin}/feed/${link}/sheets/${path}`;

/** Opens a URL as a sheet, as File → Open does, and returns its cells; null if it cannot be opened. */
async function open(link: string, path: string): Promise<string[][] | null> {
  const out = join(folder, "out");
  rmSync(out, { recursive: true, force: true });
  const profile = `-env:UserInstallation=file://${join(folder, "profile")}`;
  const command = ["soffice", profile, "--headless", "--convert-to", "csv", "--outdir", out];
  await resultOf(spawnChild([...command, urlOf(link, path)], { stdout: "pipe", stderr: "pipe" }));
  const [file] = existsSync(out) ? readdirSync(out) : [];
  if (file === undefined) return null;
  const text = await Bun.file(join(out, file)).text();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => line.split(","));
}

describe.skipIf(!isInstalled)("LibreOffice Calc", () => {
  const { token: link } = createLink();

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

  test("does not open an unknown symbol, a used-up quota and a revoked link", async () => {
    expect(await open(link, "history.csv?symbol=NONE1")).toBeNull();
    const free = createLink("free");
    for (let i = 0; i < 30; i++) await fetch(urlOf(free.token, "value?symbol=AAPL"));
    expect(await open(free.token, "quotes.csv?symbols=AAPL")).toBeNull();
    service.accounts.revokeToken(free.id);
    expect(await open(free.token, "quotes.csv?symbols=AAPL")).toBeNull();
  });
});

/** `2026-10-01` or `10/01/26`. */
function toIsoDate(text: string): string {
  const [, month, day, year] = /^(\d{2})\/(\d{2})\/(\d{2,4})$/.exec(text) ?? [];
  return year === undefined ? text : `20${year.slice(-2)}-${month}-${day}`;
}
