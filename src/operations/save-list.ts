import { Type } from "@sinclair/typebox";
import { BourseError } from "#domain/errors.ts";
import {
  type ListItem,
  listNameOf,
  MAX_LIST_ITEMS,
  slugOf,
  type UserList,
} from "#domain/user-list.ts";
import type { MarketStore } from "#store/index.ts";
import type { InputKeywords } from "./decode.ts";
import { ListNameInput } from "./get-lists.ts";
import { parseHolding } from "./holdings.ts";
import { defineOperation, type OwnContext } from "./operation.ts";
import { findInstrument, formatKey } from "./symbols.ts";

/** Unknown items that an error names, each with the closest symbol. */
const MAX_NAMED = 10;
const EXAMPLE = "US:AAPL,JP:7203=300";
/** Characters of the items as JSON, notes included. */
const MAX_TEXT = 400_000;

/** An item as it was written, its symbol not looked up yet. */
interface WrittenItem extends Pick<ListItem, "shares" | "weight" | "note"> {
  readonly symbol: string;
}

/** Replaces the items of a list of the caller. */
export const saveList = defineOperation({
  name: "save_list",
  title: "Save a list",
  description:
    "Saves a list of the user in place of the one of that name: give all items. To add one, read the list first.",
  path: "/data/lists/{name}",
  input: Type.Object({
    name: ListNameInput,
    items: Type.String({
      maxLength: MAX_TEXT,
      description: `Symbols, with shares or weights: ${EXAMPLE}, US:MSFT=40%.`,
      read: itemsText,
      accepts: (text: string) => parseItems(text) !== null,
      example: EXAMPLE,
      expected: `a list of at most ${MAX_LIST_ITEMS} symbols, with shares or weights if wanted, such as ${EXAMPLE} or US:MSFT=40%`,
    } satisfies InputKeywords & Parameters<typeof Type.String>[0]),
  }),
  method: "PUT",
  own: true,
  right: "lists:write",
  output: Type.Object({
    name: Type.String({ description: "Name of the list: semis." }),
    is_new: Type.Boolean({ description: "False if it replaced a list." }),
    items: Type.Integer({ description: "Number of its items." }),
    added: Type.Array(Type.String(), { description: "Symbols that were not in it: US:AAPL." }),
    removed: Type.Array(Type.String(), { description: "Symbols that are no longer in it." }),
  }),
  async handle({ name, items: written }, context) {
    const { own, market } = context as OwnContext;
    const slug = slugOf(name);
    if (slug === "") {
      throw new BourseError("invalid_argument", "name must have letters a-z or digits: semis.", {
        param: "name",
      });
    }
    const lists = await own.list("list");
    const isKnown = lists.some((one) => one.name === slug);
    const before = isKnown ? (await own.get("list", slug)).value.items : [];
    const items = resolveItems(market, parseItems(written) ?? [], before);
    const list: UserList = { name: slug, items };
    const { isNew } = await own.save("list", list);
    const keys = new Set(items.map(formatKey));
    const old = new Set(before.map(formatKey));
    return {
      data: {
        name: slug,
        is_new: isNew,
        items: items.length,
        added: [...keys].filter((key) => !old.has(key)),
        removed: [...old].filter((key) => !keys.has(key)),
      },
      from: [],
    };
  },
});

/**
 * Looks the items up. An item that stays in the list keeps its note, unless it gets another one.
 *
 * @throws BourseError `not_found` that names the unknown ones; then nothing is saved
 */
function resolveItems(
  market: MarketStore,
  written: readonly WrittenItem[],
  before: readonly ListItem[],
): ListItem[] {
  const notes = new Map(before.map((item) => [formatKey(item), item.note]));
  const items = new Map<string, ListItem>();
  const unknown: string[] = [];
  for (const { symbol, ...amounts } of written) {
    const found = findInstrument(market, symbol, unknown.length < MAX_NAMED);
    if ("reason" in found) {
      const near = found.closest === null ? "" : `; is it ${found.closest}?`;
      unknown.push(`${symbol} (${found.reason.replace(/\.$/, "")}${near})`);
      continue;
    }
    const { country, symbol: listed } = found.instrument;
    const key = formatKey(found.instrument);
    const note = amounts.note ?? notes.get(key);
    items.set(key, { country, symbol: listed, ...amounts, ...(note !== undefined && { note }) });
  }
  if (unknown.length === 0) return [...items.values()];
  const more = unknown.length > MAX_NAMED ? ` and ${unknown.length - MAX_NAMED} more` : "";
  throw new BourseError(
    "not_found",
    `Nothing was saved: ${unknown.slice(0, MAX_NAMED).join(", ")}${more}.`,
    { param: "items", hint: "Call list_symbols to find a symbol by name." },
  );
}

/** Items of any form as the JSON text of `WrittenItem`s: text, a list of texts or of objects. What cannot be read stays. */
function itemsText(value: unknown): unknown {
  if (typeof value === "string") {
    if (value.length > MAX_TEXT) return value;
    const text = value.trim();
    if (/^\[/.test(text)) return parseItems(text) ? text : itemsText(parseJson(text));
    return itemsText(text.split(/[,;\n]/).filter((item) => item.trim() !== ""));
  }
  if (!Array.isArray(value) || value.length > 2 * MAX_LIST_ITEMS) return value;
  const items = (value as unknown[]).map(readItem);
  return items.includes(null) ? value.map(String).join(",") : JSON.stringify(items);
}

function parseJson(text: string): unknown {
  try {
    const parsed: unknown = JSON.parse(text);
    return Array.isArray(parsed) ? parsed : null;
  } catch {
    return null;
  }
}

function readItem(item: unknown): WrittenItem | null {
  if (typeof item === "string") return readText(item);
  if (typeof item !== "object" || item === null) return null;
  const { country, symbol, ticker, shares, weight, note } = item as Record<string, unknown>;
  const written = symbol ?? ticker;
  if (typeof written !== "string" || written.trim() === "") return null;
  const prefix = typeof country === "string" && !written.includes(":") ? `${country}:` : "";
  return {
    symbol: prefix + written,
    ...(typeof shares === "number" && { shares }),
    ...(typeof weight === "number" && { weight }),
    ...(typeof note === "string" && note.trim() !== "" && { note: note.trim() }),
  };
}

/** `US:AAPL`, `US:AAPL=10` or `US:AAPL=40%`; null for amounts of money, cash and lists. */
function readText(text: string): WrittenItem | null {
  const symbol = text.trim();
  if (symbol === "" || listNameOf(symbol) !== null) return null;
  if (!/=(?!X$)/i.test(symbol)) return { symbol };
  const held = parseHolding(symbol);
  if (held?.unit === "shares") return { symbol: held.symbol, shares: held.quantity };
  return held?.unit === "%" ? { symbol: held.symbol, weight: held.quantity } : null;
}

/** The items of a text of `itemsText`; null for another text. */
function parseItems(text: string): readonly WrittenItem[] | null {
  const items = text.startsWith("[") ? parseJson(text) : null;
  if (!Array.isArray(items) || items.length > MAX_LIST_ITEMS) return null;
  const isItem = (item: unknown) =>
    typeof item === "object" && item !== null && typeof Reflect.get(item, "symbol") === "string";
  return items.every(isItem) ? (items as WrittenItem[]) : null;
}
