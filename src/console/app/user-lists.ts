import { signal } from "@preact/signals";
import type { AnswerTo, BodyOf } from "#http/console-api.ts";
import { forgetAnswers, request } from "./api.ts";
import type { Subject } from "./parts/subject.ts";

/** An item of a list: an instrument, with shares or a weight and a note if the user gave them. */
export type ListItem = BodyOf<"PUT lists/:name">["items"][number];

/** The list that the star fills. */
export const WATCHLIST = "watchlist";

/** The names of the user's lists, with the number of their items. */
export const lists = signal<AnswerTo<"GET lists">>([]);
/** The items of the list of the star. */
export const watched = signal<readonly ListItem[]>([]);

/** Loads the user's lists. */
export const loadLists = async (): Promise<void> => showLists(await request("GET lists"));

/** Shows lists of the user, and loads the items of the watchlist. */
export async function showLists(own: AnswerTo<"GET lists">): Promise<void> {
  lists.value = own;
  const hasWatchlist = lists.value.some(({ name }) => name === WATCHLIST);
  watched.value = hasWatchlist ? await readItems(WATCHLIST) : [];
}

/** The items of a list as they are stored now. @throws ApiError without such a list */
export async function readItems(name: string): Promise<readonly ListItem[]> {
  const { items } = await request("GET lists/:name", { param: name });
  return items;
}

/** What people call a list. */
export const titleOfList = (name: string): string =>
  lists.value.find((one) => one.name === name)?.title ?? name;

/**
 * Changes the items of a list as it is stored now, because another tab or an agent may have changed it. Without a list
 * of that name, it makes one.
 *
 * @returns the items before, to take the change back
 * @throws ApiError
 */
export async function changeList(
  name: string,
  make: (items: readonly ListItem[]) => readonly ListItem[],
): Promise<readonly ListItem[]> {
  await loadLists();
  const before = lists.value.some((one) => one.name === name) ? await readItems(name) : [];
  await saveList(name, make(before));
  return before;
}

/** Stores a list in place of one of that name, whose title stays without another one. @throws ApiError */
export async function saveList(
  name: string,
  items: readonly ListItem[],
  title?: string,
): Promise<void> {
  const body = { items: [...items], ...(title !== undefined && { title }) };
  await request("PUT lists/:name", { param: name, body });
  await reload();
}

/** Removes a list. @throws ApiError */
export async function removeList(name: string): Promise<void> {
  await request("DELETE lists/:name", { param: name });
  await reload();
}

async function reload(): Promise<void> {
  // Answers about lists may be kept.
  forgetAnswers();
  await loadLists();
}

/** True if both are the same instrument. */
export const isSame = (a: Subject, b: Subject) => a.country === b.country && a.symbol === b.symbol;
