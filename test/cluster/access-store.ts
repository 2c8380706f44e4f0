import { afterAll, beforeAll, describe } from "bun:test";
import { describeUserData } from "../access/describe-user-data.ts";
import { type AccessHome, describeAccessStore } from "../store/describe-access-store.ts";
import { openAccessNode } from "../support/cluster-access.ts";
import { IS_POSTGRES_MISSING, TestPostgres } from "../support/postgres.ts";

// Not part of the suite (no .test in its name): it needs Postgres.

describe.skipIf(IS_POSTGRES_MISSING)("The laws of access stores", () => {
  let server: TestPostgres;
  beforeAll(async () => void (server = await TestPostgres.start()));
  afterAll(() => server?.kill());

  const open = async (): Promise<AccessHome> => {
    const database = await server.createDatabase();
    const { access } = await openAccessNode(server, database);
    const { access: other } = await openAccessNode(server, database);
    return {
      access,
      other,
      async [Symbol.asyncDispose]() {
        await Promise.all([access.close(), other.close()]);
      },
    };
  };
  describeAccessStore("Postgres", open);
  describeUserData("Postgres", open);
});
