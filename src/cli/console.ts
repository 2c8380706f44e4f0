import { parseRole, ROLES } from "#access/roles.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { SignIn } from "#access/sign-in.ts";
import { type BourseError, invalidArgument, notFound, unavailable } from "#domain/errors.ts";
import type { AccessStore } from "#store/index.ts";
import { findFirstUser, findUser, type StoredUser } from "#store/users.ts";
import { createLink } from "#service/announce.ts";
import { findPeoplesUrl, urlOf } from "#service/banner.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { listServers } from "#service/servers.ts";
import type { Command, Invocation } from "./command.ts";
import { readFirstLine, readSecrets } from "./secret-prompt.ts";
import { withAccess, withAccounts } from "./stores.ts";

export const consoleLink: Command = {
  name: "console",
  operands: "[USER]",
  summary: "Print a link that signs in to the console once, within 15 minutes",
  examples: ["", "anna --json"],
  settings: ["data", "cluster", "host", "port", "socket", "public-url"],
  report: ({ io, config, operands: [name = null] }) =>
    withAccess({ io, config }, async (access) => {
      const [server] = listServers(config.dataFolder);
      const user = name ?? (await getFirstUser(access)).name;
      await refuseUnknownUser(access, user);
      const url = server?.url ?? urlOf(config, config.port);
      const base = findPeoplesUrl(url, config.publicUrl ?? server?.publicUrl ?? null);
      if (base === null) throw withoutAddress(url);
      const link = await createLink(access, { clock: io.clock, user, base });
      const missing = "No service runs on this data folder; start one with `serve`.\n";
      return {
        json: { user, link, isServed: server !== undefined },
        text: `${link}\n`,
        note: `The link signs in ${user} once, within 15 minutes.\n${server ? "" : missing}`,
      };
    }),
};

export const userPassword: Command = {
  name: "user password",
  operands: "USER",
  summary: "Set a password for the console, from stdin or typed; the user's sessions end",
  examples: ["anna"],
  settings: ["data", "cluster"],
  report: (invocation) =>
    withAccess(invocation, async (access) => {
      const [name = ""] = invocation.operands;
      // Before the password is typed.
      await refuseUnknownUser(access, name);
      const password = await readPassword(invocation, name);
      await new SignIn(access, invocation.io.clock).setPassword(name, password, COMMAND_LINE);
      const note = `${name} has a new password. All sessions of ${name} have ended.\n`;
      return { json: { name }, note };
    }),
};

export const userRole: Command = {
  name: "user role",
  operands: "USER ROLE",
  summary: "Change what a user may do in the console: admin (everything) or user",
  values: { ROLE: ROLES },
  examples: ["anna admin"],
  settings: ["data", "cluster"],
  report: ({ io, config, operands: [name = "", written = ""] }) =>
    withAccounts({ io, config }, async (accounts) => {
      const role = parseRole(written);
      await accounts.setRole(name, role);
      return { json: { name, role }, note: `${name} has role ${role} now.\n` };
    }),
};

function withoutAddress(url: string): BourseError {
  return unavailable(
    `The service listens on ${url}, and only its proxy has an address for people. Set BOURSE_PUBLIC_URL to that address.`,
  );
}

/** The oldest admin, without admins the oldest user. @throws BourseError `not_found` without users */
export async function getFirstUser(access: AccessStore): Promise<StoredUser> {
  const user = await access.run(findFirstUser());
  if (user) return user;
  throw notFound("There is no user yet; `user add NAME` adds one.");
}

async function refuseUnknownUser(access: AccessStore, name: string): Promise<void> {
  if (await access.run(findUser(name))) return;
  throw notFound(`There is no user ${name}; \`user list\` shows all.`);
}

/** The password that is typed twice on a terminal, else the first line of stdin. */
async function readPassword({ io }: Invocation, name: string): Promise<string> {
  const terminal = io.openTerminal?.();
  if (!terminal) return (await readFirstLine(io.stdin?.())) || refuseEmpty(name);
  const prompts = [`New password of ${name} (not shown): `, "The same again: "];
  const [first = "", second] = await readSecrets(prompts, terminal, io.stderr);
  if (first === second) return first;
  throw invalidArgument("The two passwords differ; nothing was changed.");
}

function refuseEmpty(name: string): never {
  throw invalidArgument(
    `Write the password to stdin: \`${PROGRAM} user password ${name} < FILE\`.`,
  );
}
