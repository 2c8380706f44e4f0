import { Type } from "@sinclair/typebox";
import { type Seen, type SeenMarket, scopeOfList } from "#domain/brief.ts";
import { COUNTRY_CODES, type Country } from "#domain/country.ts";
import { invalidArgument } from "#domain/errors.ts";
import type { Provenance } from "#domain/records.ts";
import { InstantOutput, TableOutput } from "#domain/schema.ts";
import { listNameOf, slugOf } from "#domain/user-list.ts";
import { formatCount, tableOf } from "#lib/table.ts";
import type { MarketStore } from "#store/index.ts";
import type { StoredInstrument } from "#store/instruments.ts";
import { type Change, CHANGES, COLUMNS, keyOfChange, sortChanges } from "./brief/changes.ts";
import {
  type BriefRecords,
  changesOf,
  HORIZON_DAYS,
  readBriefRecords,
  seenByDays,
  seenNow,
  sourcesOf,
} from "./brief/instruments.ts";
import { listReleases, newReleases, releasedByDays } from "./brief/releases.ts";
import {
  type BriefWindow,
  findWindow,
  formatInstant,
  instantOf,
  isSince,
  type Moment,
} from "./brief/window.ts";
import { inSlices } from "./metric-ranks.ts";
import { optionalCountryNeeds, symbolListNeeds } from "./needs.ts";
import { defineOperation, type OwnContext } from "./operation.ts";
import { expandSymbols } from "./portfolio/list-references.ts";
import { CursorInput, NextCursorOutput, pageOf } from "./reading/cursor.ts";
import type { InputKeywords } from "./reading/decode.ts";
import { SymbolListInput } from "./reading/inputs.ts";
import { findInstrument, formatKey, requireSymbols } from "./reading/symbols.ts";
import { readDate } from "./reading/written-dates.ts";

const MAX_SYMBOLS = 100;
/** Instruments of all lists of a brief. */
const MAX_INSTRUMENTS = 1_000;
/** Instruments whose own records are fetched before the answer. The schedule fetches the rest. */
const MAX_FETCHED = 50;
/** Rows that keep an answer under 700 tokens. */
const DEFAULT_ROWS = 10;
/** Rows that no host cuts: see `mcp/long-answer.ts`. */
const MAX_ROWS = 100;
/** Symbols without an instrument that an answer names. */
const MAX_UNKNOWN = 5;
/** A change of a close in percent. */
const DEFAULT_MOVE = 5;
/** Characters of a scope that is stored as it is. */
const MAX_SCOPE = 100;

/** What changed for lists or symbols. */
export const getBrief = defineOperation({
  name: "get_brief",
  set: "lists",
  title: "Brief",
  description:
    "What changed for the user's lists (get_lists) since this token's last brief: statements, moves, 52-week extremes, releases, reports and ex-dates in 7 days. Scheduled agents leave since out.",
  path: "/data/brief",
  withoutExample: ["since", "cursor"],
  input: Type.Object({
    symbols: Type.Optional({
      ...SymbolListInput(MAX_SYMBOLS),
      description: `1 to ${MAX_SYMBOLS}: US:AAPL or list:NAME; all lists by default.`,
    }),
    since: Type.Optional(
      Type.String({
        maxLength: 40,
        description: "A day or a brief's time, to read again.",
        accepts: isSince,
        understands: (text: string) => readDate(text, "first"),
        expected:
          "a date, YYYY-MM-DD, or a time with its offset as briefs name it, such as 2026-11-28T07:00:00Z",
      } satisfies InputKeywords & Parameters<typeof Type.String>[0]),
    ),
    move: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: 100,
        description: `Smallest move, ${DEFAULT_MOVE} % by default.`,
      }),
    ),
    limit: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_ROWS,
        description: `Rows, ${DEFAULT_ROWS} by default.`,
      }),
    ),
    cursor: Type.Optional(CursorInput),
  }),
  own: true,
  output: Type.Object({
    since: InstantOutput("What was known then is left out: 2026-11-27T07:00:00Z."),
    until: InstantOutput("The time of the brief. The next one of the token begins then."),
    previous_since: Type.Optional(
      InstantOutput("The since of the brief before, to read it again if it got lost."),
    ),
    summary: Type.String({ description: "The number of changes by kind, or that there is none." }),
    ...TableOutput,
    columns: {
      ...TableOutput.columns,
      description: `date: day of filing or announcement, session, release, report or ex-date. what: ${CHANGES.join(", ")}. Reports and ex-dates are named up to ${HORIZON_DAYS} days ahead, each once. after of an ex_date is the dividend per share. expected: consensus or forecast. before of an extreme is the one of the 52 weeks before.`,
    },
    total: Type.Integer({ minimum: 0, description: "Number of rows on all pages." }),
    unknown: Type.Optional(
      Type.Array(Type.String(), {
        description: `Symbols that mean no instrument, at most ${MAX_UNKNOWN}.`,
      }),
    ),
    next_cursor: NextCursorOutput,
  }),
  table: ({ columns, rows, total, next_cursor: cursor }) => ({
    columns,
    rows,
    total,
    next: cursor === undefined ? null : { cursor },
  }),
  async handle({ symbols, since, move = DEFAULT_MOVE, limit = DEFAULT_ROWS, cursor }, given) {
    const context = given as OwnContext;
    const { market, marks, now } = context;
    const watch =
      symbols === undefined ? await readLists(context) : await readSymbols(symbols, context);
    await context.refresh(needsOf(watch.instruments));
    const window = await findWindow(marks, watch.scope, {
      since: since === undefined ? null : instantOf(since, now),
      isPage: cursor !== undefined,
      now,
    });
    const { changes, seen, from } = await compareMoments(market, watch.instruments, window, {
      now,
      move,
    });
    if (window.noteAt !== null && watch.instruments.length > 0)
      await marks?.put(watch.scope, { at: window.noteAt, seen });
    const page = pageOf(sortChanges(changes), cursorOf, { limit, cursor });
    return {
      data: {
        since: formatInstant(window.from.at),
        until: formatInstant(window.to?.at ?? now),
        ...(window.previous !== null && { previous_since: formatInstant(window.previous) }),
        summary: summarize(watch, changes, move, page.items.length),
        ...tableOf(
          COLUMNS,
          page.items.map((change) => ({ ...change })),
        ),
        total: changes.length,
        ...(watch.unknown.length > 0 && { unknown: watch.unknown.slice(0, MAX_UNKNOWN) }),
        ...page.next,
      },
      from,
      // Kinds of change differ in their fields.
      why: ({ isList }) => (isList ? "none" : null),
    };
  },
});

const cursorOf = (change: Change) => Bun.hash(keyOfChange(change)).toString(36);

/** What a brief is about. */
interface Watch {
  /** The key of its marks; empty for all lists. */
  readonly scope: string;
  /** In a sentence: `list:semis`. */
  readonly title: string;
  readonly instruments: readonly StoredInstrument[];
  /** Symbols that mean no instrument. */
  readonly unknown: readonly string[];
}

/** The instruments of all lists that the caller may read, each once. */
async function readLists({ own, market }: OwnContext): Promise<Watch> {
  const lists = await own.list("list");
  const keys = new Map<string, StoredInstrument | null>();
  for (const { name } of lists) {
    const { value } = await own.get("list", name);
    await inSlices(value.items, (item) => {
      keys.set(formatKey(item), market.instruments.find(item));
    });
  }
  const title = lists.length === 0 ? "" : formatCount(lists.length, "list");
  return watchOf("", title, keys);
}

/** The instruments of symbols and lists. @throws BourseError `not_found` if no symbol is found, or as `expandSymbols` */
async function readSymbols(written: string, context: OwnContext): Promise<Watch> {
  const { market } = context;
  const named = written.split(",").flatMap((item) => listNameOf(item) ?? []);
  const text = named.length > 0 ? await expandSymbols(written, context.own) : written;
  const keys = new Map<string, StoredInstrument | null>();
  await inSlices(text.split(","), (item) => {
    const found = findInstrument(market, item.trim(), false);
    if ("reason" in found) keys.set(item.trim(), null);
    else keys.set(formatKey(found.instrument), found.instrument);
  });
  if ([...keys.values()].every((found) => found === null)) requireSymbols(market, text);
  const lists = [];
  for (const name of named) {
    const { value } = await context.own.get("list", name);
    lists.push(scopeOfList(slugOf(value.name)));
  }
  const plain = written.split(",").flatMap((item) => {
    const found = listNameOf(item) === null && findInstrument(market, item.trim(), false);
    return found && "instrument" in found ? formatKey(found.instrument) : [];
  });
  const scope = [...new Set([...lists, ...plain])].toSorted().join(",");
  const key = scope.length > MAX_SCOPE ? `#${Bun.hash(scope).toString(36)}` : scope;
  return watchOf(key, plain.length > 0 ? "" : lists.join(", "), keys);
}

/** @throws BourseError `invalid_argument` for more instruments than a brief takes */
function watchOf(
  scope: string,
  title: string,
  keys: ReadonlyMap<string, StoredInstrument | null>,
): Watch {
  if (keys.size > MAX_INSTRUMENTS) {
    throw invalidArgument(
      `${title || "symbols"} has ${formatCount(keys.size, "instrument")}, and a brief takes at most ${formatCount(MAX_INSTRUMENTS, "instrument")}.`,
      { param: "symbols", hint: "Call get_brief for each list, with symbols=list:NAME." },
    );
  }
  return {
    scope,
    title,
    instruments: [...keys.values()].filter((one) => one !== null),
    unknown: [...keys].flatMap(([key, found]) => (found ? [] : [key])),
  };
}

/** The records to refresh before a brief. It is also possible without them. */
function needsOf(instruments: readonly StoredInstrument[]) {
  const countries = countriesOf(instruments);
  const symbols = instruments.slice(0, MAX_FETCHED).map(formatKey).join(",");
  return [
    ...countries.flatMap((country) =>
      optionalCountryNeeds(["quotes", "earningsDates", "calendarEvents"], country),
    ),
    ...symbolListNeeds(symbols, ["bars", "statements", "dividends", "companyForecasts"]).map(
      (need) => ({
        ...need,
        optional: true as const,
      }),
    ),
  ];
}

const countriesOf = (instruments: readonly StoredInstrument[]): Country[] =>
  COUNTRY_CODES.filter((code) => instruments.some(({ country }) => country === code));

/** The changes of a window, what is known now, and where it comes from. */
export async function compareMoments(
  market: MarketStore,
  instruments: readonly StoredInstrument[],
  { from: start, to: end }: Pick<BriefWindow, "from" | "to">,
  { now, move }: { readonly now: number; readonly move: number },
) {
  const changes: Change[] = [];
  const from: Provenance[] = [];
  const seen: Record<string, Seen> = {};
  const published: Record<string, readonly string[]> = {};
  const holidays = market.documents.list("holidayOverrides", null);
  await inSlices(instruments, (instrument) => {
    market.readTogether(() => {
      const key = formatKey(instrument);
      const records = readBriefRecords(market, instrument, now, holidays);
      const before = seenAt(start, key, records);
      const current = seenNow(records, before);
      const after = end ? (end.seen.instruments[key] ?? before) : current;
      changes.push(...changesOf(market, records, { from: before, to: after }, move));
      seen[key] = current;
      from.push(...sourcesOf(records));
    });
  });
  for (const country of countriesOf(instruments)) {
    const releases = listReleases(market, country, start.at);
    const before = start.seen?.releases[country] ?? releasedByDays(releases, start.at);
    const current = releases.map(({ id }) => id);
    const after = end ? (end.seen.releases[country] ?? before) : current;
    changes.push(...newReleases(country, releases, { from: before, to: after }));
    published[country] = current;
    from.push(...releases.map(({ record }) => record));
  }
  const known: SeenMarket = { instruments: seen, releases: published };
  return { changes, seen: known, from };
}

/** Up to where an instrument was known at a moment. If that was not noted, the days of its records count. */
function seenAt({ at, seen }: Moment, key: string, records: BriefRecords): Seen {
  const byDays = seenByDays(records, at);
  const noted = seen?.instruments[key];
  return noted ? { ...noted, period: noted.period ?? byDays.period } : byDays;
}

/** The kinds of change in words, one and several. */
const WORDS: Readonly<Record<Change["what"], readonly [string, string]>> = {
  statement: ["new statement", "new statements"],
  forecast: ["changed forecast", "changed forecasts"],
  move: ["move", "moves"],
  high_52w: ["new 52-week high", "new 52-week highs"],
  low_52w: ["new 52-week low", "new 52-week lows"],
  release: ["macro release", "macro releases"],
  report: ["report due", "reports due"],
  ex_date: ["ex-date", "ex-dates"],
};

/** One sentence or two: `list:semis, 12 instruments: 2 new statements, 1 move of 5 % or more.` */
function summarize(
  { title, instruments, unknown, scope }: Watch,
  changes: readonly Change[],
  move: number,
  shown: number,
): string {
  if (scope === "" && title === "")
    return "There is no list. Save one with save_list, or give symbols.";
  const without =
    unknown.length === 0 ? "" : ` and ${formatCount(unknown.length, "unknown symbol")}`;
  const about = `${title && `${title}, `}${formatCount(instruments.length, "instrument")}${without}`;
  const counts = CHANGES.flatMap((what) => {
    const rows = changes.filter((change) => change.what === what);
    // A statement has a row for each figure.
    const count = new Set(
      rows.map(
        ({ symbol, date, detail }) => `${symbol} ${date} ${what === "statement" ? "" : detail}`,
      ),
    ).size;
    const of = what === "move" ? ` of ${move} % or more` : "";
    return count === 0 ? [] : `${formatCount(count, ...WORDS[what])}${of}`;
  });
  if (counts.length === 0) return `${about}: nothing changed.`;
  const rest =
    shown < changes.length
      ? ` ${shown} of ${formatCount(changes.length, "row")} are here; next_cursor reads on.`
      : "";
  return `${about}: ${counts.join(", ")}.${rest}`;
}
