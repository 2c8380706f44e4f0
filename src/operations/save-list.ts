import { Type } from "@sinclair/typebox";
import { BourseError } from "#domain/errors.ts";
import { type ListItem, MAX_LIST_ITEMS, slugOf } from "#domain/user-list.ts";
import type { InputKeywords } from "./decode.ts";
import { ListNameInput } from "./get-lists.ts";
import { readItems } from "./list-items.ts";
import { inTurns } from "#lib/next-turn.ts";
import { defineOperation, type OwnContext } from "./operation.ts";
import { formatKey } from "./symbols.ts";

const EXAMPLE = "US:AAPL,JP:7203=300";
/** Characters of all items. */
const MAX_TEXT = 100 * MAX_LIST_ITEMS;

/** Replaces the items of a list of the caller. */
export const saveList = defineOperation({
  name: "save_list",
  title: "Save a list",
  description: "Saves a list of the user in place of the one of that name. get_lists shows it.",
  path: "/data/lists/{name}",
  input: Type.Object({
    name: ListNameInput,
    items: Type.String({
      maxLength: MAX_TEXT,
      description: `Symbols, also with shares or weights: ${EXAMPLE}.`,
      read: itemsText,
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
    added: Type.Array(Type.String(), { description: "Symbols that are new in it: US:AAPL." }),
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
    const texts = written.split("\n").filter((text) => text.trim() !== "");
    const { items: read } = await inTurns(readItems(market, texts));
    const keys = new Set(read.map(formatKey));
    let old: ReadonlySet<string> = new Set();
    const { isNew } = await own.replace("list", slug, (before) => {
      old = new Set(before?.items.map(formatKey));
      return { name: slug, items: withNotes(read, before?.items ?? []) };
    });
    return {
      data: {
        name: slug,
        is_new: isNew,
        items: read.length,
        added: [...keys].filter((key) => !old.has(key)),
        removed: [...old].filter((key) => !keys.has(key)),
      },
      from: [],
    };
  },
});

/** The items with the notes that they had before. */
function withNotes(items: readonly ListItem[], before: readonly ListItem[]): ListItem[] {
  const notes = new Map(before.map((item) => [formatKey(item), item.note]));
  return items.map((item) => {
    const note = notes.get(formatKey(item));
    return note === undefined ? item : { ...item, note };
  });
}

/**
 * Items of any form as lines of text: text, a list of texts, numbers or objects, or the JSON text of a list. What cannot
 * be read stays.
 */
function itemsText(value: unknown): unknown {
  if (typeof value === "string") {
    const text = value.trim();
    if (text.length > MAX_TEXT || !text.startsWith("[")) return text.replaceAll(/[,;]/g, "\n");
    const list = parseJson(text);
    return Array.isArray(list) ? itemsText(list) : text;
  }
  if (!Array.isArray(value)) return value;
  const lines = (value as unknown[]).map(lineOf);
  return lines.includes(null) ? value : lines.join("\n");
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** `{"symbol":"AAPL","country":"US","shares":10}` as `US:AAPL=10`; null for what is no item. */
function lineOf(item: unknown): string | null {
  if (typeof item === "string" || typeof item === "number") return String(item);
  if (typeof item !== "object" || item === null) return null;
  const { country, symbol, ticker = symbol, shares, weight } = item as Record<string, unknown>;
  if (typeof ticker !== "string" && typeof ticker !== "number") return null;
  const name = typeof country === "string" ? `${country}:${ticker}` : String(ticker);
  if (isAmount(shares)) return `${name}=${shares}`;
  return isAmount(weight) ? `${name}=${String(weight).replace(/%$/, "")}%` : name;
}

const isAmount = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";
