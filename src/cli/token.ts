import { BourseError } from "#domain/errors.ts";
import { formatMoment, formatTable } from "#lib/table.ts";
import { type Command, JSON_FLAG } from "./command.ts";
import { withAccounts } from "./stores.ts";

const UNIT_MS = { h: 3_600_000, d: 86_400_000, w: 604_800_000 } as const;

export const tokenCreate: Command = {
  name: "token create",
  operands: "USER",
  summary: "Make a token and print it, this once",
  flags: {
    name: { value: "LABEL", description: "what it is for, shown in lists" },
    expires: { value: "TIME", description: "12h, 90d or 8w from now (never)" },
  },
  settings: ["data"],
  run: ({ io, config, operands: [user = ""], flags }) =>
    withAccounts({ io, config }, (accounts) => {
      const lifetime = parseLifetime(flags["expires"]);
      const { token, id } = accounts.createToken(user, String(flags["name"] ?? ""), lifetime);
      io.stdout(`${token}\n`);
      io.stderr(`Token ${id} of ${user}. It is not shown again: keep it now.\n`);
    }),
};

export const tokenList: Command = {
  name: "token list",
  operands: "[USER]",
  summary: "List tokens, never their secrets",
  flags: { json: JSON_FLAG },
  settings: ["data"],
  run: ({ io, config, operands: [user = null], flags }) =>
    withAccounts({ io, config }, (accounts) => {
      const tokens = accounts.listTokens(user).map((token) => ({
        id: token.id,
        user: token.user,
        prefix: token.prefix,
        label: token.label,
        created: formatMoment(token.createdAt),
        expires: formatMoment(token.expiresAt),
        lastUsed: formatMoment(token.lastUsedAt),
        revoked: formatMoment(token.revokedAt),
      }));
      io.stdout(
        flags["json"]
          ? `${JSON.stringify(tokens)}\n`
          : formatTable(
              ["ID", "USER", "PREFIX", "LABEL", "CREATED", "EXPIRES", "LAST USED", "REVOKED"],
              tokens.map((token) => Object.values(token)),
            ),
      );
    }),
};

export const tokenRevoke: Command = {
  name: "token revoke",
  operands: "ID",
  summary: "End a token, from the next call on",
  settings: ["data"],
  run: ({ io, config, operands: [id = ""] }) =>
    withAccounts({ io, config }, (accounts) => {
      if (!/^\d{1,15}$/.test(id)) {
        throw new BourseError(
          "invalid_argument",
          `ID must be a token's number as \`token list\` shows it, not ${id}.`,
        );
      }
      accounts.revokeToken(Number(id));
      io.stderr(`Revoked token ${id}.\n`);
    }),
};

function parseLifetime(text: string | boolean | undefined): number | null {
  if (typeof text !== "string") return null;
  const [, count, unit] = /^([1-9]\d{0,4})([hdw])$/.exec(text) ?? [];
  if (count === undefined || unit === undefined) {
    throw new BourseError(
      "invalid_argument",
      `--expires must be a time such as 12h, 90d or 8w, not ${text}.`,
    );
  }
  return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
}
