import type { NodeInfo } from "#domain/cluster-node.ts";
import { MAX_CLIENTS } from "#access/oauth.ts";
import { wordsOf } from "#domain/records.ts";
import { formatAge, formatMoment } from "#lib/table.ts";
import type { DoorsInfo, Finding, ListInfo } from "#http/service-reports.ts";
import { PROGRAM } from "#lib/compiled.ts";

/** From this share of all places on. */
const FEW_PLACES_LEFT = 0.9;

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

/** What lists lack because of a refusal, or for any other reason. Each refusal is named once. */
export function joinCauses<T extends Pick<DoorsInfo["refused"][number], "hosts" | "words">>({
  refused,
  missing,
}: {
  readonly refused: readonly T[];
  readonly missing: readonly string[];
}) {
  const causes = refused.map((one) => {
    const reason = reasonIn(one);
    const startIn = (words: string) =>
      Math.max(...one.hosts.map((host) => words.indexOf(host + reason)));
    const own = missing.filter((words) => startIn(words) >= 0);
    const lacks = own.map((words) => words.slice(0, words.lastIndexOf(" (", startIn(words))));
    return {
      ...one,
      reason,
      own,
      lacks: lacks.length > 0 ? `Without it: ${lacks.join("; ")}.` : "",
    };
  });
  const known = new Set(causes.flatMap(({ own }) => own));
  return { causes, missing: missing.filter((words) => !known.has(words)) };
}

/** What several hosts have in common: the words without the first host and the number of others. */
function reasonIn({
  hosts: [first = ""],
  words,
}: Pick<DoorsInfo["refused"][number], "hosts" | "words">): string {
  return words.slice(first.length).replace(/ \(\d+ more hosts? (?:does|do) the same\)$/, "");
}

/**
 * What `doctor` says about the sources of a live market: what each one answered, what is live, old or missing, and
 * each cause once. `probes` are the findings of the sources that were called now.
 */
export function describeDoors(
  probes: readonly Finding[],
  doors: DoorsInfo,
  now: number,
): Finding[] {
  const { live, old, empty } = doors;
  const { causes, missing } = joinCauses(doors);
  const isTold = ({ reason }: (typeof causes)[number]) =>
    probes.some(({ level, text }) => level !== "ok" && text.includes(reason));
  const ends = ({ text }: Finding) =>
    causes.flatMap(({ reason, lacks }) => (text.includes(reason) && lacks ? ` ${lacks}` : []));
  const age = ({ fetchedAt }: (typeof old)[number]) =>
    formatAge((now - (fetchedAt ?? now)) / 1_000);
  return [
    ...probes.map((one) => ({ ...one, text: one.text + ends(one).join("") })),
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
    ...causes
      .filter((cause) => !isTold(cause))
      .map(({ words, at, retryAt, lacks }) => {
        const again = retryAt === null ? "" : ` and is tried again at ${formatMoment(retryAt)}`;
        const when = `It refused at ${formatMoment(at)}${again}.`;
        return warning("refused", [`${words}.`, when, lacks].filter(Boolean).join(" "));
      }),
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
