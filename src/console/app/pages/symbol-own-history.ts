import type { Call } from "#console/app/api.ts";
import type { Subject } from "#console/app/parts/subject.ts";

/** The call for ten years of a multiple, by month ends. */
export function ownHistoryCall(subject: Subject, metric: string): Call<"get_valuation_history"> {
  return { operation: "get_valuation_history", args: { ...subject, metric, range: "10y" } };
}
