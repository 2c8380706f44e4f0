import { reader } from "./reader.ts";
import { translateTerm } from "./words.ts";

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

/** The time zone of the reader as texts call it: `日本時間`; `Europe/Paris` if it has no such name. */
export const zoneInText = () => translateTerm(zoneNow());
