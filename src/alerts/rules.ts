import { type Alert, alertOfTheses, instrumentOfWatch } from "#domain/alert.ts";
import { BourseError } from "#domain/errors.ts";
import type { InstrumentKey } from "#domain/instrument.ts";
import { findSymbolChange } from "#domain/symbol-changes.ts";
import { listNameOf, type ListItem, type UserList } from "#domain/user-list.ts";
import type { UserSettings } from "#domain/user-settings.ts";
import { type ConditionRule, parseRule, parseThesis, type Rule } from "#operations/alerts/rule.ts";
import type { BriefRule, InstrumentEventRule, ReleaseRule } from "#operations/alerts/rule-words.ts";
import { findIndexList } from "#operations/portfolio/index-lists.ts";
import { followRename } from "#operations/reading/symbol-meaning.ts";
import { formatKey } from "#operations/reading/symbols.ts";
import type { MarketStore } from "#store/index.ts";
import { findListOfUser, listRuleDocuments, type RuleOwner } from "#store/alerts.ts";
import type { Work } from "#store/work.ts";
import type { RuleTerms } from "./judge.ts";

/** What all rules of a user have. */
interface Owned {
  readonly owner: RuleOwner;
  /** The name under which states and messages are stored: the name of the alert, or `list:NAME` for a thesis. */
  readonly alert: string;
  /** The title of the user; absent without one. */
  readonly title?: string;
  /** Names of channels that exist. */
  readonly to: readonly string[];
}

/** A rule about instruments. */
export type InstrumentRule = Owned & {
  /** Their keys: `US:AAPL`. */
  readonly keys: readonly string[];
} & (
    | { readonly kind: "condition"; readonly rule: ConditionRule; readonly terms: RuleTerms }
    | { readonly kind: "event"; readonly rule: InstrumentEventRule; readonly terms: RuleTerms }
    | {
        readonly kind: "thesis";
        readonly rule: ConditionRule;
        readonly list: string;
        readonly text: string;
      }
  );

/** A rule about a figure of an economy. */
export type EconomyRule = Owned & { readonly rule: ReleaseRule; readonly terms: RuleTerms };

/** A brief about a list, or about one instrument. */
export type BriefOfUser = Owned & {
  readonly rule: BriefRule;
  /** The name of the list; null for one instrument. */
  readonly list: string | null;
  readonly keys: readonly string[];
  readonly timeZone: string;
};

/** The rules of one user that are judged now. */
export interface UserRules {
  readonly instruments: readonly InstrumentRule[];
  readonly releases: readonly EconomyRule[];
  readonly briefs: readonly BriefOfUser[];
  /** Rules that cannot be read, such as rules of a newer version. */
  readonly unread: number;
  /** True if what rules watch changes with the day: the members of an index, and symbols that were renamed. */
  readonly isOfDay: boolean;
  /** The later keys of instruments that were renamed after they were saved: `US:FB` to `US:META`. */
  readonly renamed: ReadonlyMap<string, string>;
}

/** The instruments of all rules of a user. Others are not judged. */
export const MOST_WATCHED = 20_000;

/** The documents of a user, and the lists that rules watch by name. */
export interface RuleSources {
  readonly alerts: readonly Alert[];
  readonly channels: ReadonlySet<string>;
  readonly settings: UserSettings;
  readonly lists: ReadonlyMap<string, readonly ListItem[]>;
  /** The lists that have theses. */
  readonly theses: readonly UserList[];
  /** The names of rules that are paused: their states stay. */
  readonly paused: ReadonlySet<string>;
}

/** Reads what the rules of a user are made of. */
export function* readRuleSources({ userId }: RuleOwner): Work<RuleSources> {
  const documents = yield* listRuleDocuments(userId);
  const of = <T>(kind: string) =>
    documents.flatMap((one) => (one.kind === kind ? [JSON.parse(one.json) as T] : []));
  const theses = of<UserList>("list");
  const all = of<Alert>("alert");
  const alerts = all.filter(({ paused }) => !paused);
  const lists = new Map(theses.map(({ name, items }) => [name, items]));
  for (const { watch = "" } of alerts) {
    const name = instrumentOfWatch(watch) ? null : listNameOf(watch);
    if (name === null || lists.has(name)) continue;
    const json = yield* findListOfUser(userId, name);
    if (json !== null) lists.set(name, (JSON.parse(json) as UserList).items);
  }
  return {
    alerts,
    channels: new Set(of<{ name: string }>("channel").map(({ name }) => name)),
    settings: of<UserSettings>("settings")[0] ?? {},
    lists,
    theses,
    paused: new Set(all.flatMap(({ name, paused }) => (paused ? name : []))),
  };
}

/**
 * Parses the rules of a user. It yields after each rule and each list.
 *
 * @param day YYYY-MM-DD in UTC, for the members of indices
 */
export function* parseRules(
  owner: RuleOwner,
  { alerts, channels, settings, lists, theses }: RuleSources,
  market: MarketStore,
  day: string,
): Generator<void, UserRules> {
  const instruments: InstrumentRule[] = [];
  const releases: EconomyRule[] = [];
  const briefs: BriefOfUser[] = [];
  let unread = 0;
  let watched = 0;
  let isOfDay = false;
  const renamed = new Map<string, string>();
  const keyOf = (item: InstrumentKey): string => {
    const [key, now] = [formatKey(item), formatKey(followRename(market, item))];
    if (key !== now) renamed.set(key, now);
    isOfDay ||= findSymbolChange(item.country, item.symbol) !== null;
    return now;
  };
  const keysOf = (watch: string): string[] => {
    const one = instrumentOfWatch(watch);
    const name = listNameOf(watch) ?? "";
    isOfDay ||= !one && !lists.has(name);
    const items: readonly InstrumentKey[] = one
      ? [one]
      : (lists.get(name) ?? membersOf(market, name, day));
    // A rule that is not judged takes no place of a smaller one.
    if (watched + items.length > MOST_WATCHED) return [];
    watched += items.length;
    return [...new Set(items.map(keyOf))];
  };
  for (const { name: alert, title, watch = "", when, repeat, since, to } of alerts) {
    yield;
    const rule = readRule(parseRule, when);
    const titled = title === undefined ? {} : { title };
    const owned = { owner, alert, ...titled, to: to.filter((one) => channels.has(one)) };
    const terms = { repeat, since };
    if (rule === null) unread++;
    else if (rule.kind === "brief") {
      const list = instrumentOfWatch(watch) ? null : listNameOf(watch);
      const timeZone = settings.timeZone ?? "UTC";
      briefs.push({ ...owned, rule, list, keys: keysOf(watch), timeZone });
    } else if (rule.kind === "condition")
      instruments.push({ ...owned, kind: "condition", rule, terms, keys: keysOf(watch) });
    else if (rule.event === "release") releases.push({ ...owned, rule, terms });
    else instruments.push({ ...owned, kind: "event", rule, terms, keys: keysOf(watch) });
  }
  for (const { name: list, items } of theses) {
    yield;
    for (const item of items) {
      if (!item.thesis || watched === MOST_WATCHED) continue;
      watched++;
      const rule = readRule(parseThesis, item.thesis.while);
      if (rule === null) unread++;
      else
        instruments.push({
          owner,
          alert: alertOfTheses(list),
          to: [...channels],
          kind: "thesis",
          rule,
          list,
          text: item.thesis.text,
          keys: [keyOf(item)],
        });
    }
  }
  return { instruments, releases, briefs, unread, isOfDay, renamed };
}

/** The members of an index; empty if they are not known. */
function membersOf(market: MarketStore, name: string, day: string): readonly InstrumentKey[] {
  try {
    return findIndexList(market, name, day)?.items ?? [];
  } catch (error) {
    if (error instanceof BourseError) return [];
    throw error;
  }
}

/** Rules by their text. Many users have the same, and a rule is read again with each change of its user. */
const PARSED = new Map<string, Rule | null>();
/** Texts whose rules are kept. */
const MOST_PARSED = 20_000;

function readRule<T extends Rule>(parse: (text: string) => T, text: string): T | null {
  const key = `${parse === (parseThesis as unknown) ? "while" : "when"} ${text}`;
  let rule = PARSED.get(key) as T | null | undefined;
  if (rule === undefined) {
    try {
      rule = parse(text);
    } catch {
      rule = null;
    }
    if (PARSED.size >= MOST_PARSED) PARSED.clear();
    PARSED.set(key, rule);
  }
  return rule;
}
