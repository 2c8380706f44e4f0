import { describe, expect, test } from "bun:test";
import { PRESETS } from "#console/app/pages/screen/presets.ts";
import { presetsIn } from "#console/app/search/topics.ts";
import { SECTORS } from "#domain/taxonomy.ts";

describe("a search for a preset of the screener", () => {
  test.each([
    ["cheap banks", "Cheap and paying", "financial-services"],
    ["Cheap", "Cheap and paying", undefined],
    ["quality tech", "Quality at a fair price", "technology"],
    ["momentum", "Momentum", undefined],
    ["dividend reits", "Dividend growers", "real-estate"],
    ["割安な銀行", "Cheap and paying", "financial-services"],
    ["ngân hàng giá rẻ", "Cheap and paying", "financial-services"],
  ])("%s finds %s of %p", (text, name, sector) => {
    expect(presetsIn(text)).toEqual({ names: [name], sector });
  });

  test.each(["toyota price", "valuebank", "b", "giá vàng"])("%s finds none", (text) => {
    expect(presetsIn(text).names).toEqual([]);
  });

  test("each preset is found by other words than its name", () => {
    const words = [
      "1倍割れ",
      "tăng trần",
      "ストップ安",
      "gainers",
      "出来高",
      "thanh khoản",
      "年初来高値",
      "high yield",
      "value",
      "profitable",
      "lows",
      "trend",
      "no debt",
      "analysts",
      "growth",
      "dividends",
    ];
    expect(words.flatMap((one) => presetsIn(one).names)).toEqual([
      ...new Set(PRESETS.map(({ name }) => name)),
    ]);
  });

  test("sectors are those of the market", () => {
    const texts = "mining oil bank pharma industrials property chips electricity".split(" ");
    for (const text of texts) expect([...SECTORS.keys()]).toContain(presetsIn(text).sector ?? "");
  });
});
