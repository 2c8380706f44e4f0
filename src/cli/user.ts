import { parseRole, ROLES } from "#access/accounts.ts";
import { PLAN_NAMES } from "#access/plans.ts";
import { BourseError } from "#domain/errors.ts";
import { formatCount, formatMoment, formatTable } from "#lib/table.ts";
import { type Command, JSON_FLAG } from "./command.ts";
import { withAccounts } from "./stores.ts";

export const userAdd: Command = {
  name: "user add",
  operands: "NAME",
  summary: "Add a user",
  flags: {
    plan: { value: "PLAN", description: `${PLAN_NAMES.join(", ")} (default: free)` },
    role: { value: "ROLE", description: `${ROLES.join(" or ")} (default: user; the first: admin)` },
  },
  settings: ["data", "cluster"],
  run: ({ io, config, operands: [name = ""], flags }) =>
    withAccounts(
      { io, config },
      async (accounts) => {
        const role = parseRole(String(flags["role"] ?? "user"));
        const plan = await accounts.addUser(name, String(flags["plan"] ?? "free"), role);
        io.stderr(`Added the user ${name} with plan ${plan}.\n`);
      },
      { creates: true },
    ),
};

export const userPlan: Command = {
  name: "user plan",
  operands: "NAME PLAN",
  summary: "Change a user's plan, from the next call on",
  settings: ["data", "cluster"],
  run: ({ io, config, operands: [name = "", written = ""] }) =>
    withAccounts({ io, config }, async (accounts) => {
      const { plan, excess } = await accounts.setPlan(name, written);
      io.stderr(`${name} has plan ${plan} now.\n`);
      if (excess > 0) {
        io.stderr(
          `${name} holds ${formatCount(excess, "live token")} more than plan ${plan} allows; they stay valid until revoked.\n`,
        );
      }
    }),
};

export const userList: Command = {
  name: "user list",
  summary: "List users with their roles, plans and calls",
  flags: { json: JSON_FLAG },
  settings: ["data", "cluster"],
  run: ({ io, config, flags }) =>
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
      io.stdout(
        flags["json"]
          ? `${JSON.stringify(users)}\n`
          : formatTable(
              ["USER", "ROLE", "PLAN", "LIVE TOKENS", "TODAY", "THIS HOUR", "CREATED"],
              users.map((user) => Object.values(user)),
            ),
      );
    }),
};

export const userRemove: Command = {
  name: "user remove",
  operands: "NAME",
  summary: "Remove a user with all tokens and counters",
  flags: { yes: { description: "remove the last admin too" } },
  settings: ["data", "cluster"],
  run: ({ io, config, operands: [name = ""], flags }) =>
    withAccounts({ io, config }, async (accounts) => {
      if (flags["yes"] !== true && (await accounts.isOnlyAdmin(name))) {
        throw new BourseError(
          "invalid_argument",
          `${name} is the only admin, and a removal cannot be undone. Make another user an admin first (\`user role NAME admin\`), or give --yes.`,
        );
      }
      // In slices, so that a service that runs can count calls in between.
      await accounts.removeUserInSlices(name);
      io.stderr(`Removed the user ${name} and all tokens.\n`);
    }),
};
