import { Type } from "@sinclair/typebox";
import { invalidArgument } from "#domain/errors.ts";
import { type ListItem, MAX_LIST_ITEMS, slugOf, type UserList } from "#domain/user-list.ts";
import { parseJson } from "#lib/json.ts";
import { dateOf } from "#lib/date.ts";
import { inTurns } from "#lib/next-turn.ts";
import type { InputKeywords } from "./reading/decode.ts";
import { ListNameInput } from "./get-lists.ts";
import { readItems } from "./portfolio/list-items.ts";
import { defineOperation, type OwnContext } from "./operation.ts";
import { formatKey } from "./reading/symbols.ts";

const EXAMPLE = "US:AAPL,JP:7203=300";
/** Characters of all items. */
const MAX_TEXT = 300 * MAX_LIST_ITEMS;
/** Characters of an item that is not understood, in an error. */
const MAX_UNREAD = 60;

/** Replaces the items of a list of the caller. */
export const saveList = defineOperation({
  name: "save_list",
  set: "lists",
  title: "Save a list",
  description: "Saves a list of the user in place of the one of that name. get_lists shows it.",
  path: "/data/lists/{name}",
  input: Type.Object({
    name: ListNameInput,
    items: Type.String({
      maxLength: MAX_TEXT,
      description: `Symbols, also with shares or weights: ${EXAMPLE}. With the price paid and its day: US:MSFT=5@400USD@2024-05-01.`,
      read: itemsText,
      example: EXAMPLE,
      expected: `a list of at most ${MAX_LIST_ITEMS} symbols, with shares or weights if wanted, such as ${EXAMPLE} or US:MSFT=40%, or of objects with symbol, country, shares or weight, cost with currency and bought_on, note, and thesis`,
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
    understood: Type.Optional(
      Type.Array(Type.String(), {
        description: "Items that were written otherwise: FB is META since 2022-06-09.",
      }),
    ),
  }),
  async handle({ name, items: written }, context) {
    const { own, market, now } = context as OwnContext;
    const texts = written.split("\n").filter((text) => text.trim() !== "");
    const { items, understood } = await inTurns(readItems(market, texts, dateOf(now)));
    // A start needs no language of rules.
    const hasTheses = items.some(({ thesis }) => thesis !== undefined);
    const read = hasTheses ? (await import("./alerts/rule.ts")).readTheses(items) : items;
    const keys = new Set(read.map(formatKey));
    let old: ReadonlyMap<string, ListItem> = new Map();
    const saved = await own.replace("list", name, (before) => {
      if (before === null && slugOf(name) === "") {
        throw invalidArgument("name must have letters a-z or digits: semis.", { param: "name" });
      }
      old = new Map(before?.items.map((item) => [formatKey(item), item]));
      const items = read.map((item) => withOwn(item, old.get(formatKey(item))));
      return { ...listHead(name, before), items };
    });
    return {
      data: {
        name: saved.name,
        is_new: saved.isNew,
        items: read.length,
        added: [...keys].filter((key) => !old.has(key)),
        removed: [...old.keys()].filter((key) => !keys.has(key)),
        ...(understood.length > 0 && { understood: [...understood] }),
      },
      from: [],
    };
  },
});

/** The name and the title of a list that is saved as `written`: what it had before, or the slug alone. */
export function listHead(written: string, before: UserList | null): Omit<UserList, "items"> {
  const { name = slugOf(written), title } = before ?? {};
  return { name, ...(title !== undefined && { title }) };
}

/**
 * An item that stays in the list keeps its note and its thesis, unless it gets others. It keeps the price paid if its
 * number of shares is the same.
 */
function withOwn(item: ListItem, before: ListItem | undefined): ListItem {
  const { note = before?.note, thesis = before?.thesis } = item;
  const isHeld = item.shares !== undefined && item.shares === before?.shares;
  const cost = item.cost ?? (isHeld ? before?.cost : undefined);
  return {
    ...item,
    ...(note !== undefined && { note }),
    ...(thesis !== undefined && { thesis }),
    ...(cost !== undefined && { cost }),
  };
}

/**
 * Items of any form as lines of text: text, a list of texts, numbers or objects, an object such as `{"AAPL":10}`, or their
 * JSON text. What cannot be read stays.
 */
function itemsText(value: unknown): unknown {
  if (typeof value === "string") {
    const text = value.trim();
    const isJson = text.length <= MAX_TEXT && /^[[{]/.test(text);
    const parsed = isJson ? parseJson(text) : undefined;
    return parsed === undefined ? text.replaceAll(/[,;]/g, "\n") : itemsText(parsed);
  }
  const items = Array.isArray(value) ? (value as unknown[]) : itemsOf(value);
  return items === null ? value : items.map(lineOf).join("\n");
}

/** An object as a list: one item, or amounts by symbol. Null for what is no object. */
function itemsOf(value: unknown): unknown[] | null {
  if (typeof value !== "object" || value === null) return null;
  const entries = Object.entries(value as Record<string, unknown>);
  const isOne = entries.some(([name]) => FIELDS.has(name));
  return isOne ? [value] : entries.map(([symbol, shares]) => ({ symbol, shares }));
}

/** The fields of an item. Its name is left out, because the symbol says all. */
const FIELDS = new Set([
  "country",
  "symbol",
  "ticker",
  "name",
  "shares",
  "quantity",
  "weight",
  "note",
  "thesis",
  "cost",
  "currency",
  "bought_on",
]);

/** `{"symbol":"AAPL","country":"US","shares":10}` as `US:AAPL=10`, a note after a tab. What is no item is its JSON, which is then refused by name. */
function lineOf(item: unknown): string {
  if (isText(item)) return oneLine(item);
  const unread = JSON.stringify(item).slice(0, MAX_UNREAD);
  if (typeof item !== "object" || item === null) return unread;
  const fields = item as Record<string, unknown>;
  // A field that is left out without a word would be lost.
  if (Object.keys(fields).some((name) => !FIELDS.has(name))) return unread;
  const { country, symbol, ticker = symbol, quantity, shares = quantity, weight, note } = fields;
  if (!isText(ticker) || ![shares, weight, note].every((one) => isText(one ?? ""))) return unread;
  const thesis = thesisOf(fields["thesis"]);
  const paid = paidText(fields);
  if (thesis === null || paid === null) return unread;
  const isWhole = typeof country !== "string" || String(ticker).includes(":");
  const name = isWhole ? String(ticker) : `${country}:${ticker}`;
  const amount = isText(shares)
    ? `=${shares}${paid}`
    : isText(weight)
      ? `=${String(weight).replace(/%$/, "")}%`
      : "";
  const noted = isText(note) ? oneLine(note) : "";
  return [oneLine(name + amount), noted, ...thesis].join("\t").replace(/\t+$/, "");
}

/**
 * The price paid behind a number of shares: `@150USD@2024-05-01` of `{"cost":150,"currency":"USD","bought_on":"2024-05-01"}`
 * or of `{"cost":{"price":150,"currency":"USD","date":"2024-05-01"}}`. Empty without one, null if it cannot be read.
 */
function paidText(fields: Readonly<Record<string, unknown>>): string | null {
  const { cost, currency = null, bought_on: day = null } = fields;
  if (typeof cost === "object" && cost !== null) {
    const { price, currency: own, date, ...more } = cost as Record<string, unknown>;
    const inner = { ...fields, cost: price, currency: own ?? currency, bought_on: date ?? day };
    return isText(price) && Object.keys(more).length === 0 ? paidText(inner) : null;
  }
  if ((cost ?? null) === null) return currency === null && day === null ? "" : null;
  const texts = [cost, currency ?? "", day ?? ""].filter(isText);
  const [price = "", code = "", bought = ""] = texts;
  if (texts.length < 3 || !isText(fields["shares"] ?? fields["quantity"])) return null;
  return `@${price}${String(code).toUpperCase()}${bought === "" ? "" : `@${bought}`}`;
}

/** The sentence and the condition of `{"text":"…","while":"roe>25"}`; empty without a thesis, null if it cannot be read. */
function thesisOf(thesis: unknown): readonly string[] | null {
  if (thesis === undefined || thesis === null) return [];
  if (typeof thesis !== "object") return null;
  const { text, while: condition, ...more } = thesis as Record<string, unknown>;
  const isRead = isText(text) && isText(condition) && Object.keys(more).length === 0;
  return isRead ? [oneLine(text), oneLine(condition)] : null;
}

const isText = (value: unknown): value is string | number =>
  typeof value === "string" || typeof value === "number";

const oneLine = (text: string | number): string => String(text).replaceAll(/\s+/g, " ").trim();
