import { Type } from "@sinclair/typebox";
import { PLAN_NAMES } from "#access/plans.ts";
import type { Accounts, CountedUser } from "#access/accounts.ts";
import { ROLES } from "#access/roles.ts";
import { invalidArgument, notFound, unavailable } from "#domain/errors.ts";
import { formatCsv } from "#lib/csv.ts";
import { nextTurn } from "#lib/next-turn.ts";
import type { Cell, Table } from "#lib/table.ts";
import { NOT_STORED } from "./console-answers.ts";
import { endpoint, oneOf, publicEndpoint, wholeOf } from "./console-endpoint.ts";
import { listUsage, tableOfUsage } from "./console-usage.ts";
import type { ArrivalsInfo } from "./service-reports.ts";

const AUDIT_PAGE = 100;
/** The rows of usage that a page gets; the file has all. */
const MOST_DAYS = 1_000;
/** The entries that are read in one turn of the event loop. */
const CSV_PAGE = 1_000;

const isoOf = (at: number) => new Date(at).toISOString();

const Plan = oneOf<string>(PLAN_NAMES);
const RoleName = oneOf(ROLES);

/** The endpoints of users, the audit log, sources and the state of the service. All but the terms are for admins. */
export const ADMIN_ENDPOINTS = [
  endpoint({
    route: "GET users",
    role: "admin",
    handle: ({ parts, actor }) => parts.accountsOf(actor).listUsers(),
  }),
  endpoint({
    route: "POST users",
    role: "admin",
    body: Type.Object({
      name: Type.String({ description: "It is text of 1 to 64 characters." }),
      plan: Plan,
      role: RoleName,
    }),
    async handle({ parts, actor, body }) {
      const accounts = parts.accountsOf(actor);
      await accounts.addUser(body.name, body.plan, body.role);
      return getUser(accounts, body.name);
    },
  }),
  endpoint({
    route: "PATCH users/:name",
    role: "admin",
    body: Type.Object({ plan: Type.Optional(Plan), role: Type.Optional(RoleName) }),
    async handle({ parts, actor, param, body: { plan, role } }) {
      if (plan === undefined && role === undefined) {
        throw invalidArgument("Send plan, role or both.");
      }
      const accounts = parts.accountsOf(actor);
      // First, because only this change can be refused.
      if (role !== undefined) await accounts.setRole(param("name"), role);
      if (plan !== undefined) await accounts.setPlan(param("name"), plan);
      return getUser(accounts, param("name"));
    },
  }),
  endpoint({
    route: "DELETE users/:name",
    role: "admin",
    handle: ({ parts, actor, param }) => parts.accountsOf(actor).removeUserInSlices(param("name")),
  }),
  endpoint({
    route: "GET audit",
    role: "admin",
    handle({ parts, actor, visit: { query } }) {
      const most = Number.MAX_SAFE_INTEGER;
      const before = wholeOf(query, "before", { least: 1, most, fallback: most });
      const find = query.get("find") ?? "";
      return parts.accountsOf(actor).listAudit({ before, find, limit: AUDIT_PAGE });
    },
  }),
  endpoint({
    route: "GET audit.csv",
    role: "admin",
    /** All entries, or those with the text `find`. */
    async handle({ parts, actor, visit }) {
      const accounts = parts.accountsOf(actor);
      const find = visit.query.get("find") ?? "";
      const columns = ["at", "actor", "action", "subject", "address"] as const;
      const rows: Cell[][] = [];
      for (let before = Number.MAX_SAFE_INTEGER; ;) {
        const page = await accounts.listAudit({ before, find, limit: CSV_PAGE });
        for (const entry of page) {
          rows.push(columns.map((name) => (name === "at" ? isoOf(entry.at) : entry[name])));
        }
        if (page.length < CSV_PAGE) break;
        before = page.at(-1)?.id ?? 0;
        await nextTurn();
      }
      return csvAnswer("audit.csv", { columns, rows });
    },
  }),
  endpoint({
    route: "GET user-days",
    role: "admin",
    /** The calls of all users on the last seven UTC days: the newest rows, and how many there are. */
    async handle({ parts, actor }) {
      const days = await listUsage(parts, actor);
      return { since: parts.calls.since, count: days.length, days: days.slice(0, MOST_DAYS) };
    },
  }),
  endpoint({
    route: "GET user-days.csv",
    role: "admin",
    async handle({ parts, actor }) {
      return csvAnswer("usage.csv", tableOfUsage(await listUsage(parts, actor)));
    },
  }),
  endpoint({
    route: "GET sources",
    role: "admin",
    handle: ({ parts }) => parts.reports.listSources(),
  }),
  publicEndpoint({ route: "GET terms", handle: ({ parts }) => parts.reports.terms }),
  endpoint({
    route: "GET status",
    role: "admin",
    handle: ({ parts }) => parts.reports.readStatus(),
  }),
  endpoint({
    route: "GET arrivals",
    role: "user",
    /** What is still to come of a live market; null without that. The advice is for admins. */
    async handle({ parts, session }): Promise<ArrivalsInfo | null> {
      const arrivals = await parts.reports.readArrivals();
      if (arrivals === null || session.role === "admin") return arrivals;
      return {
        ...arrivals,
        kinds: arrivals.kinds.map((kind) => ({ ...kind, keys: [] })),
        refused: arrivals.refused.map((one) => ({ ...one, toDo: null })),
        faults: [],
      };
    },
  }),
  endpoint({
    route: "POST connection",
    role: "admin",
    /** Checks the public address of the settings, and no other one, so that no page can make the service call others. */
    handle({ parts, session }) {
      parts.reports.connection.start(session.user);
      return parts.reports.connection.read();
    },
  }),
  endpoint({
    route: "GET connection",
    role: "admin",
    handle: ({ parts }) => parts.reports.connection.read(),
  }),
  endpoint({
    route: "POST backup",
    role: "admin",
    handle({ parts }) {
      if (parts.reports.backUp) return parts.reports.backUp();
      throw unavailable("This service writes no backups.");
    },
  }),
] as const;

const csvAnswer = (file: string, table: Table) =>
  new Response(formatCsv(table), {
    headers: {
      ...NOT_STORED,
      "Content-Type": "text/csv; charset=utf-8",
      "Content-Disposition": `attachment; filename="${file}"`,
    },
  });

async function getUser(accounts: Accounts, name: string): Promise<CountedUser> {
  const user = (await accounts.listUsers()).find((one) => one.name === name);
  if (!user) throw notFound(`There is no user ${name}.`);
  return user;
}
