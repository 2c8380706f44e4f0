import { lazy } from "#lib/lazy.ts";
import { normalForm } from "#lib/normal-form.ts";
import type { Country } from "./country.ts";
import { EXCHANGES } from "./exchanges.ts";
import { type Instrument, type Segment, SEGMENTS } from "./instrument.ts";

/** A place of trading: an exchange, or one of its market segments. */
export interface Venue {
  /** As answers and arguments have it: `HOSE`, `TSE Prime`. */
  readonly name: string;
  readonly country: Country;
  readonly exchange: string;
  /** Null for the whole exchange. */
  readonly segment: Segment | null;
}

/** The segments as the exchange writes them in English and in Japanese. */
const SEGMENT_NAMES: Readonly<Record<Segment, readonly [en: string, ja: string]>> = {
  prime: ["Prime", "プライム"],
  standard: ["Standard", "スタンダード"],
  growth: ["Growth", "グロース"],
};

/** The exchange with segments. */
const TSE = "TSE";

/** Every exchange and segment. */
export const VENUES: readonly Venue[] = EXCHANGES.flatMap(({ name, country }) => [
  { name, country, exchange: name, segment: null },
  ...(name === TSE
    ? SEGMENTS.map((segment) => ({
        name: segmentName(segment),
        country,
        exchange: name,
        segment,
      }))
    : []),
]);

function segmentName(segment: Segment): string {
  return `${TSE} ${SEGMENT_NAMES[segment][0]}`;
}

/** Where an instrument is listed: `HOSE`, `TSE Prime`; null without an exchange. */
export function venueOf({ exchange, segment }: Pick<Instrument, "exchange" | "segment">) {
  return exchange === TSE && segment ? segmentName(segment) : exchange;
}

/** The names of venues that are not written in Latin letters as they are, by their names. */
export const VENUE_TERMS = {
  TSE: ["東証", "TSE"],
  "TSE Prime": ["東証プライム", "TSE Prime"],
  "TSE Standard": ["東証スタンダード", "TSE Standard"],
  "TSE Growth": ["東証グロース", "TSE Growth"],
} as const;

/** What else people write for exchanges. */
const OTHER_NAMES: Readonly<Record<string, readonly string[]>> = {
  TSE: ["Tokyo", "Tokyo Stock Exchange", "東京証券取引所", "東京", "JPX"],
  NYSE: ["New York Stock Exchange", "ニューヨーク証券取引所", "NY証券取引所"],
  NASDAQ: ["ナスダック"],
  "NYSE American": ["AMEX"],
  HOSE: [
    "HSX",
    "Ho Chi Minh Stock Exchange",
    "ホーチミン",
    "ホーチミン証券取引所",
    "TP.HCM",
    "TPHCM",
  ],
  HNX: ["Hanoi Stock Exchange", "ハノイ", "ハノイ証券取引所", "Hà Nội"],
};

const folded = (text: string) =>
  normalForm(text, "NFKC")
    .toLowerCase()
    .replace(/^(?:sàn(?: giao dịch)?|tse|東証) *(?=.)/, "")
    .replace(/ *(?:市場|market)$/, "")
    .replaceAll(/[\s.-]/g, "");

const listNames = lazy(
  () =>
    new Map(
      VENUES.flatMap((venue) => {
        const { name, segment } = venue;
        const names = segment === null ? (OTHER_NAMES[name] ?? []) : SEGMENT_NAMES[segment];
        return [name, ...names].map((one): [string, Venue] => [folded(one), venue]);
      }),
    ),
);

/** The exchange or segment that a text means in one of three languages; null if none. */
export const findVenue = (text: string): Venue | null =>
  listNames().get(folded(text)) ?? (/^東証$/.test(text.trim()) ? findVenue(TSE) : null);
