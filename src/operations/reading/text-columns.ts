import type { Instrument } from "#domain/instrument.ts";
import { formatLocalSector, localSectorOf } from "#domain/local-sectors.ts";
import { COLUMN_TERMS } from "#domain/terms.ts";
import { boardOf } from "#domain/exchanges.ts";
import { lettersIn } from "./decode.ts";

/** The columns of text, which `metrics` can name beside metrics: what they have of an instrument. */
export const TEXT_COLUMNS = {
  sector: ({ sector }) => sector,
  industry: ({ industry }) => industry,
  exchange: boardOf,
  local_sector(instrument) {
    const found = localSectorOf(instrument);
    return found && formatLocalSector(found);
  },
} as const satisfies Record<string, (instrument: Instrument) => string | null>;

/** The name of a column of text. */
export type TextColumn = keyof typeof TEXT_COLUMNS;
const NAMES = Object.keys(TEXT_COLUMNS) as TextColumn[];

/** The columns by what the console and people call them. */
const CALLED: Readonly<Record<TextColumn, readonly string[]>> = {
  sector: COLUMN_TERMS.Sector,
  industry: COLUMN_TERMS.Industry,
  exchange: [...COLUMN_TERMS.Exchange, "segment", "市場区分", "取引所", "sàn giao dịch"],
  local_sector: [
    ...COLUMN_TERMS["Local sector"],
    ...COLUMN_TERMS["TSE 33 sectors"],
    ...COLUMN_TERMS["ICB supersector"],
    "tse sector",
    "icb",
    "33業種",
  ],
};

const BY_WORD: ReadonlyMap<string, TextColumn> = new Map(
  NAMES.flatMap((name) => [name, ...CALLED[name]].map((word) => [lettersIn(word), name])),
);

/** Reads a column of text of companies. */
export const textReader =
  (name: TextColumn) =>
  ({ instrument }: { readonly instrument: Instrument }): string | null =>
    TEXT_COLUMNS[name](instrument);

/** The columns of text in a list of names, and the other names, separated by commas; null without others. */
export function splitColumns(text: string | undefined): {
  readonly texts: readonly TextColumn[];
  readonly others: string | null;
} {
  const names = text?.split(",") ?? [];
  const others = names.filter((name) => !BY_WORD.has(lettersIn(name.trim())));
  const chosen = new Set(names.flatMap((name) => BY_WORD.get(lettersIn(name.trim())) ?? []));
  return {
    texts: NAMES.filter((name) => chosen.has(name)),
    others: others.length === 0 ? null : others.join(","),
  };
}
