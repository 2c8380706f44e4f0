import { signal } from "@preact/signals";

/** The languages that the console has words and forms for. */
export const LANGUAGES = ["en", "ja", "vi"] as const;
export type Language = (typeof LANGUAGES)[number];

/** What figures, dates and sentences follow. */
interface Reader {
  readonly language: Language;
  /** `Asia/Tokyo`; left out, the zone of the browser. */
  readonly timeZone?: string | undefined;
}

/** The reader's language and time zone. A component that formats something is drawn again when they change. */
export const reader = signal<Reader>({ language: "en" });

/** The first language of the list that the console has: `ja` of `ja-JP`. English without one. */
export function languageOf(wanted: readonly string[]): Language {
  const codes = wanted.map((one) => one.toLowerCase().split("-")[0]);
  const first = codes.find((code) => LANGUAGES.some((known) => known === code));
  return LANGUAGES.find((known) => known === first) ?? "en";
}

/** The time zone if the browser knows it; undefined otherwise. */
export function knownZone(timeZone: string | undefined): string | undefined {
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return timeZone;
  } catch {
    return undefined;
  }
}
