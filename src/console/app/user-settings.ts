import { effect, signal } from "@preact/signals";
import type { BodyOf } from "#http/console-api.ts";
import { request } from "./api.ts";
import { knownZone, languageOf, reader } from "./reader.ts";
import { type Sentence, showLanguage } from "./words.ts";

export type UserSettings = BodyOf<"PUT settings">;

/** The settings of the signed-in user; without one, what the browser says. */
export const settings = signal<UserSettings>({});

/** Ends when everything is in the language of the settings. */
let shown = Promise.resolve();

/** Shows the settings of the user who has signed in, and loads the sentences of the language. */
export async function showSettings(chosen: UserSettings): Promise<void> {
  settings.value = chosen;
  await shown;
}

/** Changes settings on screen at once, and keeps them with the account; undefined means the browser or our default. @throws ApiError and changes nothing */
export async function changeSettings(changes: {
  readonly [K in keyof UserSettings]?: UserSettings[K] | undefined;
}): Promise<void> {
  const before = settings.value;
  const given = Object.entries({ ...before, ...changes }).filter(
    ([, value]) => value !== undefined,
  );
  settings.value = Object.fromEntries(given);
  try {
    await request("PUT settings", { body: settings.value });
  } catch (error) {
    settings.value = before;
    throw error;
  }
}

/** The country that pages show if their address names none. */
export const homeCountry = () => settings.value.country ?? HOMES[reader.value.language];

const HOMES = { en: "US", ja: "JP", vi: "VN" } as const;

/** The colours of gain and loss. Tokyo's boards show gains in red. */
export const colorsNow = () =>
  settings.value.colors ?? (reader.value.language === "ja" ? "red-green" : "green-red");

/** The pages that can be opened first, with their names and paths. */
export const FIRST_PAGES = {
  markets: ["Markets", "/console"],
  screener: ["Screener", "/console/screen"],
  lists: ["Lists", "/console/lists"],
  calendar: ["Calendar", "/console/calendar"],
  economy: ["Economy", "/console/economy"],
} satisfies Record<NonNullable<UserSettings["firstPage"]>, readonly [Sentence, string]>;

/** The path of the page that the user wants to see first. */
export const firstPath = () => FIRST_PAGES[settings.value.firstPage ?? "markets"][1];

/** Keeps the document and the reader equal to the settings; the style sheet reads the attributes. */
export function applySettings(): void {
  effect(() => {
    const { theme = "system", density = "comfortable" } = settings.value;
    Object.assign(document.documentElement.dataset, { theme, colors: colorsNow(), density });
  });
  effect(() => {
    const { language = languageOf(navigator.languages), timeZone } = settings.value;
    reader.value = { ...reader.peek(), timeZone: knownZone(timeZone) };
    shown = showLanguage(language);
  });
  effect(() => void (document.documentElement.lang = reader.value.language));
}
