import { Alert, Channel, MAX_CHANNELS } from "./alert.ts";
import { UserList } from "./user-list.ts";
import { UserScreen } from "./user-screen.ts";
import { UserSettings } from "./user-settings.ts";
import type { Awaitable } from "#lib/awaitable.ts";

/** What is stored of a user, by kind, with the number of documents that a user can have. */
export const USER_DOCUMENTS = {
  list: { schema: UserList, most: 100 },
  screen: { schema: UserScreen, most: 200 },
  settings: { schema: UserSettings, most: 1 },
  alert: { schema: Alert, most: 500 },
  channel: { schema: Channel, most: MAX_CHANNELS },
} as const;

/** A kind of document of a user. */
export type DocumentKind = keyof typeof USER_DOCUMENTS;

/** A kind that a user has several times, each with a name. */
export type NamedKind = Exclude<DocumentKind, "settings">;

/** The value of a document, by kind. */
export interface UserDocuments {
  readonly list: UserList;
  readonly screen: UserScreen;
  readonly settings: UserSettings;
  readonly alert: Alert;
  readonly channel: Channel;
}

/** A named document without its value. */
export interface ListedDocument {
  readonly name: string;
  /** What people call it; absent if that is its name. */
  readonly title?: string;
  /** The number of items of a list; 0 for another kind. */
  readonly items: number;
  /** UTC milliseconds. */
  readonly changedAt: number;
}

/** A stored document. */
export interface StoredDocument<Value> {
  readonly value: Value;
  /** UTC milliseconds. */
  readonly changedAt: number;
}

/** What saving did. */
export interface SavedDocument {
  readonly name: string;
  /** False if it replaced one of that name. */
  readonly isNew: boolean;
  /** UTC milliseconds. */
  readonly changedAt: number;
}

/** The named documents of one user. SQLite answers at once, a cluster with a promise. */
export interface OwnDocuments {
  /** Their names in order, without their values. */
  list(kind: NamedKind): Awaitable<readonly ListedDocument[]>;
  /**
   * The one of that name or title; letter case, spaces and hyphens do not matter.
   *
   * @throws BourseError `not_found` with the closest name
   */
  get<K extends NamedKind>(kind: K, name: string): Awaitable<StoredDocument<UserDocuments[K]>>;
  /**
   * Stores one, in place of one of that name. The last of several writers wins with its whole value. The
   * caller has checked that the market knows the instruments.
   *
   * @throws BourseError `invalid_argument` if a field is wrong or the user has too many
   */
  save<K extends NamedKind>(kind: K, value: UserDocuments[K]): Awaitable<SavedDocument>;
  /**
   * Stores what `make` returns of the one of that name or title, or of null without one. No other writer comes in
   * between.
   *
   * @throws BourseError as `save`
   */
  replace<K extends NamedKind>(
    kind: K,
    name: string,
    make: (before: UserDocuments[K] | null) => UserDocuments[K],
  ): Awaitable<SavedDocument>;
  /** Removes the one of that name or title and returns its name. @throws BourseError `not_found` as `get` */
  remove(kind: NamedKind, name: string): Awaitable<string>;
}
