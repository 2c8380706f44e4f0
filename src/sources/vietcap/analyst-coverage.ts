import { Type } from "@sinclair/typebox";
import type { AnalystCoverage } from "#domain/analyst-coverage.ts";
import { SYMBOL_PATTERN } from "#domain/instrument.ts";
import { Nullable } from "#domain/schema.ts";
import { answerReader } from "#sources/check-answer.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { readList, textIn } from "#sources/list.ts";
import { fetchListing, readListing } from "./listing.ts";
import { VIETCAP } from "./source.ts";

const readRow = answerReader(
  VIETCAP,
  Type.Object({
    code: Nullable(Type.String()),
    /** In dong; absent or zero if Vietcap does not cover the company. */
    targetPrice: Type.Optional(Nullable(Type.Number())),
  }),
);
const SYMBOL = new RegExp(SYMBOL_PATTERN);

/** The price targets of Vietcap's own analysts: one for each company that they cover. */
export const vietcapTargets = defineFetcher({
  kind: "analystCoverage",
  source: VIETCAP,
  countries: ["VN"],
  scope: "country",
  complements: true,
  fetch: (_query, client) => fetchListing(client),
  *transform(raw: unknown) {
    const rows = yield* readList(readListing(raw), readRow, (bad) => textIn(bad, "code"));
    const targets = new Map<string, AnalystCoverage>();
    for (const { code, targetPrice } of rows) {
      const symbol = (code ?? "").trim().toUpperCase();
      if (!SYMBOL.test(symbol) || !targetPrice || targetPrice <= 0) continue;
      const priceTarget = { low: null, mean: targetPrice, median: null, high: null, analysts: 1 };
      targets.set(symbol, {
        country: "VN",
        symbol,
        ratings: [],
        priceTarget,
        estimates: [],
        actions: [],
      });
    }
    if (targets.size === 0) throw VIETCAP.error("nothing", "it has no price targets");
    yield* targets.values();
  },
});
