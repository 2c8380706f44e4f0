import type { Thesis } from "./user-list.ts";

/** The size of a file. A file of Portfolio Performance with 500,000 prices has some 20 MB. */
export const MAX_LIST_FILE_BYTES = 32 * 2 ** 20;

/**
 * What a person decides where a file can be read in several ways, by the name of the flag: the decimal mark, the order of
 * day, month and year, and whether totals or the lots below them count.
 */
export const LIST_CHOICES = {
  decimal: ["point", "comma"],
  "date-order": ["dmy", "mdy", "ymd"],
  count: ["totals", "lots"],
} as const;

/** The name of a choice. */
export type ListChoice = keyof typeof LIST_CHOICES;

/** The names of the choices. */
export const LIST_CHOICE_NAMES = Object.keys(LIST_CHOICES) as readonly ListChoice[];

/** What a person has decided. */
export type ListAnswers = {
  readonly [Name in ListChoice]?: (typeof LIST_CHOICES)[Name][number] | undefined;
};

/** An instrument that a file of another program names, as written there. It is not looked up yet. */
export interface WrittenItem {
  /** Where the file names it first: `line 12`. */
  readonly place: string;
  /** How messages name it: its symbol, ISIN or name. */
  readonly written: string;
  /** Its symbol in the notations that the file offers, the most certain one first. */
  readonly symbols: readonly string[];
  readonly isin: string | null;
  readonly name: string | null;
  /** The ISO code of the currency of its price; null if the file does not say it. */
  readonly currency: string | null;
  /** What is held now, negative if sold short; null if the file says nothing of it. */
  readonly shares: number | "uncertain" | null;
  /** The day of the oldest purchase, if the file has no split; null without purchases. */
  readonly boughtOn: string | null;
  /** Percent of the portfolio; null if the file does not say it. */
  readonly weight: number | null;
  readonly note: string | null;
  /** Only our own file has it. */
  readonly thesis?: Thesis;
  /** The price paid for a share; left out if the file does not say it. */
  readonly cost?: WrittenCost;
}

/** A price paid for a share, as a file has it. */
export interface WrittenCost {
  readonly price: number;
  /** An ISO code; null if the file names no currency. */
  readonly currency: string | null;
  /** The day of the purchase, YYYY-MM-DD; null if it is not known, or there are several. */
  readonly date: string | null;
}

/** Something of a file that does not become an item of a list as it is written. */
export interface Remark {
  readonly place: string;
  readonly written: string;
  /** A clause without a full stop: `cash`, `closed: as many shares were sold as bought`. */
  readonly reason: string;
}

/** What a file of another program names for a list. */
export interface ListFile {
  /** The program whose files have this form: `Portfolio Performance`. */
  readonly program: string;
  readonly items: readonly WrittenItem[];
  /** What the reader leaves out: cash, closed positions, shares that are not certain. */
  readonly remarks: readonly Remark[];
  /** Of a table: the headers of the columns with values that a list does not keep, such as `Purchase price`. */
  readonly notRead?: readonly string[];
}
