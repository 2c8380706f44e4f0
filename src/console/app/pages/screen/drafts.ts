import { signal } from "@preact/signals";
import { me } from "#console/app/session.ts";

/** The choices of a screen in the address; the others are about what is looked at. */
const CHOICES = ["country", "where", "sector", "industry", "exchange", "sort", "metrics", "saved"];
/** The name under which the screen is kept that has no name yet. */
const UNNAMED = "";

/** Goes up with each change, so that components that show drafts are drawn again. */
const version = signal(0);
/** Each user of the browser has their own. */
const keyOf = () => `bourse.screens.${me.value?.user}`;

type Drafts = Readonly<Record<string, string>>;

/** The unsaved screens of this browser: the name of the screen, and the query of its address. */
function readDrafts(): Drafts {
  void version.value;
  return JSON.parse(localStorage.getItem(keyOf()) ?? "{}");
}

function writeDraft(name: string, query: string | null): void {
  const { [name]: before = null, ...others } = readDrafts();
  if (before === query) return;
  const drafts = query === null ? others : { ...others, [name]: query };
  localStorage.setItem(keyOf(), JSON.stringify(drafts));
  version.value = version.peek() + 1;
}

/** The address of the unsaved changes of a screen; null if all is saved. @param saved null for the one without a name */
export function draftOf(saved: string | null): string | null {
  const query = readDrafts()[saved ?? UNNAMED];
  return query === undefined ? null : `/console/screen?${query}`;
}

/** Keeps the choices of an address as the unsaved changes of its screen. */
export function keepDraft(query: URLSearchParams): void {
  const choices = [...query].filter(([name]) => CHOICES.includes(name));
  writeDraft(query.get("saved") ?? UNNAMED, new URLSearchParams(choices).toString());
}

/** Forgets the unsaved changes of a screen. */
export const dropDraft = (saved: string | null): void => writeDraft(saved ?? UNNAMED, null);
