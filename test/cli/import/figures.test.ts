import { describe, expect, test } from "bun:test";
import { expectFailure } from "../../support/cli.ts";
import { openImports } from "../../support/imports.ts";

const { run, importBars, fileOf, inMarket } = openImports();
const importing = (kind: string, text: string, ...rest: string[]) =>
  run(kind, fileOf(`${kind}.csv`, text), ...rest);

describe("import statements", () => {
  const HEADER =
    "country,symbol,span,fiscalYear,fiscalQuarter,periodEnd,filedOn,currency,netIncome,sharesDiluted,epsDiluted,totalDebt,totalLiabilities\n";
  const row = (symbol: string, year: number, eps: number, debt: number) =>
    `US,${symbol},year,${year},4,${year}-12-31,${year + 1}-02-01,USD,100,50,${eps},${debt},100\n`;
  /** The imported statements: year, EPS and debt. */
  const stored = (symbol: string) =>
    inMarket((market) => market.statements.list({ country: "US", symbol }))
      .filter(({ source }) => source === "import")
      .map(({ fiscalYear, items }) => [fiscalYear, items.epsDiluted, items.totalDebt]);
  // Net income 100 / 50 shares is an EPS of 2. The second EPS is in shares of before a split of 20 for 1.
  const text = `${HEADER}${row("MSFT", 2021, 2, 40)}${row("MSFT", 2022, 40, 40)}${row("MSFT", 2023, 2, 300)}`;

  test("asks about figures that other figures prove wrong, and stores nothing", async () => {
    const { code, stdout, stderr } = await importing("statements", text);
    expect([code, stdout]).toEqual([1, ""]);
    expect(stderr).toBe(
      "statements.csv, line 3: epsDiluted 40 is not netIncome 100 / sharesDiluted 50 (and 1 other row): give --on-bad keep if such values are right, or --on-bad skip to leave such rows out\n",
    );
    expect(stored("MSFT")).toEqual([]);
  });

  test("asks about statements that contradict each other", async () => {
    const year = row("KO", 2023, 2, 40);
    const last = year.replace(",year,", ",quarter,");
    const first = last
      .replace(",2023,4,2023-12-31,", ",2023,1,2023-03-31,")
      .replace(",100,50,", ",20,10,");
    expectFailure(
      await importing("statements", HEADER + year + first + last),
      "statements.csv, line 4: netIncome 100 of Q4 2023 is also the netIncome of FY 2023: it is the whole year under the label of a quarter, or the year has the figures of the quarter: give --on-bad keep if such values are right, or --on-bad skip to leave such rows out",
    );
  });

  test("a corrected label replaces the earlier import of its period", async () => {
    const wrong = row("PEP", 2023, 2, 40).replace(
      ",year,2023,4,2023-12-31,",
      ",quarter,2023,1,2023-12-31,",
    );
    const right = wrong.replace(",2023,1,", ",2023,4,");
    expect((await importing("statements", HEADER + wrong)).code).toBe(0);
    expect((await importing("statements", HEADER + right)).code).toBe(0);
    const labels = inMarket((market) => market.statements.list({ country: "US", symbol: "PEP" }))
      .filter(({ source }) => source === "import")
      .map(({ fiscalQuarter, periodEnd }) => [fiscalQuarter, periodEnd]);
    expect(labels).toEqual([[4, "2023-12-31"]]);
  });

  test("leaves such statements out with --on-bad skip, and names each", async () => {
    const { code, stdout } = await importing("statements", text, "--on-bad", "skip", "--json");
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      records: 1,
      skipped: [
        {
          place: "statements.csv, line 3",
          reason: "epsDiluted 40 is not netIncome 100 / sharesDiluted 50",
        },
        {
          place: "statements.csv, line 4",
          reason: "totalDebt 300 is more than totalLiabilities 100",
        },
      ],
    });
    expect(stored("MSFT")).toEqual([[2021, 2, 40]]);
  });

  test("compares with imported statements, but not with those of the same period or of the sample", async () => {
    // Debt of 40 grows to 90 while all other liabilities fall from 60 to 10: it is counted twice.
    expectFailure(
      await importing("statements", HEADER + row("MSFT", 2022, 2, 90)),
      "statements.csv, line 2: totalDebt 90 after 40 is not in totalLiabilities 100: give --on-bad keep if such values are right, or --on-bad skip to leave such rows out",
    );
    expect((await importing("statements", HEADER + row("MSFT", 2021, 2, 90))).code).toBe(0);
    // The generated statements of this company have other amounts.
    expect((await importing("statements", HEADER + row("AMZN", 2022, 2, 90))).code).toBe(0);
  });

  test("stores them as they are with --on-bad keep", async () => {
    expect((await importing("statements", text, "--on-bad", "keep")).code).toBe(0);
    expect(stored("MSFT")).toEqual([
      [2021, 2, 40],
      [2022, 40, 40],
      [2023, 2, 300],
    ]);
  });

  test("--on-bad keep stores no row that is wrong by itself", async () => {
    const wrong = HEADER + row("MSFT", 2021, 2, 40).replace("2022-02-01", "2021-02-01");
    expectFailure(
      await importing("statements", wrong, "--on-bad", "keep"),
      "statements.csv, line 2: filedOn 2021-02-01 is before periodEnd 2021-12-31",
    );
  });
});

describe("import dividends", () => {
  const HEADER = "country,symbol,exDate,amount\n";
  const row = (exDate: string, amount: number) => `US,AAPL,${exDate},${amount}\n`;
  const stored = () =>
    inMarket((market) => market.documents.find("dividends", "US", "AAPL"))?.dividends.map(
      ({ exDate, amount }) => [exDate, amount],
    );
  // 26 is in cents.
  const text = HEADER + row("2025-02-10", 0.25) + row("2025-05-12", 26) + row("2025-08-11", 0.26);

  test("asks about an amount of a hundred times its neighbours", async () => {
    const before = stored();
    const result = await importing("dividends", text);
    expectFailure(
      result,
      "dividends.csv, line 3: dividend 26 on 2025-05-12 between 0.25 and 0.26: give --on-bad keep if such values are right, or --on-bad skip to leave such rows out",
    );
    expect(stored()).toEqual(before);
  });

  test("leaves it out with --on-bad skip, or stores it with --on-bad keep", async () => {
    const { code, stdout } = await importing("dividends", text, "--on-bad", "skip");
    expect([code, stdout]).toEqual([
      0,
      "Imported 1 dividend history (3 rows of dividends.csv). Sources do not replace them.\n1 row was skipped:\n  dividends.csv, line 3: dividend 26 on 2025-05-12 between 0.25 and 0.26\n",
    ]);
    expect(stored()).toEqual([
      ["2025-02-10", 0.25],
      ["2025-08-11", 0.26],
    ]);
    const added = HEADER + row("2025-05-12", 26);
    const { stderr } = await importing("dividends", added, "--append");
    expect(stderr).toContain("dividends.csv, line 2: dividend 26 on 2025-05-12");
    expect((await importing("dividends", added, "--append", "--on-bad", "keep")).code).toBe(0);
    expect(stored()).toHaveLength(3);
  });

  test("divides dividends near a known split that are in shares of before it, and says so", async () => {
    const splits = "country,symbol,exDate,numerator,denominator\nUS,AAPL,2020-08-31,4,1\n";
    expect((await importing("splits", splits)).code).toBe(0);
    // 0.82 for one old share is 0.205 for one of four new ones, as Apple paid on 2020-08-07.
    const old = HEADER + row("2020-08-07", 0.82) + row("2020-11-06", 0.205);
    const { stdout } = await importing("dividends", old);
    expect(stdout).toContain("\n1 dividend in the shares before a split was divided.\n");
    expect(stored()).toEqual([
      ["2020-08-07", 0.205],
      ["2020-11-06", 0.205],
    ]);
    await importing("dividends", old, "--on-bad", "keep");
    expect(stored()?.[0]).toEqual(["2020-08-07", 0.82]);
  });

  test("reads a capital gain of 0 as none", async () => {
    const header = "country,symbol,exDate,amount,capitalGain\n";
    expect((await importing("dividends", `${header}US,AAPL,2026-05-12,0.9,0\n`)).code).toBe(0);
    expect(stored()).toEqual([["2026-05-12", 0.9]]);
  });

  test("converts amounts whose currency is another one, and asks if there is no rate", async () => {
    const header = "country,symbol,exDate,amount,currency\n";
    const other = (code: string, ...flags: string[]) =>
      importing("dividends", `${header}US,AAPL,2026-05-12,0.9,${code}\n`, ...flags);
    // The sample's rates are invented.
    expectFailure(await other("CAD"), "dividend 0.9 CAD on 2026-05-12, and no rate to USD");
    const rates = fileOf("rates.csv", "Date,Close\n2026-05-11,1.25\n");
    await importBars("US", "CAD=X", rates);
    // 0.9 CAD / 1.25 CAD for a dollar
    for (const code of ["CAD", "cad", "Canadian dollar", "C$"]) {
      expect((await other(code)).code).toBe(0);
      expect(stored()).toEqual([["2026-05-12", 0.72]]);
    }
    for (const code of ["USD", "usd", "US Dollar", "$", ""]) {
      expect((await other(code)).code).toBe(0);
      expect(stored()).toEqual([["2026-05-12", 0.9]]);
    }
    const { stdout } = await other("ZMW", "--on-bad", "skip");
    expect(stdout).toStartWith("Imported 0 dividend histories");
    expect(stored()).toEqual([["2026-05-12", 0.9]]);
    expectFailure(
      await other("ZMW"),
      "dividends.csv, line 2: dividend 0.9 ZMW on 2026-05-12, and no rate to USD is stored for that day: import the bars of its pair with the dollar first, such as CAD=X with the price of a dollar in CAD, or give --on-bad skip to leave such rows out",
    );
  });
});
