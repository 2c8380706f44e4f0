import { describe, expect, test } from "bun:test";
import { BourseError } from "#domain/errors.ts";
import { findIndustries } from "#operations/reading/industries.ts";

const namesOf = (text: string) => findIndustries(text).map(({ name }) => name);
const DRUGS = ["Drug Manufacturers - General", "Drug Manufacturers - Specialty & Generic"];
const CHIPS = ["Semiconductor Equipment & Materials", "Semiconductors"];
const CARS = ["Auto & Truck Dealerships", "Auto Manufacturers", "Auto Parts"];

describe("industries by words", () => {
  test.each([
    ["semicon", CHIPS],
    ["chips", CHIPS],
    ["半導体", CHIPS],
    ["Semiconductors", ["Semiconductors"]],
    ["software-application", ["Software - Application"]],
    ["pharma", DRUGS],
    ["製薬", DRUGS],
    ["auto", CARS],
    ["ô tô", CARS],
    // Up to three letters, a word must be whole: not ret-ai-l or cred-it.
    ["IT", ["Information Technology Services"]],
    ["E&P", ["Oil & Gas E&P"]],
    ["gas oil refining", ["Oil & Gas Refining & Marketing"]],
    ["water", ["Utilities - Regulated Water"]],
    ["xi măng", ["Building Materials"]],
    ["Vận tải", ["Integrated Freight & Logistics", "Marine Shipping", "Railroads", "Trucking"]],
    ["giáo dục", ["Education & Training Services"]],
    ["giao duc", ["Education & Training Services"]],
    ["nganh xi mang", ["Building Materials"]],
    ["thep", ["Steel"]],
    ["bia", ["Beverages - Brewers"]],
    ["人材", ["Staffing & Employment Services"]],
    ["ﾎﾃﾙ", ["Lodging"]],
    ["半導体関連株", CHIPS],
    ["半導体銘柄", CHIPS],
    ["cổ phiếu thép", ["Steel"]],
    ["nhom nganh thep", ["Steel"]],
    ["アパレル", ["Apparel Manufacturing", "Apparel Retail"]],
  ])("%s", (text, names) => {
    expect(namesOf(text)).toEqual(names);
  });

  test.each([
    ["AI", "Near it: industry=software, semiconductors or computer hardware."],
    ["ev", "Near it: industry=auto or electrical."],
    ["tech", "Near it: sector=technology."],
    ["cao su", "Near it: industry=hóa chất (growers) or phụ tùng ô tô (tyres)."],
    ["データセンター", "Near it: industry=software, semiconductors or computer hardware."],
    ["hàng tiêu dùng", "Near it: sector=tiêu dùng thiết yếu"],
    ["商社", "Near it: industry=卸売業 or conglomerates."],
    ["semiconducters", "The nearest names: Semiconductors; "],
    ["retial", "The nearest names: Apparel Retail; "],
    ["tail", "get_sectors with a sector and level=industry lists its industries."],
    ["&", "get_sectors with a sector and level=industry lists its industries."],
  ])("%s is refused with what is near", (text, hint) => {
    const refused = () => findIndustries(text);
    expect(refused).toThrow(BourseError);
    try {
      refused();
    } catch (error) {
      expect((error as BourseError).details).toMatchObject({
        param: "industry",
        hint: expect.stringContaining(hint),
      });
    }
  });
});
