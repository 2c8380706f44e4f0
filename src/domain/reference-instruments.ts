import { csvRows } from "#lib/csv.ts";
import { lazy } from "#lib/lazy.ts";
import { COUNTRY_CODES } from "./country.ts";
import { ASSET_TYPES, type Instrument } from "./instrument.ts";
import referenceCsv from "./reference-instruments.csv" with { type: "text" };

/** An instrument that no exchange's list names: its record without a summary. */
type ReferenceInstrument = Readonly<Omit<Instrument, "summary">>;

/**
 * The indices, currencies, commodities and cryptocurrencies, US first, then JP and VN. Futures are in
 * the unit that they trade in: `USX` is US cents.
 *
 * @throws Error on a line whose country or asset type is unknown
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
