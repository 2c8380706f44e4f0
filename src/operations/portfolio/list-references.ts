import { invalidArgument } from "#domain/errors.ts";
import type { OwnDocuments } from "#domain/user-documents.ts";
import {
  type Cost,
  isOtherScript,
  type ListItem,
  listNameOf,
  slugOf,
  type UserList,
} from "#domain/user-list.ts";
import { formatCount } from "#lib/table.ts";
import type { DecodedArguments } from "#operations/reading/decode.ts";
import { formatPaid } from "#operations/reading/holdings.ts";
import type { Operation } from "#operations/operation.ts";
import { formatKey } from "#operations/reading/symbols.ts";

// `list:semis` stands for the items of the caller's list, wherever symbols may stand.

/** The arguments in which a list may stand. */
export const LIST_ARGUMENTS = ["symbols", "tickers", "holdings", "where"] as const;
type ListArgument = (typeof LIST_ARGUMENTS)[number];

/** Unresolved items that an error names. */
const MAX_NAMED = 5;

const isReference = (item: string) => listNameOf(item) !== null;

/** The name or the title of the list that an item names; null for other items. @throws BourseError for `list:` without either */
function nameOf(item: string): string | null {
  const written = listNameOf(item);
  if (written === null) return null;
  if (isOtherScript(written)) return written;
  const name = slugOf(written);
  if (name !== "") return name;
  throw invalidArgument(`${item.trim().slice(0, 40)} names no list.`, {
    hint: "Write list:NAME; get_lists shows the names.",
  });
}

/** The argument that names a list, or null. */
export function findListArgument(input: DecodedArguments): ListArgument | null {
  const names = (name: ListArgument) => {
    const value = input[name];
    return (
      typeof value === "string" && /list\s*:/i.test(value) && splitItems(value).some(isReference)
    );
  };
  return LIST_ARGUMENTS.find(names) ?? null;
}

/** Conditions are also separated by `and`. */
const splitItems = (text: string): string[] => text.split(/,|\sand\s|&&/i);

/** The names of the lists that the arguments of a call name. */
export function namesOfLists({ own }: Operation, args: Readonly<Record<string, string>>): string[] {
  const { name } = args;
  if (own && name !== undefined) return [isOtherScript(name) ? name : slugOf(name)];
  return LIST_ARGUMENTS.flatMap((argument) =>
    splitItems(args[argument] ?? "").flatMap((item) => nameOf(item) ?? []),
  );
}

/** The arguments with the items of the lists, and what the lists were. */
export interface ExpandedArguments {
  readonly input: DecodedArguments;
  /** `semis (3 instruments: US 2, JP 1)` */
  readonly lists: string;
}

/**
 * Puts the items of the lists in the place of their names. A screen keeps its conditions, and `AMONG` restricts it.
 *
 * @throws BourseError `not_found` for an unknown list; `invalid_argument` for an empty one, for more items than the
 * argument takes, or for holdings without amounts
 */
export async function expandLists(
  operation: Operation,
  input: DecodedArguments,
  argument: ListArgument,
  own: OwnDocuments,
): Promise<ExpandedArguments> {
  const text = String(input[argument]);
  if (argument === "where" && /\sor\s|\|\|/i.test(text)) {
    throw refusal(argument, "A list restricts the whole screen, so it cannot stand beside or.");
  }
  const items = splitItems(text);
  const lists = await readLists(items, own);
  const expanded = place(operation, input, argument, items, lists);
  return { input: expanded, lists: [...lists.values()].map(describeList).join(", ") };
}

/** `semis (1 instrument)`, `mine (3 instruments: US 2, JP 1)`, `dow (30 instruments; Dow Jones …)` */
function describeList({ name, items, about }: UserList & { readonly about?: string }): string {
  const countries = Map.groupBy(items, ({ country }) => country);
  const counts = [...countries].map(([country, { length }]) => `${country} ${length}`).join(", ");
  const index = about === undefined ? "" : `; ${about}`;
  return `${name} (${formatCount(items.length, "instrument")}${countries.size > 1 ? `: ${counts}` : ""}${index})`;
}

/** A text of symbols, with the other items of lists in the place of their names. @throws BourseError as `expandLists` */
export async function expandSymbols(text: string, own: OwnDocuments): Promise<string> {
  const items = text.split(",");
  const lists = await readLists(items, own);
  // What was written stays, also twice or empty, because a sheet has a cell for it.
  const seen = new Set(items.map((item) => item.trim()));
  const isNew = (symbol: string) => !seen.has(symbol) && seen.add(symbol);
  return items
    .flatMap((item) => {
      const expanded = withItems([item], lists, formatKey);
      return isReference(item) ? expanded.filter(isNew) : expanded;
    })
    .join(",");
}

/** The items, with what a list has in the place of its name. */
function withItems(
  items: readonly string[],
  lists: ReadonlyMap<string, UserList>,
  write: (item: ListItem) => string,
): string[] {
  return items.flatMap((item) => {
    const name = nameOf(item);
    if (name === null) return [item.trim()];
    return lists.get(name)?.items.map(write) ?? [];
  });
}

/** The lists that items name, each once, by what the items call them. */
async function readLists(
  items: readonly string[],
  own: OwnDocuments,
): Promise<ReadonlyMap<string, UserList>> {
  const lists = new Map<string, UserList>();
  for (const name of new Set(items.flatMap((item) => nameOf(item) ?? []))) {
    const { value } = await own.get("list", name);
    if (value.items.length === 0) {
      throw invalidArgument(`The list ${value.name} is empty.`, {
        hint: "Put symbols into it with save_list or in the console.",
      });
    }
    lists.set(name, value);
  }
  return lists;
}

function place(
  operation: Operation,
  input: DecodedArguments,
  argument: ListArgument,
  items: readonly string[],
  read: ReadonlyMap<string, UserList>,
): DecodedArguments {
  const lists = [...read.values()];
  const isAmong = argument === "where" || (argument === "tickers" && hasDates(input));
  if (isAmong) {
    const rest = items.filter((item) => !isReference(item));
    if (argument === "tickers" && rest.length > 0) {
      throw refusal(argument, "With from and to, tickers takes lists only.");
    }
    const among = [...new Set(lists.flatMap((list) => list.items.map(formatKey)))].sort();
    if (argument === "where") refuseOtherCountries(input, lists);
    const { [argument]: _, ...others } = input;
    const kept = rest.length > 0 ? { ...input, [argument]: rest.join(",").trim() } : others;
    return { ...kept, [AMONG]: among };
  }
  const write = argument === "holdings" ? formatHeld : formatKey;
  const all = withItems(items, read, write);
  const distinct = argument === "holdings" ? all : [...new Set(all)];
  refuseTooMany(operation, argument, distinct.length, lists);
  return { ...input, [argument]: distinct.join(",") };
}

/** @throws BourseError if no item is of the countries of a screen, whose answer would be empty without a word */
function refuseOtherCountries({ country }: DecodedArguments, lists: readonly UserList[]): void {
  const items = lists.flatMap((list) => list.items);
  const asked = String(country);
  if (asked === "all" || items.some((item) => asked.split(",").includes(item.country))) return;
  const countries = [...new Set(items.map((item) => item.country))].join(",");
  throw invalidArgument(`${lists.map(describeList).join(", ")} has no instrument of ${asked}.`, {
    param: "country",
    hint: `Use country=${countries}.`,
  });
}

const hasDates = ({ from, to }: DecodedArguments) => (from ?? to) !== undefined;

/** The key of the instruments that a list allows, in the arguments of a screen or of a calendar: `["US:AAPL"]`. */
export const AMONG = "among";

/** The instruments that a list allows; null without a list. */
export function readAmong(input: object): ReadonlySet<string> | null {
  const among = (input as { readonly [AMONG]?: readonly string[] })[AMONG];
  return among ? new Set(among) : null;
}

/** An item as a holding. @throws BourseError if it has neither shares nor a weight */
function formatHeld(item: ListItem): string {
  if (item.shares !== undefined)
    return `${formatKey(item)}=${item.shares}${item.cost ? paidText(item.cost) : ""}`;
  if (item.weight !== undefined) return `${formatKey(item)}=${item.weight}%`;
  throw refusal(
    "holdings",
    `The list says nothing about how much of ${formatKey(item)} is held. Save it with shares (${formatKey(item)}=10) or weights, or call compare_stocks or get_price_statistics.`,
  );
}

const paidText = ({ price, currency, date }: Cost) =>
  formatPaid({ cost: price, costCurrency: currency, ...(date && { costDate: date }) });

function refuseTooMany(
  operation: Operation,
  argument: ListArgument,
  count: number,
  lists: readonly UserList[],
): void {
  const schema = operation.input.properties[argument];
  const most = Number(schema?.["maxItems"] ?? schema?.["mostItems"] ?? Infinity);
  if (count <= most) return;
  const named = lists.slice(0, MAX_NAMED).map(({ name }) => `list:${name}`);
  const others: Partial<Record<ListArgument, string>> = {
    tickers: " With from and to, a list of any length is possible.",
    symbols: ` screen_stocks takes a list of any length: where=${named[0]}.`,
  };
  throw refusal(
    argument,
    `${named.join(", ")} gives ${count} symbols, and ${argument} takes at most ${most}. Make a shorter list, or name symbols.${others[argument] ?? ""}`,
  );
}

const refusal = (param: string, text: string) => invalidArgument(text, { param });
