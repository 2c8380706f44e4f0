/**
 * The 33 sectors of the Tokyo Stock Exchange (by their four-digit code) as sectors of the taxonomy,
 * each mapped to the one with the largest overlap. JPX publishes no such mapping. A source with data about the
 * single company is more reliable. The industry is given only if a sector is exactly one industry;
 * pulp and paper, for example, is half packaging.
 */
export const JPX_SECTORS: Readonly<Record<string, { sector: string; industry?: string }>> = {
  /** 水産・農林業 Fishery, agriculture and forestry */
  "0050": { sector: "consumer-defensive" },
  /** 鉱業 Mining: mainly oil and gas */
  "1050": { sector: "energy" },
  /** 建設業 Construction */
  "2050": { sector: "industrials" },
  /** 食料品 Foods */
  "3050": { sector: "consumer-defensive" },
  /** 繊維製品 Textiles and apparels */
  "3100": { sector: "consumer-cyclical" },
  /** パルプ・紙 Pulp and paper */
  "3150": { sector: "basic-materials" },
  /** 化学 Chemicals */
  "3200": { sector: "basic-materials" },
  /** 医薬品 Pharmaceutical */
  "3250": { sector: "healthcare" },
  /** 石油・石炭製品 Oil and coal products */
  "3300": { sector: "energy" },
  /** ゴム製品 Rubber products: mainly tyres */
  "3350": { sector: "consumer-cyclical" },
  /** ガラス・土石製品 Glass and ceramics products */
  "3400": { sector: "basic-materials" },
  /** 鉄鋼 Iron and steel */
  "3450": { sector: "basic-materials", industry: "steel" },
  /** 非鉄金属 Nonferrous metals */
  "3500": { sector: "basic-materials" },
  /** 金属製品 Metal products */
  "3550": { sector: "industrials" },
  /** 機械 Machinery */
  "3600": { sector: "industrials" },
  /** 電気機器 Electric appliances */
  "3650": { sector: "technology" },
  /** 輸送用機器 Transportation equipment */
  "3700": { sector: "consumer-cyclical" },
  /** 精密機器 Precision instruments: by value mostly medical (Hoya, Terumo, Olympus) */
  "3750": { sector: "healthcare" },
  /** その他製品 Other products */
  "3800": { sector: "consumer-cyclical" },
  /** 電気・ガス業 Electric power and gas */
  "4050": { sector: "utilities" },
  /** 陸運業 Land transportation */
  "5050": { sector: "industrials" },
  /** 海運業 Marine transportation */
  "5100": { sector: "industrials", industry: "marine-shipping" },
  /** 空運業 Air transportation */
  "5150": { sector: "industrials", industry: "airlines" },
  /** 倉庫・運輸関連業 Warehousing and harbor transportation */
  "5200": { sector: "industrials" },
  /** 情報・通信業 Information and communication: mostly software and IT services by count */
  "5250": { sector: "technology" },
  /** 卸売業 Wholesale trade */
  "6050": { sector: "industrials" },
  /** 小売業 Retail trade */
  "6100": { sector: "consumer-cyclical" },
  /** 銀行業 Banks */
  "7050": { sector: "financial-services" },
  /** 証券、商品先物取引業 Securities and commodities futures */
  "7100": { sector: "financial-services" },
  /** 保険業 Insurance */
  "7150": { sector: "financial-services" },
  /** その他金融業 Other financing business */
  "7200": { sector: "financial-services" },
  /** 不動産業 Real estate */
  "8050": { sector: "real-estate" },
  /** サービス業 Services */
  "9050": { sector: "industrials" },
};
