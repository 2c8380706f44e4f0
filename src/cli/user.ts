import { PLAN_NAMES } from "#access/plans.ts";
import { formatMoment, formatTable } from "#lib/table.ts";
import { type Command, JSON_FLAG } from "./command.ts";
import { withAccounts } from "./stores.ts";

export const userAdd: Command = {
  name: "user add",
  operands: "NAME",
  summary: "Make a user",
  flags: { plan: { value: "PLAN", description: `${PLAN_NAMES.join(", ")} (free)` } },
  settings: ["data"],
  run: ({ io, config, operands, flags }) =>
    withAccounts(
      { io, config },
      (accounts) => {
        const [name = ""] = operands;
        const plan = String(flags["plan"] ?? "free");
        accounts.addUser(name, plan);
        io.stderr(`Made the user ${name}, plan ${plan}.\n`);
      },
      { makes: true },
    ),
};

export const userPlan: Command = {
  name: "user plan",
  operands: "NAME PLAN",
  summary: "Change a user's plan, from the next call on",
  settings: ["data"],
  run: ({ io, config, operands }) =>
    withAccounts({ io, config }, (accounts) => {
      const [name = "", plan = ""] = operands;
      const excess = accounts.setPlan(name, plan);
      io.stderr(`${name} has plan ${plan} now.\n`);
      if (excess > 0) {
        io.stderr(
          `${name} holds ${excess} more live tokens than plan ${plan} allows; they stay until revoked.\n`,
        );
      }
    }),
};

export const userList: Command = {
  name: "user list",
  summary: "List users with their plans",
  flags: { json: JSON_FLAG },
  settings: ["data"],
  run: ({ io, config, flags }) =>
    withAccounts({ io, config }, (accounts) => {
      const users = accounts.listUsers().map(({ name, plan, liveTokens, createdAt }) => ({
        name,
        plan,
        liveTokens,
        created: formatMoment(createdAt),
      }));
      io.stdout(
        flags["json"]
          ? `${JSON.stringify(users)}\n`
          : formatTable(
              ["USER", "PLAN", "LIVE TOKENS", "CREATED"],
              users.map((user) => Object.values(user)),
            ),
      );
    }),
};

export const userRemove: Command = {
  name: "user remove",
  operands: "NAME",
  summary: "Remove a user with all tokens and counters",
  settings: ["data"],
  run: ({ io, config, operands }) =>
    withAccounts({ io, config }, (accounts) => {
      const [name = ""] = operands;
      accounts.removeUser(name);
      io.stderr(`Removed the user ${name} and all tokens.\n`);
    }),
};
