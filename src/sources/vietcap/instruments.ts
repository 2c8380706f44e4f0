import { Type } from "@sinclair/typebox";
import { localSectorOf } from "#domain/local-sectors.ts";
import { NO_PROFILE, SYMBOL_PATTERN } from "#domain/instrument.ts";
import { Nullable } from "#domain/schema.ts";
import { plainText } from "#lib/plain-text.ts";
import { answerReader } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { readList, textIn } from "#sources/list.ts";
import { classify } from "./icb.ts";
import { EXCHANGES, fetchListing, readListing } from "./listing.ts";
import { VIETCAP } from "./source.ts";

const IcbClass = Type.Optional(Nullable(Type.Object({ code: Nullable(Type.String()) })));
const Text = Type.Optional(Nullable(Type.String()));

const readRow = answerReader(
  VIETCAP,
  Type.Object({
    code: Nullable(Type.String()),
    name: Text,
    shortName: Text,
    floor: Text,
    /** CT company, CK broker, NH bank, BH insurer, QU fund. */
    comTypeCode: Text,
    isIndex: Type.Optional(Nullable(Type.Boolean())),
    icbLv2: IcbClass,
    icbLv4: IcbClass,
  }),
);

/** The code if it is one of the supersectors of ICB, else null. */
const knownClass = (localSector: string | null) =>
  localSectorOf({ country: "VN", localSector })?.code ?? null;

const SYMBOL = new RegExp(SYMBOL_PATTERN);
/** How the exchange names the units of funds. */
const FUND = /^(FU[CE][A-Z0-9]{5}|E1VFVN30)$/;

/**
 * Viet Nam's listed companies and funds. Every company on HOSE is a member of the VN-Index, which
 * has all of them.
 */
export const vietcapInstruments = defineFetcher({
  kind: "instruments",
  source: VIETCAP,
  countries: ["VN"],
  scope: "country",
  fetch: (_query, client) => fetchListing(client),
  *transform(raw: unknown) {
    const known = new Set<string>();
    const rows = readListing(raw);
    for (const row of yield* readList(rows, readRow, (bad) => textIn(bad, "code"))) {
      const symbol = (row.code ?? "").trim().toUpperCase();
      const exchange = row.floor ?? "";
      const shortName = plainText(row.shortName ?? "", 200);
      const name = plainText(row.name ?? "", 200) || shortName;
      if (row.isIndex || !EXCHANGES.has(exchange) || !SYMBOL.test(symbol) || !name) continue;
      if (known.has(symbol)) continue;
      known.add(symbol);
      const isFund = row.comTypeCode === "QU" || FUND.test(symbol);
      yield {
        country: "VN",
        symbol,
        name,
        ...(shortName !== "" &&
          shortName !== name &&
          shortName !== symbol && { aliases: shortName }),
        assetType: isFund ? "etf" : "stock",
        exchange,
        currency: "VND",
        ...NO_PROFILE,
        ...(!isFund && {
          ...classify(row.icbLv2?.code ?? null, row.icbLv4?.code ?? null),
          localSector: knownClass(row.icbLv2?.code ?? null),
        }),
        primaryListing: true,
        indexMember: !isFund && exchange === "HOSE",
      };
    }
    if (known.size === 0) throw VIETCAP.error("nothing", "it has no data for the request");
  },
});
