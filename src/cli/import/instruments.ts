import { COUNTRIES, COUNTRY_CODES } from "#domain/country.ts";
import { invalidArgument, notFound } from "#domain/errors.ts";
import {
  ASSET_TYPES,
  type Instrument,
  type InstrumentKey,
  NO_PROFILE,
  SYMBOL_PATTERN,
} from "#domain/instrument.ts";
import { formatPlace, type Place } from "#domain/records.ts";
import { cleanText } from "#imports/cells.ts";
import type { ImportName } from "#imports/import-kinds.ts";
import { closestHint } from "#lib/closest.ts";
import { SAMPLE } from "#sample/stamp.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import type { MarketStore } from "#store/index.ts";
import { parseChoice } from "#cli/command.ts";
import { type Flags, HISTORY_FLAGS } from "./flags.ts";

/** What an import needs of an instrument. A whole one has a summary of up to 4,000 characters. */
export type KnownInstrument = Pick<StoredInstrument, "id" | "country" | "symbol" | "assetType">;

/** The one instrument of an import that the flags name. */
export interface OneInstrument {
  /** Null if the market does not have it yet. */
  readonly id: number | null;
  readonly instrument: Instrument;
}

/** Finds the instruments of records and remembers them; an unknown one is an error with the place of its record. */
export function createInstrumentFinder(
  market: MarketStore,
): (key: InstrumentKey, place: Place) => KnownInstrument {
  const instruments = new Map<string, KnownInstrument>();
  return ({ country, symbol }, place) => {
    const key = `${country} ${symbol}`;
    const known = instruments.get(key);
    if (known !== undefined) return known;
    const instrument = market.instruments.find({ country, symbol });
    if (!instrument) {
      throw notFound(
        `${formatPlace(place)}: ${unknownSymbol(market, { country, symbol })}; import it with \`import instruments\` first.`,
      );
    }
    const { id, assetType } = instrument;
    const found = { id, country, symbol, assetType };
    instruments.set(key, found);
    return found;
  };
}

/**
 * The instrument that `--country` and `--symbol` name; null if the rows of a file name theirs.
 *
 * @throws BourseError if a flag is missing or wrong
 */
export function readOneKey(name: ImportName, flags: Flags): InstrumentKey | null {
  const isOfOne =
    name === "bars" && Object.keys(HISTORY_FLAGS).some((flag) => flags[flag] !== undefined);
  if (!isOfOne) return null;
  const country = parseChoice("country", flags["country"], COUNTRY_CODES);
  if (flags["symbol"] === undefined) {
    throw invalidArgument(
      "--symbol must be given with --country: together they name the one instrument of a file.",
      {
        hint: `A file with the columns country and symbol needs neither; for one with symbols only, give --set country=${country} instead of --country.`,
      },
    );
  }
  const symbol = String(flags["symbol"]).toUpperCase();
  if (!new RegExp(SYMBOL_PATTERN).test(symbol)) {
    throw invalidArgument(
      "--symbol must be 1 to 20 letters, digits or any of . - ^ = (such as AAPL, 7203 or FPT).",
    );
  }
  return { country, symbol };
}

/**
 * An instrument of the market, or a new one if the market does not have it.
 *
 * @throws BourseError if a flag of a new instrument is missing or wrong, such as `--name`
 */
export function findOneInstrument(
  market: MarketStore,
  { country, symbol }: InstrumentKey,
  flags: Flags,
): OneInstrument {
  const known = market.instruments.find({ country, symbol });
  if (known) return { id: known.id, instrument: known };
  const name = cleanText(String(flags["name"] ?? "")).slice(0, 200);
  if (name === "") {
    const unknown = unknownSymbol(market, { country, symbol });
    throw notFound(`${unknown}; give --name to make it.`);
  }
  const instrument: Instrument = {
    country,
    symbol,
    name,
    assetType: parseChoice("type", flags["type"] ?? "stock", ASSET_TYPES),
    exchange: null,
    currency: COUNTRIES[country].currency,
    ...NO_PROFILE,
    primaryListing: true,
    indexMember: false,
  };
  return { id: null, instrument };
}

function unknownSymbol(market: MarketStore, { country, symbol }: InstrumentKey): string {
  const near = closestHint(symbol, market.instruments.listSymbols(country));
  return `${symbol} is not known in ${country}${near}`;
}

/** Refuses to mix generated and real bars in one history. */
export function refuseSample(
  market: MarketStore,
  { id, country, symbol }: InstrumentKey & { readonly id: number },
): void {
  if (market.bars.findProvenance(id)?.source !== SAMPLE) return;
  throw invalidArgument(
    `The bars of ${symbol} (${country}) are generated, and --append would mix them with yours; import the whole history once without --append.`,
  );
}
