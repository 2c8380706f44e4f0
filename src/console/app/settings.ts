import { effect, signal } from "@preact/signals";
import type { BodyOf } from "#http/console-api.ts";
import { request } from "./api.ts";

type UserSettings = BodyOf<"PUT settings">;

/** The settings of the signed-in user; without one, what the browser says. */
export const settings = signal<UserSettings>({});

/** Loads the settings of the user who has signed in. */
export async function loadSettings(): Promise<void> {
  settings.value = await request("GET settings");
}

/** Changes settings on screen at once, and keeps them with the account. @throws ApiError and changes nothing */
export async function changeSettings(changes: Partial<UserSettings>): Promise<void> {
  const before = settings.value;
  settings.value = { ...before, ...changes };
  try {
    await request("PUT settings", { body: settings.value });
  } catch (error) {
    settings.value = before;
    throw error;
  }
}

/** Keeps the attributes of the document equal to the settings; the style sheet reads them. */
export function applySettings(): void {
  effect(() => {
    const { theme = "system", colors = "green-red", density = "comfortable" } = settings.value;
    Object.assign(document.documentElement.dataset, { theme, colors, density });
  });
}
