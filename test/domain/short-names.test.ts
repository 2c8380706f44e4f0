import { describe, expect, test } from "bun:test";
import type { AssetType } from "#domain/instrument.ts";
import { shortNames, withoutLegalForm } from "#domain/short-names.ts";

describe("names for tables", () => {
  test.each([
    ["JP", "株式会社ABC", "ABC"],
    ["JP", "ABC株式会社", "ABC"],
    ["JP", "(株)あいう", "あいう"],
    ["JP", "株式会社", "株式会社"],
    ["JP", "トヨタ自動車", "トヨタ自動車"],
    ["VN", "CTCP Thép Sông Lam", "Thép Sông Lam"],
    ["VN", "Công ty Cổ phần Tập đoàn Sao Sáng", "Sao Sáng"],
    ["VN", "Công ty TNHH MTV Sao Sáng", "Sao Sáng"],
    ["VN", "CÔNG TY CỔ PHẦN SAO SÁNG", "SAO SÁNG"],
    ["VN", "Tổng Công ty cổ phần Bia Sông Lam", "Bia Sông Lam"],
    ["VN", "Tổng Công ty Khí Sông Lam - CTCP", "Khí Sông Lam"],
    ["VN", "CTCP - Tổng công ty nước Sông Lam", "Nước Sông Lam"],
    ["VN", "Ngân hàng TMCP Sao Sáng", "Ngân hàng Sao Sáng"],
    ["VN", "Ngân hàng Thương mại Cổ phần Sao Sáng", "Ngân hàng Sao Sáng"],
    ["VN", "NHTMCP Sao Sáng", "Sao Sáng"],
    ["VN", "Star Homes Joint Stock Company", "Star Homes"],
    ["VN", "Star Corporation", "Star"],
    ["VN", "Star Commercial Joint Stock Bank", "Star Bank"],
    ["VN", "Joint Stock Company", "Joint Stock Company"],
    ["VN", "Công ty", "Công ty"],
    ["US", "Star Corporation", "Star Corporation"],
  ] as const)("%s: %s is %s", (country, name, short) => {
    expect(withoutLegalForm(country, name)).toBe(short);
    expect(withoutLegalForm(country, name.normalize("NFD"))).toBe(short);
  });

  const named = (symbol: string, name: string, aliases: string | null, assetType?: AssetType) => ({
    country: "VN" as const,
    symbol,
    name,
    aliases,
    assetType: assetType ?? ("stock" as const),
  });
  const shortOf = (...all: ReturnType<typeof named>[]) => Object.fromEntries(shortNames(all));

  test("are a short alias, with the marks of the local name", () => {
    expect(
      shortOf(
        named("AAA", "Joint Stock Bank of Stars", "Starbank|Ngân hàng TMCP Sao Sáng"),
        named("BBB", "Digital World Corporation", "Sao Sang|CTCP Đầu tư Sao sáng"),
        named("CCC", "Long River Steel Corporation", "VN000000CCC3|CTCP Thép Sông Dài"),
        named("DDD", "River Corporation", "DDD|BBG000BLNNH6"),
        named("EEE", "Airline Joint Stock Company", "Airline JSC"),
      ),
    ).toEqual({
      AAA: "Starbank",
      BBB: "Sao sáng",
      CCC: "Thép Sông Dài",
      DDD: "River",
      EEE: "Airline",
    });
  });

  test("stay whole where two companies would have the same, and of what is no company", () => {
    expect(
      shortOf(
        named("AAA", "CTCP Sao Sáng", null),
        named("BBB", "Tập đoàn Sao Sáng", null),
        named("CCC", "CTCP Sông Dài", null),
        named("^IDX", "Star Index Corporation", "STAR", "index"),
      ),
    ).toEqual({
      AAA: "CTCP Sao Sáng",
      BBB: "Tập đoàn Sao Sáng",
      CCC: "Sông Dài",
      "^IDX": "Star Index Corporation",
    });
  });
});
