import type { Config } from "#config.ts";
import { wordsOf } from "#domain/records.ts";
import { withoutSource } from "#ingest/lacks.ts";
import { FETCHERS } from "#sources/index.ts";
import { groupRefusals } from "#sources/refusal.ts";
import type { Probe } from "./source-probe.ts";
import { keysFor } from "./state.ts";

/** What is known of a source after its check. */
export interface SourceVerdict {
  readonly source: string;
  /** `not called` if it lacks a key or a contact, or is switched off by default. */
  readonly verdict: "works" | "partly" | "refused" | "not called";
  /** The records that no other source gave, and those that another one gave instead; empty if none is lost. */
  readonly lost: string;
  /** The reasons and what to do, in the words of refusals; empty if it works. */
  readonly advice: readonly string[];
}

/** One verdict for each source, in the order of the probes. */
export function judgeProbes(rows: readonly Probe[], config: Config): SourceVerdict[] {
  return [...Map.groupBy(rows, ({ source }) => source)].map(([source, own]) => {
    const verdict = verdictOf(own);
    const lost = verdict === "works" ? "" : describeLoss(own, rows, config);
    return { source, verdict, lost, advice: adviceOf(own, verdict) };
  });
}

function verdictOf(own: readonly Probe[]): SourceVerdict["verdict"] {
  const hasFailed = own.some((row) => row.failed || row.isBlocked);
  const hasAnswered = own.some(({ records }) => records !== null);
  if (hasFailed && !hasAnswered) return "refused";
  if (hasFailed || own.some(({ missing = [] }) => missing.length > 0)) return "partly";
  return hasAnswered ? "works" : "not called";
}

function adviceOf(own: readonly Probe[], verdict: SourceVerdict["verdict"]): string[] {
  const refusals = groupRefusals(own.flatMap((row) => row.refusals ?? []));
  // A source that is not called lacks the same setting for all of its rows.
  const told = verdict === "not called" ? own.slice(0, 1) : own.filter((row) => row.failed);
  const others = told.flatMap(({ error, refusals: known }) =>
    error === null || known ? [] : [withoutSource(error)],
  );
  const whys = own.flatMap(({ missing = [] }) => missing.map(({ why }) => why));
  return [...new Set([...refusals.map(({ words }) => words), ...others, ...whys])];
}

/** `no quotes of JP; no bars of JP unless JQUANTS_API_KEY is set; bars of VN come from entrade`. */
function describeLoss(own: readonly Probe[], all: readonly Probe[], config: Config): string {
  const lost = own.filter(({ records }) => records === null);
  const ends = Map.groupBy(lost, (row) => describeEnd(row, all, config));
  const texts = [...ends].flatMap(([end, rows]) => {
    const kinds = Map.groupBy(rows, ({ kind }) => wordsOf(kind));
    const countries = Map.groupBy(kinds.keys(), (kind) =>
      [...new Set(kinds.get(kind)?.map(({ country }) => country))].join(", "),
    );
    return [...countries].map(([places, names]) =>
      end.replace("{records}", `${names.join(", ")} of ${places}`),
    );
  });
  const parts = own.flatMap(({ missing = [] }) => missing.map(({ what }) => what));
  const ways = parts.length > 0 ? [...texts, `no ${[...new Set(parts)].join(", ")}`] : texts;
  const rank = (text: string) => ENDS.findIndex((one) => one.test(text));
  return ways.toSorted((a, b) => rank(a) - rank(b)).join("; ");
}

/** What is lost comes first, then what a key would give, and what other sources give. */
const ENDS = [/^no (?!.* unless )/, /^no /, /^only /, / come from /];

/**
 * What becomes of the records of a row without any: another source has them, or would with its key, others have
 * only some like them, or none has.
 */
function describeEnd(row: Probe, all: readonly Probe[], config: Config): string {
  const others = all.filter(
    ({ kind, country, source, records }) =>
      kind === row.kind && country === row.country && source !== row.source && records !== null,
  );
  const other = others.find((one) => findSpecial(one) === undefined);
  if (other) return `{records} come from ${other.source}`;
  const keys = keysFor(row, config);
  if (keys.length > 0) return `no {records} unless ${keys.join(" or ")} is set`;
  return others.some((one) => findSpecial(one)?.complements)
    ? "only other sources' {records}"
    : "no {records}";
}

/** The fetcher of a row whose source only adds to the records of others, or knows no companies. */
function findSpecial(row: Probe) {
  return FETCHERS.find(
    ({ kind, countries, source, complements, assetType }) =>
      (complements === true || assetType !== undefined) &&
      kind === row.kind &&
      source.name === row.source &&
      countries.includes(row.country),
  );
}
