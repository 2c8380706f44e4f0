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

/** Zones that Chromium and others still list by an old name, with the name that the IANA database has now. */
const RENAMED: Readonly<Record<string, string>> = {
  "Africa/Asmera": "Africa/Asmara",
  "America/Buenos_Aires": "America/Argentina/Buenos_Aires",
  "America/Catamarca": "America/Argentina/Catamarca",
  "America/Coral_Harbour": "America/Atikokan",
  "America/Cordoba": "America/Argentina/Cordoba",
  "America/Godthab": "America/Nuuk",
  "America/Indianapolis": "America/Indiana/Indianapolis",
  "America/Jujuy": "America/Argentina/Jujuy",
  "America/Louisville": "America/Kentucky/Louisville",
  "America/Mendoza": "America/Argentina/Mendoza",
  "Asia/Calcutta": "Asia/Kolkata",
  "Asia/Katmandu": "Asia/Kathmandu",
  "Asia/Rangoon": "Asia/Yangon",
  "Asia/Saigon": "Asia/Ho_Chi_Minh",
  "Atlantic/Faeroe": "Atlantic/Faroe",
  "Etc/UTC": "UTC",
  "Europe/Kiev": "Europe/Kyiv",
  "Pacific/Enderbury": "Pacific/Kanton",
  "Pacific/Ponape": "Pacific/Pohnpei",
  "Pacific/Truk": "Pacific/Chuuk",
};

/** The name that the IANA database gives a zone now. */
export const nameOfZone = (zone: string) => RENAMED[zone] ?? zone;

/** The time zone of the reader. */
export const zoneNow = () =>
  nameOfZone(reader.value.timeZone ?? new Intl.DateTimeFormat().resolvedOptions().timeZone);
