import { CURRENCY_CODES } from "#domain/currency.ts";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { type ValueError, ValueErrorType } from "@sinclair/typebox/errors";
import { invalidArgument, notFound } from "#domain/errors.ts";
import {
  type DocumentKind,
  type ListedDocument,
  type NamedKind,
  type OwnDocuments,
  type SavedDocument,
  type StoredDocument,
  USER_DOCUMENTS,
  type UserDocuments,
} from "#domain/user-documents.ts";
import { type Alert, alertOfTheses, type Channel } from "#domain/alert.ts";
import { scopeOfList } from "#domain/brief.ts";
import { foldTitle, isOtherScript, slugOf, type UserList } from "#domain/user-list.ts";
import type { UserScreen } from "#domain/user-screen.ts";
import type { UserSettings } from "#domain/user-settings.ts";
import { type Awaitable, whenKnown } from "#lib/awaitable.ts";
import { closestHint } from "#lib/closest.ts";
import { lazy } from "#lib/lazy.ts";
import { isVisibleLine } from "#lib/visible-line.ts";
import { formatCount } from "#lib/table.ts";
import type { AccessStore } from "#store/index.ts";
import {
  countDocuments,
  type DocumentKey,
  type DocumentRow,
  findDocument,
  listDocuments,
  listDocumentValues,
  putDocument,
  removeDocument,
} from "#store/user-documents.ts";
import { removeAlertStates } from "#store/alerts.ts";
import { removeBriefMarks } from "#store/brief-marks.ts";
import { unlinkList } from "#store/tokens.ts";
import { findUser, type StoredUser } from "#store/users.ts";
import type { Work } from "#store/work.ts";
import { UserAlerts } from "./user-alerts.ts";
import { type Actor, COMMAND_LINE, recordAudit } from "./audit.ts";

/** The dependencies of `UserData`. */
export interface UserDataParts {
  readonly access: AccessStore;
  /** UTC milliseconds. */
  readonly clock: () => number;
  /** The name of the user whose data it is. */
  readonly user: string;
  /** The person behind the changes, for the audit log. */
  readonly actor: Actor;
}

/** The lists, screens and settings of one user. Each change and its entry in the audit log are one transaction. */
export class UserData implements OwnDocuments {
  readonly #parts: UserDataParts;

  constructor(parts: UserDataParts) {
    this.#parts = parts;
  }

  /** What rules of the user know and said. */
  get alerts(): UserAlerts {
    return new UserAlerts(this.#parts.access, this.#parts.user);
  }

  list(kind: NamedKind): Awaitable<readonly ListedDocument[]> {
    return this.#parts.access.run(this.#list(kind));
  }

  *#list(kind: NamedKind): Work<ListedDocument[]> {
    const documents = yield* listDocuments(this.#parts.user, kind);
    if (documents.length === 0) yield* this.#getUser();
    return documents;
  }

  /** The documents of a kind in the order of their names. */
  all<K extends NamedKind>(kind: K): Awaitable<readonly StoredDocument<UserDocuments[K]>[]> {
    const rows = this.#parts.access.run(listDocumentValues(this.#parts.user, kind));
    return whenKnown(rows, (all) => all.map(parseRow<UserDocuments[K]>));
  }

  get<K extends NamedKind>(kind: K, name: string): Awaitable<StoredDocument<UserDocuments[K]>> {
    return whenKnown(this.#parts.access.run(this.#get(kind, name)), parseRow<UserDocuments[K]>);
  }

  *#get(kind: NamedKind, written: string): Work<DocumentRow> {
    const { row } = yield* this.#find(kind, written);
    return row ?? (yield* this.#refuseAbsent(kind, written));
  }

  /** The document that a text means by its title or its name, and its name. The row is null without such a document. */
  *#find(
    kind: DocumentKind,
    written: string,
  ): Work<{ readonly name: string; readonly row: DocumentRow | null }> {
    const { user } = this.#parts;
    const slug = slugOf(written);
    const hasTitles = kind === "list" || kind === "screen";
    if (slug === written || !hasTitles)
      return { name: slug, row: yield* findDocument(user, { kind, name: slug }) };
    const wanted = foldTitle(written);
    const all = yield* listDocuments(user, kind);
    const titled = all.filter(({ title }) => title !== undefined && foldTitle(title) === wanted);
    const name = (titled.length === 1 && titled[0]?.name) || slug;
    // 半導体 2 and 自動車 2 have the same slug.
    const isOther = name === slug && isOtherScript(written) && titled.length === 0;
    const isTaken = isOther && all.some((one) => one.name === slug && one.title !== undefined);
    return { name, row: isTaken ? null : yield* findDocument(user, { kind, name }) };
  }

  save<K extends NamedKind>(kind: K, value: UserDocuments[K]): Awaitable<SavedDocument> {
    return this.replace(kind, value.name, () => value);
  }

  replace<K extends NamedKind>(
    kind: K,
    name: string,
    make: (before: UserDocuments[K] | null) => UserDocuments[K],
  ): Awaitable<SavedDocument> {
    return this.#parts.access.transaction(() => this.#replace(kind, name, make));
  }

  remove(kind: NamedKind, name: string): Awaitable<string> {
    return this.#parts.access.transaction(() => this.#remove(kind, name));
  }

  *#remove(kind: NamedKind, written: string): Work<string> {
    const { id } = yield* this.#getUser();
    const { name, row } = yield* this.#find(kind, written);
    if (!row || !(yield* removeDocument(id, { kind, name }))) {
      yield* this.#refuseAbsent(kind, written);
    }
    if (kind === "list") {
      yield* unlinkList(id, name);
      yield* removeBriefMarks(id, scopeOfList(name));
      yield* removeAlertStates(id, alertOfTheses(name));
    }
    if (kind === "alert") yield* removeAlertStates(id, name);
    yield* this.#record(`${kind} deleted`, `${kind} ${name}`);
    return name;
  }

  /** The settings of the user; empty without any. */
  settings(): Awaitable<UserSettings> {
    return whenKnown(this.#parts.access.run(findDocument(this.#parts.user, SETTINGS)), (row) =>
      row ? parseRow<UserSettings>(row).value : {},
    );
  }

  /** Stores the settings in place of all earlier ones. @throws BourseError `invalid_argument` */
  saveSettings(value: UserSettings): Awaitable<SavedDocument> {
    return this.#parts.access.transaction(() =>
      this.#replace("settings", SETTINGS.name, () => value),
    );
  }

  *#replace<K extends DocumentKind>(
    kind: K,
    written: string,
    make: (before: UserDocuments[K] | null) => UserDocuments[K],
  ): Work<SavedDocument> {
    const { id } = yield* this.#getUser();
    const { name, row } = yield* this.#find(kind, written);
    const isNew = row === null;
    const before = row && parseRow<UserDocuments[K]>(row).value;
    const value = withTitleFirst(requireDocument(kind, make(before)));
    const json = JSON.stringify(value);
    // A program that saves the same again and again fills no log.
    if (row?.json === json) return { name, isNew, changedAt: row.changedAt };
    if (isNew) yield* this.#refuseNew(id, { kind, name });
    // Later than before, so that each change shows.
    const changedAt = Math.max(this.#parts.clock(), (row?.changedAt ?? 0) + 1);
    const items = "items" in value ? value.items.length : 0;
    yield* putDocument(id, { kind, name, items, changedAt, json });
    if (before) yield* forgetStates(id, before, value);
    const size = kind === "list" ? ` (${formatCount(items, "item")})` : "";
    yield* this.#record(`${kind} saved`, kind === "settings" ? kind : `${kind} ${name}`, size);
    return { name, isNew, changedAt };
  }

  *#refuseNew(userId: number, { kind, name }: DocumentKey): Work<void> {
    const other = yield* findDocument(this.#parts.user, { kind, name });
    if (other) {
      const { title = name } = parseRow<{ readonly title?: string }>(other).value;
      throw invalidArgument(
        `The ${kind} ${title} has the name ${name} already. Choose a name with other letters a-z or digits.`,
      );
    }
    const { most } = USER_DOCUMENTS[kind];
    if ((yield* countDocuments(userId, kind)) < most) return;
    throw invalidArgument(
      `${this.#parts.user} has ${most} ${kind}s, as many as a user may have. Delete one first, or save under the name of an existing one, which it replaces.`,
    );
  }

  *#refuseAbsent(kind: NamedKind, written: string): Work<never> {
    yield* this.#getUser();
    const { user, actor } = this.#parts;
    const names = (yield* listDocuments(user, kind)).map(({ name }) => name);
    throw notFound(
      `${user} has no ${kind} ${slugOf(written) || written.slice(0, 60)}${closestHint(slugOf(written), names)}.`,
      {
        allowed: names.slice(0, 20),
        hint:
          names.length === 0
            ? `There is no ${kind} yet. Save one first.`
            : `${placeOfNames(kind, actor, user)} names all.`,
      },
    );
  }

  *#getUser(): Work<StoredUser> {
    const { user } = this.#parts;
    const found = yield* findUser(user);
    if (found) return found;
    throw notFound(`There is no user ${user}; \`user list\` shows all.`);
  }

  #record(
    action: `${NamedKind} deleted` | `${DocumentKind} saved`,
    document: string,
    size = "",
  ): Work<void> {
    const { clock, actor, user } = this.#parts;
    return recordAudit({ at: clock(), actor, action, subject: `${document} of ${user}${size}` });
  }
}

/** Removes the states of a rule or of theses with another condition or watch, and of a rule that was paused. */
function* forgetStates(
  userId: number,
  before: UserDocuments[DocumentKind],
  now: UserDocuments[DocumentKind],
): Work<void> {
  if ("when" in before && "when" in now) {
    const isResumed = before.paused === true && now.paused === undefined;
    const isOther =
      before.when !== now.when || before.watch !== now.watch || before.repeat !== now.repeat;
    if (isResumed || isOther) yield* removeAlertStates(userId, now.name);
  }
  if ("items" in before && "items" in now) {
    const conditions = conditionsOf(now);
    for (const [about, condition] of conditionsOf(before))
      if (conditions.get(about) !== condition)
        yield* removeAlertStates(userId, alertOfTheses(now.name), about);
  }
}

/** The conditions of the theses of a list by instrument: `US:AAPL`. */
const conditionsOf = ({ items }: UserList): ReadonlyMap<string, string> =>
  new Map(
    items.flatMap(({ country, symbol, thesis }) =>
      thesis ? [[`${country}:${symbol}`, thesis.while] as const] : [],
    ),
  );

/** Where a caller sees all names. */
function placeOfNames(kind: NamedKind, actor: Actor, user: string): string {
  if (kind === "screen") return "The console";
  if (actor !== COMMAND_LINE) return kind === "list" ? "get_lists" : "get_alerts";
  return `\`${kind === "list" ? "list show" : `${kind} list`} --user ${user}\``;
}

/** The key of the settings of a user. */
const SETTINGS = { kind: "settings", name: "settings" } as const;

function parseRow<Value>({ json, changedAt }: DocumentRow): StoredDocument<Value> {
  return { value: JSON.parse(json) as Value, changedAt };
}

const CHECKS = {
  list: lazy(() => TypeCompiler.Compile(USER_DOCUMENTS.list.schema)),
  screen: lazy(() => TypeCompiler.Compile(USER_DOCUMENTS.screen.schema)),
  settings: lazy(() => TypeCompiler.Compile(USER_DOCUMENTS.settings.schema)),
  alert: lazy(() => TypeCompiler.Compile(USER_DOCUMENTS.alert.schema)),
  channel: lazy(() => TypeCompiler.Compile(USER_DOCUMENTS.channel.schema)),
};

/**
 * Checks a value of any form.
 *
 * @throws BourseError `invalid_argument` that names the first wrong field and what it takes
 */
export function requireDocument<K extends DocumentKind>(kind: K, value: unknown): UserDocuments[K] {
  const check = CHECKS[kind]();
  const error = check.Check(value) ? undefined : check.Errors(value).First();
  const fault = error ? explain(kind, error) : FAULTS[kind](value as UserDocuments[K]);
  if (fault !== null) throw invalidArgument(fault);
  return value as UserDocuments[K];
}

/** A document whose JSON begins with its name and title, where `listDocuments` reads them. */
function withTitleFirst<Value extends object>(value: Value): Value {
  const { name, title } = value as { readonly name?: string; readonly title?: string };
  return title === undefined ? value : Object.assign({ name, title }, value);
}

/** What the schemas do not say, as a sentence; null without a fault. */
const FAULTS: { readonly [K in DocumentKind]: (value: UserDocuments[K]) => string | null } = {
  list: (list) => findFaultOfTitle("list", list) ?? findFaultOfItems(list),
  screen: (screen) => findFaultOfTitle("screen", screen),
  settings: findFaultOfZone,
  alert: findFaultOfAlert,
  channel: findFaultOfChannel,
};

/** The fault of a field: `items[3].shares of the list is invalid. Number of …`. */
function explain(kind: DocumentKind, { path, schema, type, message }: ValueError): string {
  const field = path
    .slice(1)
    .replaceAll(/\/(\d+)/g, "[$1]")
    .replaceAll("/", ".")
    .slice(0, 60);
  const where = field === "" ? `The ${kind}` : `The field ${field} of the ${kind}`;
  if (type === ValueErrorType.ObjectAdditionalProperties) {
    return `${where} is unknown. Its object takes ${Object.keys((schema["properties"] ?? {}) as object).join(", ")}.`;
  }
  const isMissing = type === ValueErrorType.ObjectRequiredProperty;
  const allowed = Array.isArray(schema["enum"]) ? `One of ${schema["enum"].join(", ")}.` : null;
  return `${where} is ${isMissing ? "missing" : "invalid"}. ${allowed ?? schema.description ?? `${message}.`}`;
}

function findFaultOfTitle(kind: NamedKind, { title }: UserList | UserScreen): string | null {
  if (title === undefined || (isVisibleLine(title) && title.trim() === title)) return null;
  return `The title of the ${kind} has invisible characters, several lines, or spaces at its ends. Write it on one line.`;
}

function findFaultOfItems({ items }: UserList): string | null {
  const seen = new Set<string>();
  for (const item of items) {
    const key = `${item.country}:${item.symbol}`;
    if (seen.has(key)) return `${key} is in the list twice. Give each instrument once.`;
    seen.add(key);
    // Commands and pages print notes.
    if (!isVisibleLine(item.note ?? ""))
      return `The note of ${key} has invisible characters or several lines. Write it on one line.`;
    const { text = "", while: condition = "" } = item.thesis ?? {};
    if (!isVisibleLine(text) || !isVisibleLine(condition))
      return `The thesis of ${key} has invisible characters or several lines. Write it on one line.`;
    if (item.shares !== undefined && item.weight !== undefined)
      return `${key} has shares and a weight. Give one of the two.`;
    if (item.cost && item.shares === undefined)
      return `${key} has a price paid and no number of shares. Give its shares, or leave cost out.`;
    if (item.cost && !CURRENCY_CODES.has(item.cost.currency))
      return `The price paid for ${key} is in ${item.cost.currency}, which is no code of a currency. Give one such as USD.`;
  }
  return null;
}

function findFaultOfAlert({ title = "", when }: Alert): string | null {
  return isVisibleLine(title) && isVisibleLine(when)
    ? null
    : "The alert has invisible characters or several lines. Write each text on one line.";
}

function findFaultOfChannel({ name, kind, url, address }: Channel): string | null {
  const [wanted, other] = kind === "mail" ? [address, url] : [url, address];
  if (wanted !== undefined && other === undefined) return null;
  const field = kind === "mail" ? "address" : "url";
  return `The channel ${name} takes ${field}, and no ${field === "url" ? "address" : "url"}, because its kind is ${kind}.`;
}

function findFaultOfZone({ timeZone }: UserSettings): string | null {
  if (timeZone === undefined) return null;
  try {
    new Intl.DateTimeFormat("en", { timeZone });
    return null;
  } catch {
    return `${timeZone} is no time zone. Give a name such as Asia/Tokyo or UTC.`;
  }
}
