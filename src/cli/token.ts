import { parseExpiry } from "#access/token-expiry.ts";
import { BourseError } from "#domain/errors.ts";
import { formatMoment, formatTable } from "#lib/table.ts";
import { type Command, JSON_FLAG } from "./command.ts";
import { withAccounts } from "./stores.ts";

export const tokenCreate: Command = {
  name: "token create",
  operands: "USER",
  summary: "Create a token and print it, only once",
  flags: {
    name: { value: "LABEL", description: "what it is for, shown in lists" },
    expires: {
      value: "TIME",
      description:
        "12h, 90d, 8w, 3m (months) or 1y from now, or the last day in UTC (default: never)",
    },
  },
  settings: ["data", "cluster"],
  run: ({ io, config, operands: [user = ""], flags }) =>
    withAccounts({ io, config }, async (accounts) => {
      const now = io.clock();
      const written = flags["expires"];
      const expiresAt =
        written === undefined ? null : parseExpiry(String(written), now, "--expires");
      const lifetimeMs = expiresAt === null ? null : expiresAt - now;
      const label = String(flags["name"] ?? "");
      const { token, id } = await accounts.createToken(user, label, lifetimeMs);
      io.stdout(`${token}\n`);
      const end = expiresAt === null ? "" : ` It expires at ${formatMoment(expiresAt)}.`;
      io.stderr(`Token ${id} of ${user}.${end} Save it now: it is not shown again.\n`);
    }),
};

export const tokenList: Command = {
  name: "token list",
  operands: "[USER]",
  summary: "List tokens and their calls, never their secrets",
  flags: { json: JSON_FLAG },
  settings: ["data", "cluster"],
  run: ({ io, config, operands: [user = null], flags }) =>
    withAccounts({ io, config }, async (accounts) => {
      const tokens = (await accounts.listTokens(user)).map((token) => ({
        id: token.id,
        user: token.user,
        prefix: token.prefix,
        label: token.label,
        callsToday: token.callsToday,
        callsThisHour: token.callsThisHour,
        created: formatMoment(token.createdAt),
        expires: formatMoment(token.expiresAt),
        lastUsed: formatMoment(token.lastUsedAt),
        revoked: formatMoment(token.revokedAt),
      }));
      io.stdout(
        flags["json"]
          ? `${JSON.stringify(tokens)}\n`
          : formatTable(
              [
                "ID",
                "USER",
                "PREFIX",
                "LABEL",
                "TODAY",
                "THIS HOUR",
                "CREATED",
                "EXPIRES",
                "LAST USED",
                "REVOKED",
              ],
              tokens.map((token) => Object.values(token)),
            ),
      );
    }),
};

export const tokenRevoke: Command = {
  name: "token revoke",
  operands: "ID",
  summary: "Revoke a token, from the next call on",
  settings: ["data", "cluster"],
  run: ({ io, config, operands: [id = ""] }) =>
    withAccounts({ io, config }, async (accounts) => {
      if (!/^\d{1,15}$/.test(id)) {
        throw new BourseError(
          "invalid_argument",
          `ID must be a token's number as \`token list\` shows it, not ${id}.`,
        );
      }
      await accounts.revokeToken(Number(id));
      io.stderr(`Revoked token ${id}.\n`);
    }),
};
