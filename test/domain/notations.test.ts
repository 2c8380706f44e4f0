import { expect, test } from "bun:test";
import { homeOfReceipt } from "#domain/depositary-receipts.ts";
import {
  codeOfExchange,
  COUNTRY_OF_CODE,
  COUNTRY_OF_TERMINAL_CODE,
  EXCHANGES,
  uncoveredExchange,
} from "#domain/exchanges.ts";
import { isIsin, symbolOfIsin } from "#domain/isin.ts";
import { describeChange, findSymbolChange } from "#domain/symbol-changes.ts";
import { listUniverse } from "#sample/universe.ts";

test.each([
  // Apple, Toyota, Sony, Kyokuyo, FPT, Vinamilk and Hoa Phat, as published.
  ["US0378331005", null],
  ["JP3633400001", null],
  ["JP3435000009", null],
  ["JP3257200000", null],
  ["VN000000FPT1", "FPT"],
  ["VN000000VNM8", "VNM"],
  ["VN000000HPG4", "HPG"],
])("%s is an ISIN, with the symbol %p", (isin, symbol) => {
  expect(isIsin(isin)).toBe(true);
  expect(symbolOfIsin(isin)).toBe(symbol);
});

test.each(["US0378331006", "VN000000FPT2", "AAPL", "US03783310", "us0378331005", "XS0000000000 "])(
  "%p is no ISIN",
  (text) => {
    expect(isIsin(text)).toBe(false);
  },
);

test("Toyota's ISIN does not contain its code", () => {
  expect("JP3633400001").not.toContain("7203");
});

test("no code of an exchange means two countries, or a place that is not covered", () => {
  for (const codes of [COUNTRY_OF_CODE, COUNTRY_OF_TERMINAL_CODE]) {
    for (const [code, country] of codes) {
      const others = EXCHANGES.filter((one) => one.country !== country);
      expect(
        others.flatMap(({ mics, codes: own, reuters, bloomberg }) => [
          ...mics,
          ...own,
          ...reuters,
          ...bloomberg,
        ]),
      ).not.toContain(code);
      expect([code, uncoveredExchange(`A.${code}`)]).toEqual([code, null]);
    }
  }
});

test.each([
  ["VOD.L", "London"],
  ["LON:VOD", "London"],
  ["0700.HK", "Hong Kong"],
  ["SAP.DE", "Xetra"],
  ["VOD:LN", "London"],
  ["AAPL", null],
  ["7203.T", null],
  ["BRK.B", null],
  ["HK.00700", "Hong Kong"],
  ["SH.600519", "Shanghai"],
  // Sweetgreen, a share of the US.
  ["SG.US", null],
])("%s is listed in %p", (symbol, place) => {
  expect(uncoveredExchange(symbol)).toBe(place);
});

test.each([
  ["XETRA", "XETRA"],
  ["London Stock Exchange", "LON"],
  ["Toronto (TSX)", "TSX"],
  ["Nasdaq Stockholm", "STO"],
  ["NasdaqGS", "NASDAQ"],
  ["New York Stock Exchange", "NYSE"],
  ["東証プライム", "TSE"],
  ["Hanoi", "HNX"],
  ["Main Market", null],
  ["Taiwan", null],
  ["", null],
])("the exchange %j has the code %p", (written, code) => {
  expect(codeOfExchange(written)).toBe(code);
});

test("symbols that ended say when, and what they became", () => {
  const describe = (country: "US" | "JP" | "VN", symbol: string) => {
    const change = findSymbolChange(country, symbol);
    return change && describeChange(change);
  };
  expect(describe("US", "FB")).toBe("FB is META since 2022-06-09");
  expect(describe("US", "TWTR")).toBe("TWTR (Twitter, Inc.) was delisted on 2022-10-27");
  expect(describe("US", "MMC")).toBe("MMC is MRSH since 2026-01-14");
  expect(describe("US", "K")).toBe("K (Kellanova, acquired by Mars) was delisted on 2025-12-11");
  expect(describe("JP", "6502")).toBe("6502 (Toshiba Corporation) was delisted on 2023-12-20");
  expect(describe("VN", "FB")).toBeNull();
});

test("no symbol that ended, and no receipt, is a symbol of the sample market", () => {
  for (const { country, symbol } of listUniverse()) {
    expect([symbol, findSymbolChange(country, symbol)]).toEqual([symbol, null]);
  }
});

test.each([
  ["TM", "7203"],
  ["SONY", "6758"],
  ["MUFG", "8306"],
  ["HMC", "7267"],
  ["NTDOY", "7974"],
  ["TMO", null],
])("the share behind the receipt %s is %p", (symbol, home) => {
  expect(homeOfReceipt(symbol)).toBe(home);
});
