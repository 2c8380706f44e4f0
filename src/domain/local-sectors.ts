import { lazy } from "#lib/lazy.ts";
import { normalForm, withoutMarks } from "#lib/normal-form.ts";
import type { Country } from "./country.ts";
import { slugOf } from "./taxonomy.ts";

// The second classification of companies: the one in which their own market thinks. `taxonomy.ts` has the first one,
// which all countries share.

/** A class of a country's own classification. */
export interface LocalSector {
  readonly country: Country;
  /** Four digits, as the exchange or the provider of the classification writes them. */
  readonly code: string;
  /** In English, Japanese and Vietnamese. */
  readonly names: readonly [en: string, ja: string, vi: string];
}

type Codes = Readonly<Record<string, LocalSector["names"]>>;

/** The 33 sectors of the Tokyo Stock Exchange (東証33業種), with the names of JPX. */
// prettier-ignore
const TSE: Codes = {
  "0050": ["Fishery, Agriculture & Forestry", "水産・農林業", "Thủy sản và nông lâm nghiệp"],
  "1050": ["Mining", "鉱業", "Khai khoáng"],
  "2050": ["Construction", "建設業", "Xây dựng"],
  "3050": ["Foods", "食料品", "Thực phẩm"],
  "3100": ["Textiles & Apparels", "繊維製品", "Hàng dệt may"],
  "3150": ["Pulp & Paper", "パルプ・紙", "Bột giấy và giấy"],
  "3200": ["Chemicals", "化学", "Hóa chất (TSE)"],
  "3250": ["Pharmaceutical", "医薬品", "Dược phẩm (TSE)"],
  "3300": ["Oil & Coal Products", "石油・石炭製品", "Sản phẩm dầu mỏ và than đá"],
  "3350": ["Rubber Products", "ゴム製品", "Sản phẩm cao su"],
  "3400": ["Glass & Ceramics Products", "ガラス・土石製品", "Thủy tinh và gốm sứ"],
  "3450": ["Iron & Steel", "鉄鋼", "Gang thép"],
  "3500": ["Nonferrous Metals", "非鉄金属", "Kim loại màu"],
  "3550": ["Metal Products", "金属製品", "Sản phẩm kim loại"],
  "3600": ["Machinery", "機械", "Máy móc"],
  "3650": ["Electric Appliances", "電気機器", "Thiết bị điện"],
  "3700": ["Transportation Equipment", "輸送用機器", "Thiết bị vận tải"],
  "3750": ["Precision Instruments", "精密機器", "Thiết bị chính xác"],
  "3800": ["Other Products", "その他製品", "Sản phẩm khác"],
  "4050": ["Electric Power & Gas", "電気・ガス業", "Điện và khí đốt"],
  "5050": ["Land Transportation", "陸運業", "Vận tải đường bộ và đường sắt"],
  "5100": ["Marine Transportation", "海運業", "Vận tải đường biển"],
  "5150": ["Air Transportation", "空運業", "Vận tải hàng không"],
  "5200": ["Warehousing & Harbor Transportation", "倉庫・運輸関連業", "Kho bãi và dịch vụ cảng"],
  "5250": ["Information & Communication", "情報・通信業", "Thông tin và truyền thông"],
  "6050": ["Wholesale Trade", "卸売業", "Bán buôn"],
  "6100": ["Retail Trade", "小売業", "Thương mại bán lẻ"],
  "7050": ["Banks", "銀行業", "Ngân hàng (TSE)"],
  "7100": ["Securities & Commodity Futures", "証券、商品先物取引業", "Chứng khoán và hàng hóa phái sinh"],
  "7150": ["Insurance", "保険業", "Bảo hiểm (TSE)"],
  "7200": ["Other Financing Business", "その他金融業", "Tài chính khác"],
  "8050": ["Real Estate (TSE)", "不動産業", "Bất động sản (TSE)"],
  "9050": ["Services", "サービス業", "Dịch vụ"],
};

/** The supersectors (level 2) of the Industry Classification Benchmark, which Viet Nam's brokers use. */
// prettier-ignore
const ICB: Codes = {
  "0500": ["Oil & Gas", "石油・ガス", "Dầu khí"],
  "1300": ["Chemicals", "化学（ICB）", "Hóa chất (ICB)"],
  "1700": ["Basic Resources", "基礎資源", "Tài nguyên cơ bản"],
  "2300": ["Construction & Materials", "建設・資材", "Xây dựng và vật liệu"],
  "2700": ["Industrial Goods & Services", "工業製品・サービス", "Hàng và dịch vụ công nghiệp"],
  "3300": ["Automobiles & Parts", "自動車・部品", "Ô tô và phụ tùng"],
  "3500": ["Food & Beverage", "食品・飲料", "Thực phẩm và đồ uống"],
  "3700": ["Personal & Household Goods", "個人・家庭用品", "Hàng cá nhân và gia dụng"],
  "4500": ["Health Care (ICB)", "ヘルスケア（ICB）", "Y tế"],
  "5300": ["Retail", "小売（ICB）", "Bán lẻ"],
  "5500": ["Media", "メディア", "Truyền thông"],
  "5700": ["Travel & Leisure", "旅行・レジャー", "Du lịch và giải trí"],
  "6500": ["Telecommunications", "通信（ICB）", "Viễn thông (ICB)"],
  "7500": ["Utilities (ICB)", "電気・水道・ガス", "Điện, nước và xăng dầu khí đốt"],
  "8300": ["Banks", "銀行（ICB）", "Ngân hàng (ICB)"],
  "8500": ["Insurance", "保険（ICB）", "Bảo hiểm"],
  "8600": ["Real Estate (ICB)", "不動産（ICB）", "Bất động sản (ICB)"],
  "8700": ["Financial Services (ICB)", "金融サービス", "Dịch vụ tài chính"],
  "8900": ["Equity Investment", "株式投資", "Đầu tư cổ phiếu"],
  "9500": ["Technology (ICB)", "テクノロジー（ICB）", "Công nghệ thông tin"],
};

/** Other names of classes. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  証券業: "JP:7100",
  証券: "JP:7100",
  情報通信: "JP:5250",
  情報通信業: "JP:5250",
  "電力・ガス": "JP:4050",
  水産: "JP:0050",
  電機: "JP:3650",
  精密: "JP:3750",
  ゴム: "JP:3350",
  卸売: "JP:6050",
};

/** The classifications, each with the place of its market's language in `names`. */
const CLASSIFICATIONS: readonly (readonly [country: Country, codes: Codes, place: 1 | 2])[] = [
  ["JP", TSE, 1],
  ["VN", ICB, 2],
];

/** Every class, country by country. */
export const LOCAL_SECTORS: readonly LocalSector[] = CLASSIFICATIONS.flatMap(([country, codes]) =>
  Object.entries(codes)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([code, names]) => ({ country, code, names })),
);

/** The names of the classes in Japanese and Vietnamese, by the slugs of their keys: `jp-electric-appliances`. */
export const localSectorTerms = (): Record<string, readonly [ja: string, vi: string]> =>
  Object.fromEntries(
    LOCAL_SECTORS.map((one) => {
      const [, ja, vi] = one.names;
      return [slugOf(formatLocalSector(one)), [ja, vi]];
    }),
  );

/** The class of an instrument; null if none is known. */
export function localSectorOf(instrument: {
  readonly country: Country;
  readonly localSector?: string | null;
}): LocalSector | null {
  const { country, localSector } = instrument;
  const found = LOCAL_SECTORS.find((one) => one.country === country && one.code === localSector);
  return found ?? null;
}

/** What a text means among the classes. */
export interface LocalMeaning {
  readonly classes: readonly LocalSector[];
  /** True for the name that the market itself uses: `銀行業`. Another one, such as `Banks`, can mean an industry too. */
  readonly isOwnName: boolean;
}

const folded = (text: string) =>
  normalForm(text, "NFKC")
    .toLowerCase()
    .replace(/^(?:東証|tse|icb|nhóm ngành|ngành|nhom nganh|nganh) *(?=.)/, "")
    .replaceAll(/&|\band\b|(?<=\s)v[àa](?=\s)/g, "&")
    .replaceAll(/[\s・、,-]+/g, " ")
    .replaceAll(/ ?& ?/g, "&")
    .trim();
/** The name without what tells it from the same name of another classification. */
const bare = (name: string) => name.replace(/[(（](?:TSE|ICB)[)）]$/, "").trimEnd();

const listNames = lazy(() => {
  const own = new Map<string, LocalSector[]>();
  const others = new Map<string, LocalSector[]>();
  const add = (map: typeof own, name: string, one: LocalSector) => {
    const known = map.get(folded(name)) ?? [];
    if (!known.includes(one)) map.set(folded(name), [...known, one]);
  };
  for (const one of LOCAL_SECTORS) {
    const place = CLASSIFICATIONS.find(([country]) => country === one.country)?.[2];
    for (const [i, name] of one.names.entries()) {
      add(i === place ? own : others, name, one);
      add(others, bare(name), one);
      add(others, bare(name).replace(/業$/, ""), one);
      add(others, withoutMarks(bare(name)), one);
    }
    add(own, formatLocalSector(one), one);
    add(own, `${one.country}:${one.code}`, one);
    add(others, one.code, one);
  }
  for (const [name, key] of Object.entries(OTHER_NAMES))
    for (const one of own.get(folded(key)) ?? []) add(others, name, one);
  return { own, others };
});

/** A class as answers and arguments have it: `JP:electric-appliances`. */
export const formatLocalSector = ({ country, names: [name] }: LocalSector): string =>
  `${country}:${slugOf(name)}`;

/** The classes of this name, in any of three languages, or with this code: `3650`, `JP:3650`. */
export function findLocalSectors(text: string): LocalMeaning {
  const { own, others } = listNames();
  const named = own.get(folded(text));
  return { classes: named ?? others.get(folded(text)) ?? [], isOwnName: named !== undefined };
}
