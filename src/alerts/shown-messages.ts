import type { UserSettings } from "#domain/user-settings.ts";
import { listMessages } from "#store/alerts.ts";
import { findDocument } from "#store/user-documents.ts";
import type { Work } from "#store/work.ts";
import { type OutgoingMessage, readMessage } from "./outgoing.ts";

/** The newest messages of a user, at most `limit`, in the words of the user. @param publicUrl as `writeMessage` takes it */
export function* listShownMessages(
  user: string,
  limit: number,
  publicUrl: string | null,
): Work<readonly OutgoingMessage[]> {
  const stored = yield* findDocument(user, { kind: "settings", name: "settings" });
  const settings = stored ? (JSON.parse(stored.json) as UserSettings) : {};
  const rows = yield* listMessages(user, { limit });
  return rows.flatMap((row) => readMessage(row, settings, publicUrl) ?? []);
}
