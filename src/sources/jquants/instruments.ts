import { Type } from "@sinclair/typebox";
import type { AssetType, Instrument, Segment } from "#domain/instrument.ts";
import type { Static } from "#domain/schema.ts";
import { plainText } from "#lib/plain-text.ts";
import { answerReader } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { listedInstrument } from "#sources/jpx/listed-instrument.ts";
import { readList, textIn } from "#sources/list.ts";
import { requestPages, rowsReader, symbolOf } from "./answer.ts";
import { JQUANTS } from "./source.ts";

const Issue = Type.Object({
  /** The symbol and a 0; another fifth digit for another line of the same issuer. */
  Code: Type.String({ pattern: "^\\d[\\dA-Z]\\d[\\dA-Z]\\d$" }),
  CoName: Type.String(),
  CoNameEn: Type.String(),
  /** One of the 33 sectors. */
  S33: Type.String(),
  Mkt: Type.String(),
  /** Given since May 2026. */
  ProdCat: Type.Optional(Type.String()),
});
type Issue = Static<typeof Issue>;

const readRows = rowsReader(Type.Unknown());
const readIssue = answerReader(JQUANTS, Issue);

/** Asset types by product category. ETNs and infrastructure funds have no category of their own. */
const CATEGORIES: ReadonlyMap<string, AssetType> = new Map([
  ["011", "stock"],
  ["012", "stock"],
  ["013", "reit"],
  ["014", "etf"],
  ["021", "stock"],
  ["022", "reit"],
  ["023", "etf"],
  ["024", "stock"],
]);

/** The market of issues that are not stocks. */
const OTHERS = "0109";
/** The segments by their markets. */
const SEGMENT_OF_MARKET: ReadonlyMap<string, Segment> = new Map([
  ["0111", "prime"],
  ["0112", "standard"],
  ["0113", "growth"],
]);
/** Open to professional investors only, with very few trades. */
const PRO_MARKET = "0105";
/** The codes of issues without a sector. */
const NO_SECTOR = new Set(["9999", "-", ""]);

/** Words in the names of trusts. Funds that hold trusts have them in their names too. */
const TRUST = /\bREIT\b|Investment Corporation|Infrastructure Fund/i;
const FUND = /\b(ETF|ETN|Index|Funds)\b/i;

/**
 * Every stock, ETF and REIT listed in Tokyo with its English name (or its Japanese name if there is
 * no English one), as of the newest day of the plan: on the free plan 12 weeks ago.
 *
 * Classes and the primary line follow JPX's own list; index members are not given.
 */
export const jquantsInstruments = defineFetcher({
  kind: "instruments",
  source: JQUANTS,
  countries: ["JP"],
  scope: "country",
  fetch: (_query, client) => requestPages(client, "/equities/master"),
  *transform(pages: readonly unknown[]) {
    const listed = yield* readList(
      readRows(pages),
      (row) => parseIssue(readIssue(row)),
      (row) => symbolOf(textIn(row, "Code") ?? ""),
    );
    const instruments = new Map(listed.flatMap((one) => (one ? [[one.symbol, one]] : [])));
    if (instruments.size === 0) throw JQUANTS.error("nothing", "it has no data for the request");
    yield* instruments.values();
  },
});

/** Null for the PRO Market and for an issue without a name. */
function parseIssue(row: Issue): Instrument | null {
  const symbol = symbolOf(row.Code);
  const name = plainText(row.CoNameEn, 200) || plainText(row.CoName, 200);
  const assetType = assetTypeOf(row, name);
  // Some answers have numbers, which lose the leading zeros of the code.
  const sector33 = NO_SECTOR.has(row.S33) ? null : row.S33.padStart(4, "0");
  const segment = SEGMENT_OF_MARKET.get(row.Mkt) ?? null;
  const instrument = listedInstrument({ symbol, name, assetType, sector33, segment });
  if (instrument === null) {
    throw JQUANTS.error("invalid_answer", "a sector is not one of the 33 of JPX");
  }
  return row.Mkt === PRO_MARKET || name === "" ? null : instrument;
}

function assetTypeOf({ ProdCat: category, Mkt: market }: Issue, name: string): AssetType {
  if (category === undefined || category === "") {
    if (market !== OTHERS) return "stock";
    return TRUST.test(name) && !FUND.test(name) ? "reit" : "etf";
  }
  const known = CATEGORIES.get(category);
  if (!known) throw JQUANTS.error("invalid_answer", "a product category is unknown");
  return known;
}
