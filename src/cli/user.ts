import { ROLES } from "#access/roles.ts";
import { PLAN_NAMES } from "#access/plans.ts";
import { invalidArgument } from "#domain/errors.ts";
import { formatCount, formatMoment, formatTable } from "#lib/table.ts";
import { type BulkRow, rowsOf } from "./bulk.ts";
import type { Command } from "./command.ts";
import { withAccounts } from "./stores.ts";

export const userAdd: Command = {
  name: "user add",
  operands: "[NAME]",
  summary: "Add a user, or the users of a CSV file",
  flags: {
    plan: { value: "PLAN", description: `${PLAN_NAMES.join(", ")} (default: free)` },
    role: { value: "ROLE", description: `${ROLES.join(" or ")} (default: user; the first: admin)` },
    from: {
      value: "FILE",
      description: "a CSV file with the columns name, plan and role; all users are added, or none",
    },
  },
  values: { PLAN: PLAN_NAMES, ROLE: ROLES },
  examples: ["anna --plan pro", "--from users.csv"],
  settings: ["data", "cluster"],
  report({ io, config, operands, flags }) {
    const [plan, role] = [String(flags["plan"] ?? "free"), String(flags["role"] ?? "user")];
    const rows = rowsOf(userAdd, { operands, flags }, ["name", "plan", "role"]);
    return withAccounts(
      { io, config },
      async (accounts) => {
        const add = ({ cells }: BulkRow<"name" | "plan" | "role">) =>
          accounts.userAddition(cells.name, cells.plan || plan, cells.role || role);
        const users = await accounts.changeAll(rows, add);
        const [first] = users;
        return flags["from"] === undefined && first
          ? { json: first, note: `Added the user ${first.name} with plan ${first.plan}.\n` }
          : { json: users, note: `Added ${formatCount(users.length, "user")}.\n` };
      },
      { creates: true },
    );
  },
};

export const userPlan: Command = {
  name: "user plan",
  operands: "USER PLAN",
  summary: "Change a user's plan, from the next call on",
  values: { PLAN: PLAN_NAMES },
  examples: ["anna max"],
  settings: ["data", "cluster"],
  report: ({ io, config, operands: [name = "", written = ""] }) =>
    withAccounts({ io, config }, async (accounts) => {
      const { plan, excess } = await accounts.setPlan(name, written);
      const advice = `${name} holds ${formatCount(excess, "live token")} more than plan ${plan} allows; they stay valid until revoked.\n`;
      return {
        json: { name, plan, excess },
        note: `${name} has plan ${plan} now.\n${excess > 0 ? advice : ""}`,
      };
    }),
};

export const userList: Command = {
  name: "user list",
  summary: "List users with their roles, plans and calls",
  examples: ["", "--json"],
  settings: ["data", "cluster"],
  report: ({ io, config }) =>
    withAccounts({ io, config }, async (accounts) => {
      const users = (await accounts.listUsers()).map((user) => ({
        name: user.name,
        role: user.role,
        plan: user.plan,
        liveTokens: user.liveTokens,
        callsToday: user.callsToday,
        callsThisHour: user.callsThisHour,
        created: formatMoment(user.createdAt),
      }));
      const text = formatTable(
        ["USER", "ROLE", "PLAN", "LIVE TOKENS", "TODAY", "THIS HOUR", "CREATED"],
        users.map((user) => Object.values(user)),
      );
      return { json: users, text };
    }),
};

export const userRemove: Command = {
  name: "user remove",
  operands: "USER",
  summary: "Remove a user with all tokens, counters and lists",
  flags: { yes: { description: "remove the last admin too" } },
  examples: ["anna"],
  settings: ["data", "cluster"],
  report: ({ io, config, operands: [name = ""], flags }) =>
    withAccounts({ io, config }, async (accounts) => {
      if (flags["yes"] !== true && (await accounts.isOnlyAdmin(name))) {
        throw invalidArgument(
          `${name} is the only admin, and a removal cannot be undone. Make another user an admin first (\`user role USER admin\`), or give --yes.`,
        );
      }
      // In slices, so that a service that runs can count calls in between.
      await accounts.removeUserInSlices(name);
      return { json: { name }, note: `Removed the user ${name} with all tokens and lists.\n` };
    }),
};
