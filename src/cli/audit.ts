import { invalidArgument } from "#domain/errors.ts";
import { formatTable } from "#lib/table.ts";
import type { Command } from "./command.ts";
import { withAccounts } from "./stores.ts";

const DEFAULT_LIMIT = 50;
const MAX_LIMIT = 100_000;

export const audit: Command = {
  name: "audit",
  summary: "List sign-ins and changes of users, plans, roles, tokens and lists, newest first",
  flags: {
    find: { value: "TEXT", description: "only entries with this text" },
    limit: { value: "N", description: `how many entries (default: ${DEFAULT_LIMIT})` },
  },
  examples: ["--limit 200", "--find 'sign-in refused'", "--json"],
  settings: ["data", "cluster"],
  report: ({ io, config, flags }) =>
    withAccounts({ io, config }, async (accounts) => {
      const limit = parseLimit(flags["limit"]);
      const entries = (await accounts.listAudit({ limit, find: String(flags["find"] ?? "") })).map(
        ({ at, actor, action, subject, address }) => ({
          at: `${new Date(at).toISOString().slice(0, 19)}Z`,
          actor,
          action,
          subject,
          address,
        }),
      );
      const text = formatTable(
        ["AT", "ACTOR", "ACTION", "SUBJECT", "ADDRESS"],
        entries.map((entry) => Object.values(entry)),
      );
      return { json: entries, text: entries.length > 0 ? text : "Nothing is logged yet.\n" };
    }),
};

function parseLimit(written: string | boolean | undefined): number {
  if (written === undefined) return DEFAULT_LIMIT;
  const limit = /^\d{1,6}$/.test(String(written)) ? Number(written) : 0;
  if (limit >= 1 && limit <= MAX_LIMIT) return limit;
  throw invalidArgument(
    `--limit must be an integer from 1 to ${MAX_LIMIT}, not ${String(written) || "empty"}.`,
  );
}
