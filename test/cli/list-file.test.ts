import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Terminal } from "#cli/secret-prompt.ts";
import { expectFailure, openUsers, runWith } from "../support/cli.ts";
import { copySampleMarket } from "../support/service.ts";

const users = await openUsers("anna", "ben");
const { path: folder, run } = users;
beforeAll(() => copySampleMarket(folder), 600_000);
afterAll(() => users[Symbol.dispose]());

/** The path of a file with this content. */
function fileOf(name: string, content: string): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

/** A terminal on which these texts are typed, in cooked mode. */
function terminalOf(...typed: string[]): Terminal {
  const input = (async function* () {
    for (const text of typed) yield new TextEncoder().encode(text);
  })();
  return {
    input,
    setRawMode: () => {
      throw new Error("the answer is no secret");
    },
  };
}

const runTyped = (typed: string, ...argv: string[]) =>
  runWith({ openTerminal: () => terminalOf(typed) }, { BOURSE_DATA: folder }, ...argv);

const itemsOf = async (name: string, ...flags: string[]): Promise<unknown> =>
  (JSON.parse((await run("list", "show", name, "--json", ...flags)).stdout) as { items: unknown })
    .items;

const SEMIS = "###CHIPS,NASDAQ:NVDA,TSE:7203,LSE:VOD,NASDAQ:NVDIA";

describe("list import", () => {
  test("shows what is understood and stores nothing until it is confirmed", async () => {
    const path = fileOf("My Semis.txt", SEMIS);
    const refused = await run("list", "import", path);
    expectFailure(
      { ...refused, stdout: "" },
      "Nothing was stored. Save 2 items as the list my-semis of anna? Give --yes.",
    );
    expect(refused.stdout).toStartWith("Form: TradingView. Understood: 2 of 4 instruments.\n");
    expect(refused.stdout).toMatch(/^US:NVDA +NVIDIA .* line 1$/m);
    expect(refused.stdout).toContain(
      "Not understood:\n  line 1, LSE:VOD: LSE:VOD is listed in London, and only US, JP and VN are covered\n",
    );
    expect(refused.stdout).toContain("the nearest is US:NVDA");
    expect(await run("list", "import", path, "--dry-run")).toMatchObject({ code: 0, stderr: "" });
    expect((await runTyped("n\n", "list", "import", path)).stderr).toEndWith(
      "Nothing was stored.\n",
    );
    expect((await runTyped("", "list", "import", path)).stderr).toEndWith("Nothing was stored.\n");
    expect((await run("list", "show")).stdout).toStartWith("anna has no list yet;");

    const saved = await runTyped("y\n", "list", "import", path);
    expect(saved.stdout).toBe(refused.stdout);
    expect(saved.stderr).toBe(
      "Save 2 items as the list my-semis of anna? [y/N] Saved the list my-semis: 2 items.\n",
    );
    expect(await itemsOf("my-semis")).toEqual([
      { country: "US", symbol: "NVDA" },
      { country: "JP", symbol: "7203" },
    ]);
  });

  test("replaces a list only if its name is given, and belongs to the user who is named", async () => {
    const path = fileOf("mine.csv", "Symbol,Shares\nAAPL,2\n");
    expect((await run("list", "import", path, "--yes")).code).toBe(0);
    writeFileSync(path, "Symbol,Shares\nAAPL,3\n");
    const words = "Replace the list mine of anna, which has 1 item? Give --name mine to do so";
    expectFailure({ ...(await run("list", "import", path, "--yes")), stdout: "" }, words);
    const replaced = await run("list", "import", path, "--yes", "--name", "Mine");
    expect(replaced.stderr).toBe("Replaced the list mine: 1 item.\n");
    expect(await itemsOf("mine")).toEqual([{ country: "US", symbol: "AAPL", shares: 3 }]);

    expect((await run("list", "import", path, "--user", "ben", "--yes")).code).toBe(0);
    expect((await run("list", "show", "--user", "ben")).stdout).toContain("mine");
    expect((await run("audit", "--limit", "1")).stdout).toContain("list mine of ben (1 item)");
    expectFailure(
      await run("list", "import", path, "--user", "eve", "--yes"),
      "There is no user eve",
    );
  });

  test("prints everything as JSON, and takes the decimal mark", async () => {
    const path = fileOf("depot.csv", "Symbol;Stück;Kaufdatum\nAAPL;1.500;2026-01-05\nUSD;20;\n");
    expectFailure(await run("list", "import", path), "give --decimal point or --decimal comma");
    const { stdout } = await run("list", "import", path, "--decimal", "comma", "--yes", "--json");
    expect(JSON.parse(stdout)).toMatchObject({
      name: "depot",
      saved: true,
      program: "CSV",
      items: [
        { place: "line 2", item: { country: "US", symbol: "AAPL", shares: 1500 }, why: null },
      ],
      notUnderstood: [],
      remarks: [{ place: "line 3", written: "USD" }],
      notRead: ["Kaufdatum"],
    });
    const shown = await run("list", "import", path, "--decimal", "comma", "--dry-run");
    expect(shown.stdout).toEndWith("\nNot read: Kaufdatum.\n");
  });

  test("asks where a file has two readings, and takes the answer", async () => {
    const rows = [
      "05/02/2024,AAPL,Buy,10,",
      "03/04/2024,AAPL,Split,,4:1",
      "06/03/2024,AAPL,Buy,10,",
    ];
    const path = fileOf("two.csv", `Date,Symbol,Type,Quantity,Note\n${rows.join("\n")}\n`);
    expectFailure(
      await run("list", "import", path),
      "AAPL then has 80 or 20 shares: give --date-order dmy or --date-order mdy",
    );
    const dated = await run("list", "import", path, "--date-order", "mdy", "--dry-run", "--json");
    expect(JSON.parse(dated.stdout)).toMatchObject({ items: [{ item: { shares: 20 } }] });
    writeFileSync(path, "Symbol,Quantity\nAAPL,60\nAAPL,30\nTotal AAPL,100\n");
    expectFailure(await run("list", "import", path), "give --count totals or --count lots");
    const counted = await run("list", "import", path, "--count", "totals", "--dry-run", "--json");
    expect(JSON.parse(counted.stdout)).toMatchObject({ items: [{ item: { shares: 100 } }] });
    expectFailure(
      await run("list", "import", path, "--count", "all"),
      "--count must be one of totals, lots",
    );
  });

  test("a purchase of today's date in Tokyo is not in the future", async () => {
    const path = fileOf(
      "tokyo.csv",
      "Date,Symbol,Type,Quantity\n2026-11-26,7203,Buy,100\n2026-11-27,7203,Buy,1\n",
    );
    // 08:30 on 26 November in Tokyo.
    const clock = () => Date.UTC(2026, 10, 25, 23, 30);
    const { stdout } = await runWith(
      { clock },
      { BOURSE_DATA: folder },
      "list",
      "import",
      path,
      "--dry-run",
    );
    expect(stdout).toMatch(/^JP:7203 .* 100 /m);
    expect(stdout).toContain("left out: its date 2026-11-27 is in the future");
  });

  test.each([
    [
      "a file without instruments that are known",
      "Symbol\nQQQQQQ\n",
      [],
      "No instrument is understood",
    ],
    [
      "a name without letters",
      "AAPL\n",
      ["--name", "株"],
      "--name must have letters a-z or digits",
    ],
    [
      "another decimal mark",
      "AAPL\n",
      ["--decimal", "dot"],
      "--decimal must be one of point, comma",
    ],
    [
      "XML of another program",
      "<gpx></gpx>",
      [],
      "refused.txt, line 1: this is XML of another program",
    ],
  ])("refuses %s", async (_, content, flags, words) => {
    const result = await run("list", "import", fileOf("refused.txt", content), "--yes", ...flags);
    expectFailure({ ...result, stdout: "" }, words);
  });

  test("refuses a file that is not there", async () => {
    expectFailure(
      await run("list", "import", join(folder, "nothing.csv")),
      "there is no such file",
    );
  });
});

describe("list export", () => {
  test("prints a file that list import reads", async () => {
    const source = fileOf(
      "x.csv",
      "country,symbol,shares,weight,note\r\nUS,AAPL,2.5,,core\r\nJP,7203,,40,\r\n",
    );
    await run("list", "import", source, "--yes", "--name", "round");
    const { stdout, stderr } = await run("list", "export", "round");
    expect([stdout, stderr]).toEqual([
      "country,symbol,shares,weight,note\r\nUS,AAPL,2.5,,core\r\nJP,7203,,40,\r\n",
      "",
    ]);
    await run("list", "import", fileOf("y.csv", stdout), "--yes", "--name", "again");
    expect(await itemsOf("again")).toEqual(await itemsOf("round"));
  });

  test("writes the forms of other programs, and names what they cannot hold", async () => {
    await run(
      "list",
      "import",
      fileOf("z.txt", "US:AAPL\nUS:^VIX\nVN:FPT\n"),
      "--yes",
      "--name",
      "mixed",
    );
    const exported = await run("list", "export", "mixed", "--format", "tradingview");
    expect(exported.stdout).toBe("NASDAQ:AAPL,HOSE:FPT\n");
    expect(exported.stderr).toBe("Not in this form: US:^VIX.\n");
    expect((await run("list", "export", "mixed", "--format", "yahoo")).stdout).toContain(
      "\r\nFPT.VN,",
    );
    expectFailure(
      await run("list", "export", "mixed", "--format", "pdf"),
      "csv, tradingview, yahoo",
    );
    expectFailure(await run("list", "export", "mixd"), "is it mixed?");
  });
});
