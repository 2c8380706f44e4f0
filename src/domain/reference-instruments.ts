import { csvRows } from "#lib/csv.ts";
import { lazy } from "#lib/lazy.ts";
import { COUNTRY_CODES } from "./country.ts";
import { ASSET_TYPES, type Instrument } from "./instrument.ts";
import referenceCsv from "./reference-instruments.csv" with { type: "text" };

/** The record of an instrument that no exchange lists, without a summary. */
type ReferenceInstrument = Readonly<Omit<Instrument, "summary">>;

/**
 * The indices, currencies, commodities and cryptocurrencies of all countries, in the order US, JP, VN.
 * Futures are in the unit in which they trade: `USX` is US cents.
 *
 * @throws Error if a line has an unknown country or asset type
 */
export const listReferenceInstruments = lazy((): readonly ReferenceInstrument[] =>
  [...csvRows(referenceCsv)].slice(1).map(({ line, cells }) => {
    const [code, symbol = "", name = "", type, exchange = "", currency = "", aliases = ""] = cells;
    const country = COUNTRY_CODES.find((one) => one === code);
    const assetType = ASSET_TYPES.find((one) => one === type);
    if (!country || !assetType)
      throw new Error(`reference-instruments.csv, line ${line}: unknown country or asset type`);
    return Object.freeze({
      country,
      symbol,
      name,
      assetType,
      exchange: exchange || null,
      currency,
      ...(aliases !== "" && { aliases }),
      sector: null,
      industry: null,
      sharesOutstanding: null,
      employees: null,
      primaryListing: true,
      indexMember: false,
    });
  }),
);
