import type { Sentence } from "#console/app/words.ts";

/** What the classes of a country's own classification are called. */
export const LOCAL_CLASSES: Readonly<Record<string, Sentence>> = {
  JP: "TSE 33 sectors",
  VN: "ICB supersector",
};
