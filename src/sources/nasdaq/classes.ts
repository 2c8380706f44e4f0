import type { ClassSlug, SectorSlug } from "#domain/taxonomy.ts";
import { lookup } from "#lib/lookup.ts";
import { type Classes, classesOf } from "#sources/classes.ts";
import type { ScreenedLine } from "./screener.ts";

/** The screener's sectors; `Miscellaneous` is not a sector. */
const SECTOR_OF: Readonly<Record<string, SectorSlug>> = {
  "Basic Materials": "basic-materials",
  "Consumer Discretionary": "consumer-cyclical",
  "Consumer Staples": "consumer-defensive",
  Energy: "energy",
  Finance: "financial-services",
  "Health Care": "healthcare",
  Industrials: "industrials",
  "Real Estate": "real-estate",
  Technology: "technology",
  Telecommunications: "communication-services",
  Utilities: "utilities",
};

/**
 * The screener's industries, or `industry|sector` if the sector decides. Each is mapped to an industry; to
 * a sector if the class contains several of its industries; or to null if it contains several sectors and
 * the screener's own sector is wrong too. An industry that is not listed here has the screener's sector.
 */
const CLASS_OF: Readonly<Record<string, ClassSlug | null>> = {
  "Accident &Health Insurance": "insurance-life",
  Advertising: "advertising-agencies",
  Aerospace: "aerospace-and-defense",
  "Aerospace|Consumer Discretionary": "airports-and-air-services",
  "Agricultural Chemicals": "agricultural-inputs",
  "Air Freight/Delivery Services": "industrials",
  Aluminum: "aluminum",
  Apparel: "apparel-manufacturing",
  "Auto & Home Supply Stores": "auto-parts",
  "Auto Manufacturing": "auto-manufacturers",
  "Auto Parts:O.E.M.": "auto-parts",
  "Auto Parts:O.E.M.|Industrials": "industrials",
  Banks: "banks-regional",
  "Biotechnology: Commercial Physical & Biological Resarch": "diagnostics-and-research",
  "Biotechnology: Electromedical & Electrotherapeutic Apparatus": "medical-devices",
  "Biotechnology: In Vitro & In Vivo Diagnostic Substances": "diagnostics-and-research",
  "Biotechnology: Laboratory Analytical Instruments": "diagnostics-and-research",
  "Blank Checks": "shell-companies",
  Books: "publishing",
  Broadcasting: "communication-services",
  "Building Materials": "building-materials",
  "Building Products": "industrials",
  "Building operators": null,
  "Business Services": null,
  "Clothing/Shoe/Accessory Stores": "apparel-retail",
  "Computer Communications Equipment": "communication-equipment",
  "Computer Manufacturing": "computer-hardware",
  "Computer Software: Programming Data Processing": null,
  "Construction/Ag Equipment/Trucks": "farm-and-heavy-construction-machinery",
  "Consumer Electronics/Appliances|Consumer Staples": "consumer-electronics",
  "Consumer Electronics/Appliances|Technology": "industrials",
  "Consumer Electronics/Video Chains": null,
  "Containers/Packaging": "packaging-and-containers",
  "Department/Specialty Retail Stores": null,
  "Diversified Commercial Services": null,
  "Durable Goods": null,
  "Electric Utilities: Central": "utilities-regulated-electric",
  "Electrical Products|Energy": "industrials",
  "Electronic Components|Consumer Discretionary": null,
  "Electronics Distribution": "specialty-retail",
  "Engineering & Construction": "engineering-and-construction",
  "Environmental Services": "waste-management",
  "Farming/Seeds/Milling": "consumer-defensive",
  "Fluid Controls": "specialty-industrial-machinery",
  "Food Chains": "grocery-stores",
  "Food Distributors": "consumer-defensive",
  "Garments and Clothing": "consumer-cyclical",
  "General Bldg Contractors - Nonresidential Bldgs": "engineering-and-construction",
  "Home Furnishings": "furnishings-fixtures-and-appliances",
  "Home Furnishings|Industrials": null,
  "Homebuilding|Consumer Discretionary": "residential-construction",
  "Homebuilding|Industrials": "recreational-vehicles",
  "Hospital/Nursing Management": "medical-care-facilities",
  "Industrial Machinery/Components|Consumer Discretionary": "industrials",
  "Industrial Machinery/Components|Energy": "industrials",
  "Industrial Specialties|Consumer Discretionary": null,
  "Integrated Freight & Logistics": "integrated-freight-and-logistics",
  "Investment Managers": "asset-management",
  "Life Insurance": "insurance-life",
  "Major Chemicals": "basic-materials",
  "Medicinal Chemicals and Botanical Products": null,
  "Metal Fabrications": "industrials",
  "Military/Government/Technical": "industrials",
  "Mining & Quarrying of Nonmetallic Minerals (No Fuels)": "basic-materials",
  "Misc Corporate Leasing Services": "rental-and-leasing-services",
  Miscellaneous: null,
  "Miscellaneous manufacturing industries": null,
  "Movies/Entertainment": "entertainment",
  "Natural Gas Distribution|Utilities": null,
  "Newspapers/Magazines": "communication-services",
  "Office Equipment/Supplies/Services": null,
  "Oil & Gas Production|Utilities": null,
  "Oil and Gas Field Machinery": "oil-and-gas-equipment-and-services",
  "Oil/Gas Transmission": null,
  "Oilfield Services/Equipment": "oil-and-gas-equipment-and-services",
  "Ordnance And Accessories": "aerospace-and-defense",
  "Other Consumer Services": null,
  "Other Consumer Services|Real Estate": "education-and-training-services",
  "Other Metals and Minerals": null,
  "Other Specialty Stores|Industrials": null,
  "Package Goods/Cosmetics": "household-and-personal-products",
  "Packaged Foods": "packaged-foods",
  "Paints/Coatings": "specialty-chemicals",
  Paper: "paper-and-paper-products",
  "Pharmaceuticals and Biotechnology": "biotechnology",
  "Plastic Products": null,
  "Pollution Control Equipment": "pollution-and-treatment-controls",
  "Power Generation": "utilities-regulated-electric",
  "Precious Metals": "basic-materials",
  "Professional Services": "industrials",
  "Professional and commerical equipment": null,
  "Property-Casualty Insurers": "insurance-property-and-casualty",
  Publishing: null,
  Railroads: "railroads",
  "Real Estate": "real-estate",
  "Recreational Games/Products/Toys": "leisure",
  "Rental/Leasing Companies": "rental-and-leasing-services",
  Restaurants: "restaurants",
  "Retail-Auto Dealers and Gas Stations": "auto-and-truck-dealerships",
  "Retail-Drug Stores and Proprietary Stores": "healthcare",
  Semiconductors: "semiconductors",
  "Services-Misc. Amusement & Recreation": null,
  "Shoe Manufacturing": "footwear-and-accessories",
  "Specialty Chemicals": null,
  "Steel/Iron Ore": "steel",
  "Telecommunications Equipment|Consumer Discretionary": null,
  "Telecommunications Equipment|Industrials": "technology",
  "Telecommunications Equipment|Utilities": "communication-equipment",
  Textiles: "consumer-cyclical",
  Tobacco: "tobacco",
  "Tools/Hardware": "tools-and-accessories",
  "Transportation Services": null,
  "Trusts Except Educational Religious and Charitable": "asset-management",
  "Water Sewer Pipeline Comm & Power Line Construction": "engineering-and-construction",
  "Water Supply": "utilities-regulated-water",
  "Wholesale Distributors": "industrial-distribution",
};

/**
 * Classes that contain the giants of one industry and many small companies of another: the industry
 * below and the one above two market caps in USD. In between, and if the cap is unknown or the industry is
 * null, only the sector is given.
 */
const BY_SIZE: Readonly<
  Record<string, readonly [below: ClassSlug, least: number, most: number, above: ClassSlug | null]>
> = {
  "Biotechnology: Biological Products (No Diagnostic Substances)": [
    "biotechnology",
    60e9,
    60e9,
    null,
  ],
  "Biotechnology: Pharmaceutical Preparations": [
    "biotechnology",
    5e9,
    60e9,
    "drug-manufacturers-general",
  ],
  "Major Banks": ["banks-regional", 30e9, 150e9, "banks-diversified"],
  "Marine Transportation": ["marine-shipping", 7e9, 7e9, null],
  "Oil & Gas Production": ["oil-and-gas-eandp", 30e9, 30e9, null],
  "Radio And Television Broadcasting And Communications Equipment": [
    "communication-equipment",
    100e9,
    100e9,
    null,
  ],
  "Savings Institutions": ["banks-regional", 30e9, 30e9, null],
  "Trucking Freight/Courier Services": ["trucking", 60e9, 60e9, null],
};

/** Patterns in the names of companies for classes that are wider than an industry. */
const BY_NAME: Readonly<Record<string, readonly (readonly [RegExp, ClassSlug])[]>> = {
  "Real Estate Investment Trusts": [
    [/\bmortgage\b/i, "reit-mortgage"],
    [/\b(hotels?|hospitality|lodging)\b/i, "reit-hotel-and-motel"],
    [/\b(office|offices)\b/i, "reit-office"],
    [/\b(apartments?|residential|homes|communities)\b/i, "reit-residential"],
    [/\b(healthcare|health|medical)\b/i, "reit-healthcare-facilities"],
    [/\b(industrial|logistics|prologis|terreno)\b/i, "reit-industrial"],
    [/\b(retail|shopping|malls?)\b/i, "reit-retail"],
  ],
  "Precious Metals": [
    [/\bsilver\b/i, "silver"],
    [/\bgold\b|\bgoldfields\b/i, "gold"],
  ],
};

/** The sector and the industry of a line, as far as its class determines them. */
export function classify(
  line: Pick<ScreenedLine, "sector" | "industry" | "name" | "marketCap">,
): Classes {
  const { industry, sector, name, marketCap } = line;
  const given = classesOf(lookup(SECTOR_OF, sector));
  const named = lookup(BY_NAME, industry)?.find(([pattern]) => pattern.test(name));
  if (named) return classesOf(named[1]);
  const sized =
    industry === "Oil & Gas Production" && sector !== "Energy" ? null : lookup(BY_SIZE, industry);
  if (sized) {
    const [below, least, most, above] = sized;
    const slug =
      marketCap === null ? null : marketCap < least ? below : marketCap >= most ? above : null;
    return slug === null ? given : classesOf(slug);
  }
  const known = [`${industry}|${sector}`, industry].find((key) => Object.hasOwn(CLASS_OF, key));
  return known === undefined ? given : classesOf(CLASS_OF[known]);
}
