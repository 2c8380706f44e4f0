import { expect, test } from "bun:test";
import { nextTurn } from "#lib/next-turn.ts";
import { addAuditEntry } from "#store/audit.ts";
import { listDocuments, putDocument, removeDocument } from "#store/user-documents.ts";
import { addUser, removeUser } from "#store/users.ts";
import { openAccessTwice } from "../support/access.ts";
import { describeAccessStore } from "./describe-access-store.ts";

describeAccessStore("SQLite", openAccessTwice);

test("the version of documents changes with one of this or of another process", async () => {
  await using home = await openAccessTwice();
  const { access, other } = home;
  access.run(addUser({ name: "anna", plan: "free", role: "user", createdAt: 1 }));
  const put = (by: typeof access, name: string) =>
    by.run(putDocument(1, { kind: "alert", name, items: 0, changedAt: 1, json: "{}" }));
  const version = async () => {
    // What another process did shows in the next turn.
    await nextTurn();
    return access.documentsVersion?.();
  };
  let before = await version();
  const works = [
    () => put(access, "a"),
    () => put(other, "b"),
    () => access.run(removeDocument(1, { kind: "alert", name: "a" })),
    () => access.run(removeUser("anna")),
  ];
  for (const work of works) {
    work();
    const after = await version();
    expect(after).toBeGreaterThan(before ?? 0);
    before = after;
  }
  access.run(listDocuments("anna", "list"));
  access.run(addAuditEntry({ at: 1, actor: "a", action: "sign-in", subject: "a", address: null }));
  expect(await version()).toBe(before);
});
