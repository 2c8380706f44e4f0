import type { Sentence } from "#console/app/words.ts";
import type { PayloadOf } from "#operations/index.ts";

/** A multiple today with the band of the middle 80% of its month ends. */
type OwnHistory = PayloadOf<"get_valuation_history">["metrics"][string];

/** What today's multiple is for its own company: usual within the band. Null if it is not known. */
export function verdictOf(history: OwnHistory | undefined): Sentence | null {
  const { today = null, p10 = null, p90 = null } = history ?? {};
  if (today === null || p10 === null || p90 === null) return null;
  if (today < p10) return "Low for itself";
  return today > p90 ? "High for itself" : "Usual for itself";
}
