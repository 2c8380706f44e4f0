import { ApiError } from "#console/app/api.ts";
import { spareName, type TitledName, titledName } from "#console/app/parts/document-name.ts";
import {
  type ListItem,
  lists,
  loadLists,
  readItems,
  removeList,
  saveList,
} from "#console/app/user-lists.ts";
import { t } from "#console/app/words.ts";

/** Stores a list under a name or title that no list has, and returns its name. @throws ApiError */
export async function addList(text: string, items: readonly ListItem[]): Promise<string> {
  await loadLists();
  const names = lists.value.map(({ name }) => name);
  const named = titledName(text, spareName("list", names));
  refuseTaken(named);
  await saveList(named.name, items, named.title);
  return named.name;
}

/** Gives a list another name or title, and returns its name. It stays the same if the text has no letters a-z. @throws ApiError */
export async function renameList(name: string, text: string): Promise<string> {
  const items = await readItems(name);
  await loadLists();
  const named = titledName(text, name);
  refuseTaken(named, name);
  await saveList(named.name, items, named.title);
  if (named.name !== name) await removeList(name);
  return named.name;
}

/** @throws ApiError if another list has the name or the title */
function refuseTaken({ name, title }: TitledName, own?: string): void {
  const others = lists.value.filter((one) => one.name !== own);
  const taken = others.find((one) => one.name === name || (one.title ?? "") === (title || name));
  if (!taken) return;
  const text = t("You have a list {name}. Choose another name.", {
    name: taken.title ?? taken.name,
  });
  throw new ApiError(409, "EXISTS", text);
}
