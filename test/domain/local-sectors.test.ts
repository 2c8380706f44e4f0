import { describe, expect, test } from "bun:test";
import {
  findLocalSectors,
  formatLocalSector,
  LOCAL_SECTORS,
  localSectorOf,
} from "#domain/local-sectors.ts";
import { findBoard, BOARDS, boardOf } from "#domain/exchanges.ts";

const codesOf = (text: string) =>
  findLocalSectors(text).classes.map(({ country, code }) => `${country}:${code}`);

describe("classes of a market", () => {
  test("are Tokyo's 33 sectors and the 20 supersectors of ICB", () => {
    const count = (country: string) => LOCAL_SECTORS.filter((one) => one.country === country);
    expect([count("JP").length, count("VN").length]).toEqual([33, 20]);
    expect(new Set(LOCAL_SECTORS.map(formatLocalSector)).size).toBe(53);
  });

  // Codes and names as the list of listed issues of JPX and the table of ICB have them.
  test.each([
    ["電気機器", ["JP:3650"]],
    ["東証 電気機器", ["JP:3650"]],
    ["Electric Appliances", ["JP:3650"]],
    ["electric-appliances", ["JP:3650"]],
    ["thiết bị điện", ["JP:3650"]],
    ["情報・通信業", ["JP:5250"]],
    ["情報･通信業", ["JP:5250"]],
    ["情報通信", ["JP:5250"]],
    ["証券・商品先物取引業", ["JP:7100"]],
    ["水産・農林業", ["JP:0050"]],
    ["卸売", ["JP:6050"]],
    ["Information and Communication", ["JP:5250"]],
    ["3650", ["JP:3650"]],
    ["JP:3650", ["JP:3650"]],
    ["JP:electric-appliances", ["JP:3650"]],
    ["VN:banks", ["VN:8300"]],
    ["8300", ["VN:8300"]],
    ["Ngành ngân hàng", ["JP:7050", "VN:8300"]],
    ["NGÂN HÀNG (ICB)", ["VN:8300"]],
    ["Hàng & Dịch vụ Công nghiệp", ["VN:2700"]],
    ["Dịch vụ tài chính", ["VN:8700"]],
    ["Banks", ["JP:7050", "VN:8300"]],
    ["3700", ["JP:3700", "VN:3700"]],
    ["9999", []],
    ["業", []],
    ["", []],
  ])("%p names %p", (text, codes) => {
    expect(codesOf(text)).toEqual(codes);
  });

  test("of an instrument need its country, because codes repeat", () => {
    const english = (country: "US" | "JP" | "VN", localSector: string | null) =>
      localSectorOf({ country, localSector })?.names[0];
    expect(english("JP", "3700")).toBe("Transportation Equipment");
    expect(english("VN", "3700")).toBe("Personal & Household Goods");
    expect(english("US", "3700")).toBeUndefined();
    expect(english("JP", null)).toBeUndefined();
  });
});

describe("exchanges and segments", () => {
  test.each([
    ["プライム", "TSE Prime"],
    ["東証プライム市場", "TSE Prime"],
    ["prime market", "TSE Prime"],
    ["ｽﾀﾝﾀﾞｰﾄﾞ", "TSE Standard"],
    ["東証グロース", "TSE Growth"],
    ["東証", "TSE"],
    ["Tokyo Stock Exchange", "TSE"],
    ["upcom", "UPCOM"],
    ["sàn HOSE", "HOSE"],
    ["HSX", "HOSE"],
    ["Hà Nội", "HNX"],
    ["nasdaq", "NASDAQ"],
    ["NYSE Arca", "NYSE Arca"],
    ["マザーズ", null],
    ["東証一部", null],
    ["", null],
  ])("%p is %p", (text, name) => {
    expect(findBoard(text)?.name ?? null).toBe(name);
  });

  test("an instrument without a segment is on its exchange", () => {
    expect(boardOf({ exchange: "TSE", segment: "growth" })).toBe("TSE Growth");
    expect(boardOf({ exchange: "TSE" })).toBe("TSE");
    expect(boardOf({ exchange: "Osaka", segment: null })).toBe("Osaka");
    expect(boardOf({ exchange: null })).toBeNull();
    for (const { name } of BOARDS) expect(findBoard(name)?.name).toBe(name);
  });
});
