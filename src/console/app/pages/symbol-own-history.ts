import type { Call } from "#console/app/api.ts";
import type { Subject } from "#console/app/parts/subject.ts";
import type { Sentence } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";

type OwnHistory = PayloadOf<"get_valuation_history">;

/** The call for ten years of a multiple, by month ends. */
export function ownHistoryCall(subject: Subject, metric: string): Call<"get_valuation_history"> {
  return { operation: "get_valuation_history", args: { ...subject, metric, range: "10y" } };
}

/** What today's multiple is for its own company: usual in the band of the middle 80%. Null if it is not known. */
export function verdictOf(history: OwnHistory["metrics"][string] | undefined): Sentence | null {
  const { today = null, p10 = null, p90 = null } = history ?? {};
  if (today === null || p10 === null || p90 === null) return null;
  if (today < p10) return "Low for itself";
  return today > p90 ? "High for itself" : "Usual for itself";
}
