import { type Alert, instrumentOfWatch } from "#domain/alert.ts";
import { invalidArgument } from "#domain/errors.ts";
import { COUNTRIES } from "#domain/country.ts";
import { isCompany, isShare } from "#domain/instrument.ts";
import type { NamedKind, OwnDocuments } from "#domain/user-documents.ts";
import { listNameOf, slugOf } from "#domain/user-list.ts";
import { closestHint } from "#lib/closest.ts";
import { dateOf } from "#lib/date.ts";
import { listPublicationsOf } from "#operations/get-macro-calendar.ts";
import { findMacroSeries } from "#operations/reading/macro-series.ts";
import { quote } from "#operations/reading/metric-query.ts";
import { findInstrument, formatKey, requireSymbols } from "#operations/reading/symbols.ts";
import type { MarketStore } from "#store/index.ts";
import { parseRule, type Rule } from "./rule.ts";
import type { InstrumentEventRule, ReleaseRule } from "./rule-words.ts";

/** An alert as a person or a model writes it. What is left out stays as it was. */
export interface WrittenAlert {
  readonly name: string;
  /** `none` for none. */
  readonly title?: string | undefined;
  /** A symbol in any notation, or `list:NAME`; empty for none. */
  readonly watch?: string | undefined;
  /** See `parseRule`. */
  readonly when?: string | undefined;
  readonly repeat?: Alert["repeat"] | undefined;
  /** Names of channels, separated by commas; `none` for none. */
  readonly to?: string | undefined;
  /** `22:00-07:00`, or `none`. */
  readonly quiet?: string | undefined;
  readonly paused?: boolean | undefined;
}

/** What a written alert is checked with. */
export interface AlertChecks {
  readonly market: MarketStore;
  readonly own: OwnDocuments;
  /** UTC milliseconds. */
  readonly now: number;
}

/** A stored alert, and its parsed rule. */
export interface SavedAlert {
  readonly alert: Alert;
  readonly rule: Rule;
  readonly isNew: boolean;
  /** What was probably meant otherwise, and what can never or always be true. */
  readonly notes: readonly string[];
}

/**
 * Saves an alert. A new one goes to all channels. A condition is silent after its first message, events and briefs are not.
 *
 * @throws BourseError about the first argument that is wrong, with what is allowed
 */
export async function saveWrittenAlert(
  written: WrittenAlert,
  checks: AlertChecks,
): Promise<SavedAlert> {
  const name = slugOf(written.name);
  if (name === "") {
    throw invalidArgument("name must have letters a-z or digits: cheap-apple.", { param: "name" });
  }
  const checked = await checkAlert(written, await findAlert(checks.own, name), checks);
  await checks.own.save("alert", checked.alert);
  return checked;
}

async function findAlert(own: OwnDocuments, name: string): Promise<Alert | null> {
  const isStored = (await own.list("alert")).some((one) => one.name === name);
  return isStored ? (await own.get("alert", name)).value : null;
}

async function checkAlert(
  written: WrittenAlert,
  before: Alert | null,
  checks: AlertChecks,
): Promise<SavedAlert> {
  const name = slugOf(written.name);
  const when = written.when ?? before?.when;
  if (when === undefined) throw newNeedsWhen(name);
  const rule = parseRule(when);
  const isOfEconomy = rule.kind === "event" && rule.event === "release";
  const watched = written.watch ?? (isOfEconomy ? "" : before?.watch) ?? "";
  const watch = await readWatch(watched, rule, checks);
  const to =
    written.to === undefined && before ? before.to : await readChannels(written.to, checks.own);
  const title = written.title ?? before?.title ?? "";
  const quiet = written.quiet ?? before?.quiet ?? "";
  const isPaused = written.paused ?? (before?.paused === true && written.when === undefined);
  const isSame = before?.when === rule.text && before.watch === watch;
  return {
    rule,
    isNew: before === null,
    notes: notesOn(rule, watch ?? "", checks),
    alert: {
      name,
      ...(title.trim() !== "" && !isNone(title) && { title: title.trim() }),
      ...(watch !== undefined && { watch }),
      when: rule.text,
      repeat: written.repeat ?? before?.repeat ?? (rule.kind === "condition" ? "once" : "again"),
      to: [...to],
      ...(quiet !== "" && !isNone(quiet) && { quiet: readQuiet(quiet) }),
      ...(isPaused && { paused: true as const }),
      since: isSame ? before.since : dateOf(checks.now),
    },
  };
}

const isNone = (text: string) => /^(none|-)$/i.test(text.trim());

const newNeedsWhen = (name: string) =>
  invalidArgument(`There is no alert ${name} yet, and a new one needs when: price<380.`, {
    param: "when",
    hint: "get_alerts names all.",
  });

/** Why a rule sends nothing, or never stops: sentences. @param watch empty for a release, or for nothing yet */
export function notesOn(
  rule: Rule,
  watch: string,
  { market, now }: Pick<AlertChecks, "market" | "now">,
): readonly string[] {
  if (rule.kind === "condition") return rule.notes;
  if (rule.kind === "brief") return [];
  return rule.event === "release"
    ? noteOnRelease(rule, market, now)
    : noteOnEvent(rule, watch, market);
}

/** That the calendar has no publication of a series. */
function noteOnRelease(
  { country, series: written }: ReleaseRule,
  market: MarketStore,
  now: number,
): string[] {
  const series = findMacroSeries(market.documents.list("macroSeries", country), country, written);
  if (listPublicationsOf(market, country, series, dateOf(now)).length > 0) return [];
  return [
    `The calendar has no coming publication of ${series.name} of ${COUNTRIES[country].name}, and no message comes until it has one. In an imported calendar, name the series in the column series.`,
  ];
}

/** That an instrument never has an event, such as an index its earnings. */
function noteOnEvent({ event }: InstrumentEventRule, watch: string, market: MarketStore): string[] {
  const one = watch === "" ? null : instrumentOfWatch(watch);
  const found = one && market.instruments.find(one);
  if (!found) return [];
  const canHave = event === "ex_date" ? isShare(found.assetType) : isCompany(found.assetType);
  return canHave
    ? []
    : [`${watch} is of type ${found.assetType}, which has no ${event}: no message ever comes.`];
}

/** `US:AAPL` or `list:semis`; undefined for a release, which has none. */
async function readWatch(
  written: string,
  rule: Rule,
  { market, own }: AlertChecks,
): Promise<string | undefined> {
  if (rule.kind === "event" && rule.event === "release") {
    const { country, series } = rule;
    if (written.trim() === "") {
      findMacroSeries(market.documents.list("macroSeries", country), country, series);
      return undefined;
    }
    throw invalidArgument(`${rule.text} is about an economy and watches no stock.`, {
      param: "watch",
      hint: "Leave watch out.",
    });
  }
  if (written.trim() === "") {
    throw invalidArgument("watch must be a symbol or a list: US:AAPL, list:semis.", {
      param: "watch",
    });
  }
  const list = listNameOf(written);
  if (list !== null) return `list:${(await own.get("list", list)).value.name}`;
  if (/[,;\n]/.test(written)) {
    throw invalidArgument("watch takes one symbol or one list.", {
      param: "watch",
      hint: "Save the symbols with save_list, and watch list:NAME.",
    });
  }
  const found = findInstrument(market, written.trim(), false);
  const slug = slugOf(written);
  if ("reason" in found && (await own.list("list")).some(({ name }) => name === slug)) {
    throw invalidArgument(`watch is the name of a list, ${quote(written)}, and no symbol.`, {
      param: "watch",
      hint: `Write it as list:${slug}.`,
    });
  }
  if ("reason" in found) requireSymbols(market, written);
  if ("reason" in found) throw invalidArgument(`${written} is not found.`, { param: "watch" });
  return formatKey(found.instrument);
}

/** The names of channels that exist; without a text all of them. */
async function readChannels(
  written: string | undefined,
  own: OwnDocuments,
): Promise<readonly string[]> {
  if (written !== undefined && (written.trim() === "" || isNone(written))) return [];
  const known = (await own.list("channel" satisfies NamedKind)).map(({ name }) => name);
  if (written === undefined) return known;
  const names = [...new Set(written.split(",").map(slugOf).filter(Boolean))];
  const absent = names.find((name) => !known.includes(name));
  if (absent === undefined) return names;
  throw invalidArgument(`There is no channel ${absent}${closestHint(absent, known)}.`, {
    param: "to",
    allowed: known,
    hint:
      known.length === 0
        ? "The user makes channels in the console. Without one, get_alerts has the messages: to=none."
        : "The user makes others in the console.",
  });
}

/** `22:00-07:00` of `22-7` and `22:00 – 7:00`. @throws BourseError */
function readQuiet(written: string): string {
  const times = /^(\d\d?)(?::(\d\d))?\s*[-–〜~]\s*(\d\d?)(?::(\d\d))?$/.exec(written.trim());
  const [, from = "", fromMinute = "00", to = "", toMinute = "00"] = times ?? [];
  const text = `${from.padStart(2, "0")}:${fromMinute}-${to.padStart(2, "0")}:${toMinute}`;
  const isRight = /^([01]\d|2[0-3]):[0-5]\d-([01]\d|2[0-3]):[0-5]\d$/.test(text);
  if (times && isRight && text.slice(0, 5) !== text.slice(6)) return text;
  throw invalidArgument("quiet must be two different times or none: 22:00-07:00.", {
    param: "quiet",
  });
}
