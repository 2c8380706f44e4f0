import { Type } from "@sinclair/typebox";
import { changePercent } from "#analytics/performance.ts";
import { CountryCode } from "#domain/country.ts";
import { BourseError } from "#domain/errors.ts";
import { ASSET_TYPES } from "#domain/instrument.ts";
import { FigureOutput, Nullable, StringEnum } from "#domain/schema.ts";
import { round2, roundPrice } from "#panels/format.ts";
import { newestPrice } from "#rollups/companies.ts";
import type { SearchPosition } from "#store/instruments.ts";
import { AssetTypeInput, SectorInput } from "./inputs.ts";
import { countryNeeds, optionalCountryNeeds } from "./needs.ts";
import { defineOperation } from "./operation.ts";

export const listSymbols = defineOperation({
  name: "list_symbols",
  title: "Search and list symbols",
  description:
    "Finds tickers by country, asset type, sector or free text in symbol and name, best match first. Use it if you are not sure of a symbol. For a company's figures use get_stock_overview.",
  path: "/data/symbols",
  input: Type.Object({
    country: Type.Optional(CountryCode),
    type: Type.Optional(AssetTypeInput),
    sector: Type.Optional(SectorInput("Sector slug.")),
    query: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: "Part of a symbol or name (English or native), with or without diacritics.",
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        default: 25,
        description: "Maximum number of symbols on a page.",
      }),
    ),
    cursor: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 100,
        description: "The next_cursor of the previous page; omit it for the first page.",
      }),
    ),
  }),
  output: Type.Object({
    symbols: Type.Array(
      Type.Object({
        country: CountryCode,
        symbol: Type.String({ description: "Ticker in its country's form: AAPL." }),
        name: Type.String({ description: "Name of the instrument: Apple Inc." }),
        type: StringEnum(ASSET_TYPES, { description: "Asset type." }),
        sector: Nullable(
          Type.String({
            description: "Sector slug: technology; null if unknown or not a company.",
          }),
        ),
        currency: Type.String({ description: "ISO code of the currency of the price: USD." }),
        price: FigureOutput("Newest close in `currency`: 177.39."),
        change_percent: FigureOutput(
          "Change from the previous to the newest close in percent: -0.42.",
        ),
      }),
    ),
    total: Type.Integer({ description: "Number of symbols on all pages." }),
    next_cursor: Nullable(
      Type.String({ description: "Value of cursor for the next page; null on the last page." }),
    ),
  }),
  needs: ({ country }) => [
    ...countryNeeds(["instruments"], country),
    ...optionalCountryNeeds(["quotes"], country),
  ],
  handle({ country, type, sector, query, limit = 25, cursor }, { market }) {
    const { instruments, total, next } = market.instruments.search(
      { country, assetType: type, sector, query },
      { limit, after: cursor === undefined ? null : parseCursor(cursor) },
    );
    const listed = instruments.map((instrument) => {
      const bars = market.bars.findProvenance(instrument.id);
      const quote = market.documents.find("quotes", instrument.country, instrument.symbol);
      const from = [instrument, bars, quote].filter((record) => record !== null);
      return { instrument, newest: newestPrice(market, instrument, bars, quote), from };
    });
    return {
      data: {
        symbols: listed.map(({ instrument, newest }) => ({
          country: instrument.country,
          symbol: instrument.symbol,
          name: instrument.name,
          type: instrument.assetType,
          sector: instrument.sector,
          currency: instrument.currency,
          price: newest ? roundPrice(newest.close) : null,
          change_percent: round2(
            changePercent(newest?.close ?? null, newest?.previousClose ?? null),
          ),
        })),
        total,
        next_cursor: next && formatCursor(next),
      },
      from: listed.flatMap(({ from }) => from),
    };
  },
});

/** A cursor is opaque to callers. It contains the position of the last symbol of its page. */
const formatCursor = ({ rank, id }: SearchPosition): string =>
  Buffer.from(`after:${rank}:${id}`).toString("base64url");

function parseCursor(cursor: string): SearchPosition {
  const [, rank, id] =
    /^after:(\d):(\d{1,15})$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (rank === undefined || id === undefined) {
    throw new BourseError(
      "invalid_argument",
      "cursor must be the next_cursor of a previous answer; omit it for the first page.",
      { param: "cursor" },
    );
  }
  return { rank: Number(rank), id: Number(id) };
}
