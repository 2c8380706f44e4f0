import type { NodeInfo } from "#domain/cluster-node.ts";
import { MAX_CLIENTS } from "#access/oauth.ts";
import { wordsOf } from "#domain/records.ts";
import { formatAge, formatMoment } from "#lib/table.ts";
import type { DoorsInfo, ListInfo } from "#http/service-reports.ts";
import { PROGRAM } from "#lib/compiled.ts";

/** From this share of all places on. */
const FEW_PLACES_LEFT = 0.9;

/** What a check of `doctor` found, in one sentence, with what to do if it is not `ok`. */
export interface Finding {
  readonly check: string;
  readonly level: "ok" | "warning" | "failed";
  readonly text: string;
}

/** A check that found nothing to do. */
export const ok = (check: string, text: string): Finding => ({ check, level: "ok", text });
/** A check that found what needs attention. */
export const warning = (check: string, text: string): Finding => ({
  check,
  level: "warning",
  text,
});
/** A check that found what must be repaired. */
export const failed = (check: string, text: string): Finding => ({ check, level: "failed", text });

/** What `doctor` says about the places of OAuth clients that are taken: nothing if enough are left. */
export function describePlaces(taken: number): Finding[] {
  if (taken < FEW_PLACES_LEFT * MAX_CLIENTS) return [];
  return [
    warning(
      "clients",
      `${taken} of ${MAX_CLIENTS} places of OAuth clients are taken; when all are, no new client can connect. Revoke the tokens of unused ones: ${PROGRAM} token list`,
    ),
  ];
}

/** What `doctor` says about the lists of a live market: what is live, old or missing, and each host that refused. */
export function describeDoors(doors: DoorsInfo, now: number): Finding[] {
  const { live, old, empty, refused, missing } = doors;
  const age = ({ fetchedAt }: (typeof old)[number]) =>
    formatAge((now - (fetchedAt ?? now)) / 1_000);
  return [
    ...(live.length > 0 ? [ok("live", `${listKinds(live)}.`)] : []),
    ...(old.length > 0
      ? [
          warning(
            "old",
            `${listKinds(old, (one) => ` (${age(one)})`)}; the service fetches them while it runs.`,
          ),
        ]
      : []),
    ...(empty.length > 0 ? [warning("empty", `No source has given ${listKinds(empty)}.`)] : []),
    ...refused.map(({ words, at, retryAt }) =>
      warning(
        "refused",
        `${words}. It refused at ${formatMoment(at)}${retryAt === null ? "" : ` and is tried again at ${formatMoment(retryAt)}`}.`,
      ),
    ),
    ...missing.map((words) => warning("missing", `${words}.`)),
  ];
}

/** `quotes of JP, US; macro series of VN (3 d)` */
function listKinds(lists: readonly ListInfo[], note: (one: ListInfo) => string = () => ""): string {
  return [...Map.groupBy(lists, ({ kind }) => kind)]
    .map(
      ([kind, own]) =>
        `${wordsOf(kind)} of ${own.map((one) => one.country + note(one)).join(", ")}`,
    )
    .join("; ");
}

/** What an operator should know of a node: `leader; other plan-free, build`. */
export function describeNode({ isLeader, isGone, fault, differs }: NodeInfo): string {
  const facts = [
    isLeader && "leader",
    isGone && "gone",
    fault,
    differs.length > 0 && `other ${differs.join(", ")}`,
  ];
  return facts.filter(Boolean).join("; ");
}
