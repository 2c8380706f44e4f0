import type { ClassSlug } from "#domain/taxonomy.ts";

/**
 * The 33 sectors of the Tokyo Stock Exchange (by their four-digit code) as sectors of the taxonomy,
 * each mapped to the one with the largest overlap. JPX publishes no such mapping. A source with data about the
 * single company is more reliable. A sector that is exactly one industry has the slug of the industry;
 * pulp and paper, for example, is half packaging.
 */
export const JPX_SECTORS: Readonly<Record<string, ClassSlug>> = {
  "0050": "consumer-defensive", // 水産・農林業 Fishery, agriculture and forestry
  "1050": "energy", // 鉱業 Mining: mainly oil and gas
  "2050": "industrials", // 建設業 Construction
  "3050": "consumer-defensive", // 食料品 Foods
  "3100": "consumer-cyclical", // 繊維製品 Textiles and apparels
  "3150": "basic-materials", // パルプ・紙 Pulp and paper
  "3200": "basic-materials", // 化学 Chemicals
  "3250": "healthcare", // 医薬品 Pharmaceutical
  "3300": "energy", // 石油・石炭製品 Oil and coal products
  "3350": "consumer-cyclical", // ゴム製品 Rubber products: mainly tyres
  "3400": "basic-materials", // ガラス・土石製品 Glass and ceramics products
  "3450": "steel", // 鉄鋼 Iron and steel
  "3500": "basic-materials", // 非鉄金属 Nonferrous metals
  "3550": "industrials", // 金属製品 Metal products
  "3600": "industrials", // 機械 Machinery
  "3650": "technology", // 電気機器 Electric appliances
  "3700": "consumer-cyclical", // 輸送用機器 Transportation equipment
  "3750": "healthcare", // 精密機器 Precision instruments: by value mostly medical (Hoya, Terumo, Olympus)
  "3800": "consumer-cyclical", // その他製品 Other products
  "4050": "utilities", // 電気・ガス業 Electric power and gas
  "5050": "industrials", // 陸運業 Land transportation
  "5100": "marine-shipping", // 海運業 Marine transportation
  "5150": "airlines", // 空運業 Air transportation
  "5200": "industrials", // 倉庫・運輸関連業 Warehousing and harbor transportation
  "5250": "technology", // 情報・通信業 Information and communication: mostly software and IT services by count
  "6050": "industrials", // 卸売業 Wholesale trade
  "6100": "consumer-cyclical", // 小売業 Retail trade
  "7050": "financial-services", // 銀行業 Banks
  "7100": "financial-services", // 証券、商品先物取引業 Securities and commodities futures
  "7150": "financial-services", // 保険業 Insurance
  "7200": "financial-services", // その他金融業 Other financing business
  "8050": "real-estate", // 不動産業 Real estate
  "9050": "industrials", // サービス業 Services
};
