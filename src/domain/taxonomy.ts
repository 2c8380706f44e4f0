/**
 * The taxonomy of companies: 11 sectors and 145 industries (the Morningstar classification with Yahoo's
 * names). Each source maps its own classes to it.
 */
const TAXONOMY = {
  "Basic Materials": [
    "Agricultural Inputs",
    "Aluminum",
    "Building Materials",
    "Chemicals",
    "Coking Coal",
    "Copper",
    "Gold",
    "Lumber & Wood Production",
    "Other Industrial Metals & Mining",
    "Other Precious Metals & Mining",
    "Paper & Paper Products",
    "Silver",
    "Specialty Chemicals",
    "Steel",
  ],
  "Communication Services": [
    "Advertising Agencies",
    "Broadcasting",
    "Electronic Gaming & Multimedia",
    "Entertainment",
    "Internet Content & Information",
    "Publishing",
    "Telecom Services",
  ],
  "Consumer Cyclical": [
    "Apparel Manufacturing",
    "Apparel Retail",
    "Auto & Truck Dealerships",
    "Auto Manufacturers",
    "Auto Parts",
    "Department Stores",
    "Footwear & Accessories",
    "Furnishings, Fixtures & Appliances",
    "Gambling",
    "Home Improvement Retail",
    "Internet Retail",
    "Leisure",
    "Lodging",
    "Luxury Goods",
    "Packaging & Containers",
    "Personal Services",
    "Recreational Vehicles",
    "Residential Construction",
    "Resorts & Casinos",
    "Restaurants",
    "Specialty Retail",
    "Textile Manufacturing",
    "Travel Services",
  ],
  "Consumer Defensive": [
    "Beverages - Brewers",
    "Beverages - Non-Alcoholic",
    "Beverages - Wineries & Distilleries",
    "Confectioners",
    "Discount Stores",
    "Education & Training Services",
    "Farm Products",
    "Food Distribution",
    "Grocery Stores",
    "Household & Personal Products",
    "Packaged Foods",
    "Tobacco",
  ],
  Energy: [
    "Oil & Gas Drilling",
    "Oil & Gas E&P",
    "Oil & Gas Equipment & Services",
    "Oil & Gas Integrated",
    "Oil & Gas Midstream",
    "Oil & Gas Refining & Marketing",
    "Thermal Coal",
    "Uranium",
  ],
  "Financial Services": [
    "Asset Management",
    "Banks - Diversified",
    "Banks - Regional",
    "Capital Markets",
    "Credit Services",
    "Financial Conglomerates",
    "Financial Data & Stock Exchanges",
    "Insurance Brokers",
    "Insurance - Diversified",
    "Insurance - Life",
    "Insurance - Property & Casualty",
    "Insurance - Reinsurance",
    "Insurance - Specialty",
    "Mortgage Finance",
    "Shell Companies",
  ],
  Healthcare: [
    "Biotechnology",
    "Diagnostics & Research",
    "Drug Manufacturers - General",
    "Drug Manufacturers - Specialty & Generic",
    "Health Information Services",
    "Healthcare Plans",
    "Medical Care Facilities",
    "Medical Devices",
    "Medical Distribution",
    "Medical Instruments & Supplies",
    "Pharmaceutical Retailers",
  ],
  Industrials: [
    "Aerospace & Defense",
    "Airlines",
    "Airports & Air Services",
    "Building Products & Equipment",
    "Business Equipment & Supplies",
    "Conglomerates",
    "Consulting Services",
    "Electrical Equipment & Parts",
    "Engineering & Construction",
    "Farm & Heavy Construction Machinery",
    "Industrial Distribution",
    "Infrastructure Operations",
    "Integrated Freight & Logistics",
    "Marine Shipping",
    "Metal Fabrication",
    "Pollution & Treatment Controls",
    "Railroads",
    "Rental & Leasing Services",
    "Security & Protection Services",
    "Specialty Business Services",
    "Specialty Industrial Machinery",
    "Staffing & Employment Services",
    "Tools & Accessories",
    "Trucking",
    "Waste Management",
  ],
  "Real Estate": [
    "REIT - Diversified",
    "REIT - Healthcare Facilities",
    "REIT - Hotel & Motel",
    "REIT - Industrial",
    "REIT - Mortgage",
    "REIT - Office",
    "REIT - Residential",
    "REIT - Retail",
    "REIT - Specialty",
    "Real Estate Services",
    "Real Estate - Development",
    "Real Estate - Diversified",
  ],
  Technology: [
    "Communication Equipment",
    "Computer Hardware",
    "Consumer Electronics",
    "Electronic Components",
    "Electronics & Computer Distribution",
    "Information Technology Services",
    "Scientific & Technical Instruments",
    "Semiconductor Equipment & Materials",
    "Semiconductors",
    "Software - Application",
    "Software - Infrastructure",
    "Solar",
  ],
  Utilities: [
    "Utilities - Diversified",
    "Utilities - Independent Power Producers",
    "Utilities - Regulated Electric",
    "Utilities - Regulated Gas",
    "Utilities - Regulated Water",
    "Utilities - Renewable",
  ],
} as const;

/** A text with all `From` replaced by `To`. */
type Replaced<
  Text,
  From extends string,
  To extends string,
> = Text extends `${infer Head}${From}${infer Rest}`
  ? `${Head}${To}${Replaced<Rest, From, To>}`
  : Text;

/** The type of `slugOf(name)`. */
type SlugOf<Name extends string> = Lowercase<
  Replaced<Replaced<Replaced<Replaced<Name, "&", "and">, " - ", "-">, ", ", "-">, " ", "-">
>;

/** The slugs of all sectors. */
export type SectorSlug = SlugOf<keyof typeof TAXONOMY>;

/** The slugs of all sectors and industries, so that the table of a source cannot have another one. */
export type ClassSlug = SectorSlug | SlugOf<(typeof TAXONOMY)[keyof typeof TAXONOMY][number]>;

/** A sector or an industry. */
export interface TaxonomyClass {
  readonly slug: string;
  readonly name: string;
}

/** An industry with the slug of its sector. */
export interface Industry extends TaxonomyClass {
  readonly sector: string;
}

/** Converts a name to a slug, like Yahoo: `Oil & Gas E&P` becomes `oil-and-gas-eandp`. */
export function slugOf(name: string): string {
  return name
    .toLowerCase()
    .replaceAll("&", "and")
    .replaceAll(/[^a-z0-9]+/g, "-")
    .replaceAll(/^-|-$/g, "");
}

/** The 11 sectors by slug, in alphabetical order. */
export const SECTORS: ReadonlyMap<string, TaxonomyClass> = new Map(
  Object.keys(TAXONOMY).map((name) => [slugOf(name), { slug: slugOf(name), name }]),
);

/** The 145 industries by slug, sector by sector. */
export const INDUSTRIES: ReadonlyMap<string, Industry> = new Map(
  Object.entries(TAXONOMY).flatMap(([sector, industries]) =>
    industries.map((name) => [slugOf(name), { slug: slugOf(name), name, sector: slugOf(sector) }]),
  ),
);
