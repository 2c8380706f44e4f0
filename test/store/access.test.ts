import { openAccess } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { describeAccessStore } from "./describe-access-store.ts";

describeAccessStore("SQLite", async () => {
  const folder = openFolder();
  const access = openAccess(folder.path);
  const other = openAccess(folder.path);
  return {
    access,
    other,
    async [Symbol.asyncDispose]() {
      access.close();
      other.close();
      folder[Symbol.dispose]();
    },
  };
});
