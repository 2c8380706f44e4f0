import { KEPT_MARKS } from "#domain/brief.ts";
import { listRows, runStatement, type Work } from "./work.ts";

/** A mark with what was seen as JSON. */
export interface BriefMarkRow {
  /** UTC milliseconds. */
  readonly at: number;
  readonly json: string;
}

/** The marks of all scopes that a token can have: three of each of a hundred lists, and more of given symbols. */
const MOST_OF_TOKEN = 400;

/** The marks of a token for a scope, newest first. */
export function listBriefMarks(tokenId: number, scope: string): Work<BriefMarkRow[]> {
  return listRows(
    `SELECT at, seen AS json FROM brief_marks WHERE token_id = $tokenId AND scope = $scope
     ORDER BY at DESC`,
    { tokenId, scope },
  );
}

/** Stores a mark in place of one of the same time, and removes old ones. A token that was removed gets none. */
export function* putBriefMark(
  tokenId: number,
  scope: string,
  { at, json }: BriefMarkRow,
): Work<void> {
  yield* runStatement(
    `INSERT INTO brief_marks (token_id, scope, at, seen)
     SELECT id, $scope, $at, $json FROM tokens WHERE id = $tokenId
     ON CONFLICT (token_id, scope, at) DO UPDATE SET seen = excluded.seen`,
    { tokenId, scope, at, json },
  );
  yield* runStatement(
    `DELETE FROM brief_marks WHERE token_id = $tokenId AND scope = $scope AND at NOT IN (
       SELECT at FROM brief_marks WHERE token_id = $tokenId AND scope = $scope
       ORDER BY at DESC LIMIT $kept)`,
    { tokenId, scope, kept: KEPT_MARKS },
  );
  yield* runStatement(
    `DELETE FROM brief_marks WHERE token_id = $tokenId AND at < (
       SELECT at FROM brief_marks WHERE token_id = $tokenId ORDER BY at DESC LIMIT 1 OFFSET $most)`,
    { tokenId, most: MOST_OF_TOKEN - 1 },
  );
}

/** Gives the marks of a token to the new one that replaces it, so that its next briefs continue. */
export function* copyBriefMarks(from: number, to: number): Work<void> {
  yield* runStatement(
    `INSERT INTO brief_marks (token_id, scope, at, seen)
     SELECT CAST($to AS INTEGER), scope, at, seen FROM brief_marks WHERE token_id = $from`,
    { from, to },
  );
}

/** Removes all marks of a token. */
export function* removeMarksOfToken(tokenId: number): Work<void> {
  yield* runStatement("DELETE FROM brief_marks WHERE token_id = $tokenId", { tokenId });
}

/** Removes at most `limit` marks of a user's tokens; returns how many it removed. */
export function removeMarksOfUser(user: string, limit: number): Work<number> {
  return runStatement(
    `DELETE FROM brief_marks WHERE (token_id, scope, at) IN (
       SELECT token_id, scope, at FROM users JOIN tokens ON user_id = users.id
       JOIN brief_marks ON token_id = tokens.id WHERE users.name = $user LIMIT $limit)`,
    { user, limit },
  );
}

/** Removes the marks of a scope from all tokens of a user. */
export function* removeBriefMarks(userId: number, scope: string): Work<void> {
  yield* runStatement(
    `DELETE FROM brief_marks WHERE scope = $scope
     AND token_id IN (SELECT id FROM tokens WHERE user_id = $userId)`,
    { userId, scope },
  );
}
