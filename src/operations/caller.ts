import type { BriefMarks } from "#domain/brief.ts";
import { BourseError, invalidArgument } from "#domain/errors.ts";
import { PROGRAM } from "#lib/compiled.ts";
import {
  ALERTS_OF_LINK,
  listsRefused,
  type ReadableLists,
  type Right,
  requireRight,
} from "#domain/rights.ts";
import type { OwnAlerts } from "#domain/user-alerts.ts";
import type { OwnDocuments } from "#domain/user-documents.ts";
import { LinkedLists } from "./portfolio/linked-lists.ts";

/** Who makes a call: a user, by a token with rights or in the console. */
export interface Caller {
  readonly user: string;
  readonly rights: readonly Right[];
  /** The lists that the call may read. */
  readonly lists: ReadableLists;
  /** The day that the call is in, YYYY-MM-DD: its answer has nothing that became known later. Null for the present. */
  readonly asOf: string | null;
  /** The token whose briefs continue each other; absent without a token. */
  readonly tokenId?: number;
}

/** Finds the marks of a token's briefs. */
export type MarksOf = (tokenId: number) => BriefMarks;

/** Finds the lists and screens of a caller. */
export type DocumentsOf = (caller: Caller) => OwnDocuments;

/** Finds the alerts of a user. */
export type AlertsOf = (user: string) => OwnAlerts;

/**
 * Finds the alerts of a caller who reads all lists, because rules name lists and what is in them.
 *
 * @throws BourseError as `documentsOf`
 */
export function alertsOf(
  find: AlertsOf | undefined,
  findDocuments: DocumentsOf | undefined,
  caller: Caller | null,
): OwnAlerts {
  documentsOf(findDocuments, caller);
  if (!find || !caller) throw hasNoUser();
  if (caller.lists !== null) throw listsRefused(caller.rights);
  return find(caller.user);
}

/**
 * Finds the lists and screens of a caller, if there is one.
 *
 * @throws BourseError `invalid_argument` without a caller; `forbidden` if the caller lacks the right or reads no lists,
 * also because it is in a past day
 */
export function documentsOf(
  find: DocumentsOf | undefined,
  caller: Caller | null,
  right?: Right,
): OwnDocuments {
  const all = allDocumentsOf(find, caller);
  if (!caller) return all;
  if (caller.asOf !== null) throw listsHaveNoPast(caller.asOf);
  const { rights, lists } = caller;
  if (right) requireRight(rights, right);
  if (lists === null) return all;
  if (lists.length === 0) throw listsRefused(rights);
  return new LinkedLists(all, lists);
}

/** Finds the lists that a caller reads by a feed. @throws BourseError as `documentsOf` */
export async function linkedListsOf(
  find: DocumentsOf | undefined,
  caller: Caller,
): Promise<OwnDocuments> {
  if (caller.asOf !== null) throw listsHaveNoPast(caller.asOf);
  const all = allDocumentsOf(find, caller);
  const names = caller.lists?.filter((name) => name !== ALERTS_OF_LINK);
  return new LinkedLists(all, names ?? (await all.list("list")).map(({ name }) => name));
}

function allDocumentsOf(find: DocumentsOf | undefined, caller: Caller | null): OwnDocuments {
  if (!find || !caller) throw hasNoUser();
  return find(caller);
}

function hasNoUser(): BourseError {
  return invalidArgument(
    `Lists and alerts belong to a user, and this call has none. Call the service with a token, or \`${PROGRAM} call\` with --user.`,
  );
}

/** The refusal of lists in a call that is in a day: no earlier version of a list is stored. */
export function listsHaveNoPast(day: string): BourseError {
  return new BourseError(
    "forbidden",
    `This token is in ${day} and reads no lists, because they are as of today.`,
    { hint: "Write the symbols, or use a token without a day." },
  );
}
