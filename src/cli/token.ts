import { RIGHT_NAMES, RIGHTS, scopeOf } from "#domain/rights.ts";
import { parseExpiry } from "#access/token-expiry.ts";
import { invalidArgument } from "#domain/errors.ts";
import { formatCsv } from "#lib/csv.ts";
import type { Config } from "#config.ts";
import { findPeoplesUrl, urlOf } from "#service/banner.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { listServers } from "#service/servers.ts";
import { formatCount, formatMoment, formatTable, tableOf } from "#lib/table.ts";
import { rowsOf } from "./bulk.ts";
import type { Command } from "./command.ts";
import { withAccounts } from "./stores.ts";

export const tokenCreate: Command = {
  name: "token create",
  operands: "[USER]",
  summary:
    "Create a token or a feed link and print it, only once, or one for each row of a CSV file",
  flags: {
    name: { value: "LABEL", description: "what it is for, shown in lists" },
    expires: {
      value: "TIME",
      description:
        "12h, 90d, 8w, 3m (months) or 1y from now, or the last day in UTC (default: never)",
    },
    feed: {
      description:
        "create a feed link: a token for URLs below /feed/, for spreadsheets and other programs",
    },
    [RIGHTS["lists:write"].flag]: {
      description: "the token may also save and delete lists of its user",
    },
    [RIGHTS["alerts:write"].flag]: {
      description: "the token may also save and delete alerts of its user",
    },
    lists: {
      value: "NAMES",
      description:
        "with --feed, the lists that the link may read, separated by commas (default: none); alerts:read for the messages of alerts",
    },
    "as-of": {
      value: "DATE",
      description:
        "a day until today, YYYY-MM-DD: calls with the token have only what was known then, and later dates are refused",
    },
    from: {
      value: "FILE",
      description:
        "a CSV file with the columns user, name and expires; all tokens are created and printed as CSV, or none",
    },
  },
  examples: [
    "anna --name laptop --expires 90d",
    "anna --as-of 2023-03-31",
    "--from tokens.csv --json",
  ],
  settings: ["data", "cluster", "host", "port", "socket", "public-url"],
  report({ io, config, operands, flags }) {
    const rows = rowsOf(tokenCreate, { operands, flags }, ["user", "name", "expires"]);
    const now = io.clock();
    return withAccounts({ io, config }, async (accounts) => {
      const created = await accounts.changeAll(rows, function* ({ cells }) {
        const name = cells.name || String(flags["name"] ?? "");
        const written = cells.expires || flags["expires"];
        const expiresAt =
          written === undefined ? null : parseExpiry(String(written), now, "--expires");
        const lifetimeMs = expiresAt === null ? null : expiresAt - now;
        const kind = flags["feed"] ? "feed" : "api";
        const rights = RIGHT_NAMES.filter((right) => flags[RIGHTS[right].flag]);
        const { token, id, label } = yield* accounts.tokenCreation(
          cells.user,
          name,
          lifetimeMs,
          kind,
          rights,
          readLists(flags["lists"]),
          flags["as-of"] === undefined ? null : String(flags["as-of"]),
        );
        return { id, user: cells.user, name: label, expires: formatMoment(expiresAt), token };
      });
      const [first] = created;
      const isOne = flags["from"] === undefined && first !== undefined;
      const what = isOne
        ? `${flags["feed"] ? "Feed link" : "Token"} ${first.id} of ${first.user}${first.name && ` (${first.name})`}.`
        : "";
      const day = flags["as-of"] === undefined ? "" : ` It is in ${String(flags["as-of"])}.`;
      const end = isOne && first.expires ? ` It expires at ${first.expires}.` : "";
      return isOne
        ? {
            json: first,
            text: `${first.token}\n`,
            note: `${what}${day}${end} Save it now: it is not shown again.\n${flags["feed"] ? whereToUse(config) : ""}`,
          }
        : {
            json: created,
            text: formatCsv(tableOf(["id", "user", "name", "expires", "token"], created)),
            note: `Created ${formatCount(created.length, "token")}. Save them now: they are not shown again.\n`,
          };
    });
  },
};

/** The names of lists that a flag has; undefined without it. */
function readLists(written: string | boolean | undefined): readonly string[] | undefined {
  return written === undefined ? undefined : String(written).split(",");
}

/** Where a new feed link belongs, without its secret, which is on stdout only. */
function whereToUse(config: Config): string {
  const [server] = listServers(config.dataFolder);
  const own = server?.url ?? urlOf(config, config.port);
  const url = findPeoplesUrl(own, server?.publicUrl ?? config.publicUrl) ?? "";
  return `It belongs in URLs in place of LINK, such as ${url}/feed/LINK/sheets/quotes.csv?symbols=AAPL,7203.T; \`${PROGRAM} help feeds\` has the others.\n`;
}

export const tokenList: Command = {
  name: "token list",
  operands: "[USER]",
  summary: "List tokens and their calls, never their secrets",
  examples: ["", "anna"],
  settings: ["data", "cluster"],
  report: ({ io, config, operands: [user = null] }) =>
    withAccounts({ io, config }, async (accounts) => {
      const tokens = (await accounts.listTokens(user)).map((token) => ({
        id: token.id,
        user: token.user,
        prefix: token.prefix,
        kind: token.kind,
        label: token.label,
        rights: scopeOf(token.rights),
        lists: token.lists === null ? "*" : token.lists.join(" "),
        callsToday: token.callsToday,
        callsThisHour: token.callsThisHour,
        created: formatMoment(token.createdAt),
        expires: formatMoment(token.expiresAt),
        lastUsed: formatMoment(token.lastUsedAt),
        revoked: formatMoment(token.revokedAt),
        asOf: token.asOf,
      }));
      const headings =
        "ID,USER,PREFIX,KIND,LABEL,RIGHTS,LISTS,TODAY,THIS HOUR,CREATED,EXPIRES,LAST USED,REVOKED,AS OF".split(
          ",",
        );
      const text = formatTable(
        headings,
        tokens.map((token) => Object.values(token)),
      );
      return { json: tokens, text };
    }),
};

export const tokenRename: Command = {
  name: "token rename",
  operands: "ID LABEL",
  summary: "Change the label of a token",
  examples: ["3 laptop"],
  settings: ["data", "cluster"],
  report: ({ io, config, operands: [id = "", label = ""] }) =>
    withAccounts({ io, config }, async (accounts) => {
      await accounts.renameToken(readId(id), label);
      return { json: { id: Number(id), label }, note: `Token ${id} is now named ${label}.\n` };
    }),
};

export const tokenReplace: Command = {
  name: "token replace",
  operands: "ID",
  summary: "Print a new secret in place of a token, only once, and end the old one",
  flags: {
    keep: {
      value: "TIME",
      description:
        "how long the old one goes on working, such as 1h, 24h or 7d (default: not at all)",
    },
  },
  examples: ["3 --keep 24h"],
  settings: ["data", "cluster"],
  report: ({ io, config, operands: [id = ""], flags }) =>
    withAccounts({ io, config }, async (accounts) => {
      const now = io.clock();
      const keep = flags["keep"];
      const keepMs = keep === undefined ? 0 : parseExpiry(String(keep), now, "--keep") - now;
      const { id: newId, token } = await accounts.replaceToken(readId(id), keepMs);
      const end =
        keepMs === 0 ? "has ended" : `ends at ${formatMoment(now + keepMs)} at the latest`;
      return {
        json: { id: newId, token, replaced: Number(id) },
        text: `${token}\n`,
        note: `Token ${newId} replaces token ${id}, which ${end}. Save it now: it is not shown again.\n`,
      };
    }),
};

export const tokenRevoke: Command = {
  name: "token revoke",
  operands: "ID",
  summary: "Revoke a token, from the next call on",
  examples: ["3"],
  settings: ["data", "cluster"],
  report: ({ io, config, operands: [id = ""] }) =>
    withAccounts({ io, config }, async (accounts) => {
      await accounts.revokeToken(readId(id));
      return { json: { id: Number(id) }, note: `Revoked token ${id}.\n` };
    }),
};

/** The number of a token from the command line. */
function readId(id: string): number {
  if (/^\d{1,15}$/.test(id)) return Number(id);
  throw invalidArgument(`ID must be a token's number as \`token list\` shows it, not ${id}.`);
}
