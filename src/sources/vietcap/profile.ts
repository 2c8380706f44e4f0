import { Type } from "@sinclair/typebox";
import { Nullable } from "#domain/schema.ts";
import { plainText } from "#lib/plain-text.ts";
import { defineFetcher } from "#sources/fetcher.ts";
import { dataReader, VIETCAP_SERVICE } from "./answer.ts";
import { VIETCAP } from "./source.ts";

const readRatios = dataReader(
  Type.Array(
    Type.Object({
      yearReport: Type.Integer(),
      /** 5 is the whole year. */
      quarter: Type.Integer({ minimum: 1, maximum: 5 }),
      ratioType: Type.String(),
      numberOfSharesMktCap: Type.Optional(Nullable(Type.Number())),
    }),
  ),
);
const readDetails = dataReader(Type.Object({ enProfile: Type.Optional(Nullable(Type.String())) }));

/** A company's shares, or null, and its English description, if there is one. */
export const vietcapProfile = defineFetcher({
  kind: "instruments",
  source: VIETCAP,
  countries: ["VN"],
  scope: "instrument",
  async fetch({ instrument }, client): Promise<{ ratios: unknown; details: unknown }> {
    if (instrument?.assetType !== "stock")
      throw VIETCAP.error("nothing", "it has no data for the request");
    const symbol = encodeURIComponent(instrument.symbol);
    const company = `${VIETCAP_SERVICE}/v1/company`;
    const ratios = await client.request(`${company}/${symbol}/statistics-financial`);
    const details = await client.request(`${company}/details?ticker=${symbol}`, { accept: [404] });
    return {
      ratios: await ratios.json(),
      details: details.status === 404 ? null : await details.json(),
    };
  },
  *transform({ ratios, details }, { instrument }) {
    if (!instrument) throw VIETCAP.error("nothing", "it has no data for the request");
    const sharesOutstanding = newestShares(readRatios(ratios));
    const summary = details === null ? "" : (readDetails(details).enProfile ?? "");
    if (sharesOutstanding === null && summary === "")
      throw VIETCAP.error("nothing", "it has no data for the request");
    yield {
      ...instrument,
      sharesOutstanding,
      summary: plainText(summary, 4_000) || instrument.summary,
    };
  },
});

/** The shares of the newest period that has them; the source uses zero for "not applicable". */
function newestShares(rows: ReturnType<typeof readRatios>): number | null {
  const known = rows
    .filter(({ numberOfSharesMktCap }) => (numberOfSharesMktCap ?? 0) > 0)
    .map(({ yearReport, quarter, numberOfSharesMktCap }) => ({
      period: yearReport * 4 + Math.min(quarter, 4),
      shares: numberOfSharesMktCap ?? null,
    }))
    .sort((a, b) => b.period - a.period);
  return known[0]?.shares ?? null;
}
