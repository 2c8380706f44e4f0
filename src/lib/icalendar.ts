// Calendars as text: RFC 5545, with the name and refresh interval of RFC 7986.

import { nextTurn } from "./next-turn.ts";

/** The octets of a line without its end. */
const MAX_OCTETS = 75;
/** The entries that are written in a turn of the event loop. */
const ENTRIES_A_TURN = 200;
/** The instant that `SEQUENCE` counts from, UTC milliseconds: it then fits into 31 bits until 2068. */
const SEQUENCE_START = Date.UTC(2000, 0, 1);

/** A day, or a moment of it. */
export interface CalendarEntry {
  /** The same in every version of the entry, and in no other entry. */
  readonly uid: string;
  /** The first moment, UTC milliseconds, or a date, YYYY-MM-DD, for the whole day. */
  readonly start: number | string;
  readonly summary: string;
  readonly description: string;
  readonly category: string;
  /** When the entry may have changed last, UTC milliseconds. */
  readonly changedAt: number;
}

/** A calendar as text. */
export interface Calendar {
  readonly name: string;
  readonly description: string;
  readonly refreshHours: number;
  readonly entries: readonly CalendarEntry[];
}

/**
 * A calendar to subscribe to. It has no `METHOD`, so `DTSTAMP` is the moment of an entry's last revision, and
 * `SEQUENCE` counts the seconds up to it.
 */
export async function formatCalendar(calendar: Calendar): Promise<string> {
  const { name, description, refreshHours, entries } = calendar;
  const head = [
    "BEGIN:VCALENDAR",
    "VERSION:2.0",
    "PRODID:-//bourse//calendar//EN",
    `NAME:${escapeText(name)}`,
    `X-WR-CALNAME:${escapeText(name)}`,
    ...["DESCRIPTION", "X-WR-CALDESC"].flatMap((property) =>
      description === "" ? [] : [`${property}:${escapeText(description)}`],
    ),
    `REFRESH-INTERVAL;VALUE=DURATION:PT${refreshHours}H`,
    `X-PUBLISHED-TTL:PT${refreshHours}H`,
  ];
  let text = writeLines(head);
  for (let i = 0; i < entries.length; i += ENTRIES_A_TURN) {
    text += writeLines(entries.slice(i, i + ENTRIES_A_TURN).flatMap(entryLines));
    await nextTurn();
  }
  return text + writeLines(["END:VCALENDAR"]);
}

const writeLines = (lines: readonly string[]) => lines.map((line) => `${fold(line)}\r\n`).join("");

function entryLines(entry: CalendarEntry): string[] {
  const { uid, start, summary, description, category, changedAt } = entry;
  const sequence = Math.max(0, Math.floor((changedAt - SEQUENCE_START) / 1000));
  return [
    "BEGIN:VEVENT",
    `UID:${escapeText(uid)}`,
    `DTSTAMP:${formatInstant(changedAt)}`,
    `LAST-MODIFIED:${formatInstant(changedAt)}`,
    `SEQUENCE:${sequence}`,
    // Without a duration, some programs show an hour. RFC 5545 wants a positive one, so a moment is its minute.
    ...(typeof start === "string"
      ? [`DTSTART;VALUE=DATE:${start.replaceAll("-", "")}`]
      : [`DTSTART:${formatInstant(start)}`, "DURATION:PT1M"]),
    `SUMMARY:${escapeText(summary)}`,
    ...(description === "" ? [] : [`DESCRIPTION:${escapeText(description)}`]),
    `CATEGORIES:${escapeText(category)}`,
    "TRANSP:TRANSPARENT",
    "END:VEVENT",
  ];
}

/** `20261120T133000Z` */
const formatInstant = (utcMs: number) =>
  new Date(utcMs).toISOString().replaceAll(/[-:]|\.\d+/g, "");

/** A value of type TEXT. Control characters other than line ends are not allowed in it. */
function escapeText(text: string): string {
  // Most texts have nothing to escape.
  if (!/[\\;,\p{Cc}]/u.test(text)) return text;
  return text
    .replaceAll(/\r\n?/g, "\n")
    .replaceAll(/[^\P{Cc}\n\t]/gu, "")
    .replaceAll(/[\\;,]/g, "\\$&")
    .replaceAll("\n", "\\n");
}

/** A line in pieces of at most 75 octets. Each further piece begins with a space, and no character is split. */
function fold(line: string): string {
  if (Buffer.byteLength(line) <= MAX_OCTETS) return line;
  const pieces: string[] = [];
  let [piece, octets] = ["", 0];
  for (const character of line) {
    const size = Buffer.byteLength(character);
    if (octets + size > MAX_OCTETS) {
      pieces.push(piece);
      [piece, octets] = [" ", 1];
    }
    piece += character;
    octets += size;
  }
  return [...pieces, piece].join("\r\n");
}
