import { resolve } from "node:path";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import type { Config } from "#config.ts";
import { COUNTRY_CODES } from "#domain/country.ts";
import { DAY_MS } from "#lib/date.ts";
import type { Log } from "#lib/log.ts";
import type { AccessStore } from "#store/index.ts";
import { replaceFile } from "#store/files.ts";
import { findFirstUser } from "#store/users.ts";
import { findPeoplesUrl, formatBanner, type Start, urlOf } from "./banner.ts";
import { VERSION } from "#domain/program.ts";
import type { ServiceStores } from "./stores.ts";
import type { World } from "./world.ts";

const OWNER = "owner";
/** How long the first token is valid if it is not printed on a terminal. */
const LOGGED_TOKEN_MS = DAY_MS;

/**
 * Prints where the service listens, and writes it to the log. A sign-in link is printed on a terminal only,
 * because a log would keep it.
 *
 * @param opens true if the first start of a desktop opens the console in the browser
 */
export async function announce(
  { access, market, clock }: ServiceStores,
  { world, config, log }: { world: World; config: Config } & { readonly log: Log },
  { opens, ...start }: Start & { readonly opens: boolean },
): Promise<void> {
  const url = urlOf(config, start.port);
  const base = findPeoplesUrl(url, config.publicUrl);
  const hasLink = world.isTerminal === true && base !== null;
  if (hasLink) {
    const user = start.user.name;
    const link = await createLink(access, { clock, user, base });
    world.stderr(`Open the console as ${user} (once, within 15 minutes):\n  ${link}\n\n`);
    if (opens && start.isNew && world.openFile) openConsole(world.openFile, config, link);
  }
  world.stdout(formatBanner(start, hasLink));
  log.info("started", {
    version: VERSION,
    market: config.market,
    address: url,
    folder: resolve(config.dataFolder),
    countries: COUNTRY_CODES.filter((one) => market.instruments.hasListing(one)).join(","),
  });
}

/**
 * Opens a page that leads to the link. The link itself would be among the arguments of the browser, which every
 * user of the machine can read.
 */
function openConsole(openFile: (path: string) => void, config: Config, link: string): void {
  const path = resolve(config.dataFolder, "console.html");
  // A file or link that is there already could belong to another user, or have another mode.
  replaceFile(path, `<meta http-equiv="refresh" content="0;url=${Bun.escapeHTML(link)}">`);
  openFile(path);
}

/** The user of the first start. A folder without users gets the owner now, with a token. */
export async function getOwner(
  access: AccessStore,
  { world, config, clock }: { world: World; config: Config } & { clock: () => number },
): Promise<Pick<Start, "user" | "token" | "tokenEndsAt">> {
  const first = await access.run(findFirstUser());
  if (first) return { user: first, token: null, tokenEndsAt: null };
  const accounts = new Accounts({ access, plans: config.plans, clock, actor: COMMAND_LINE });
  // A file of a log is kept and read by others.
  const lifetimeMs = world.isOutputTerminal ? null : LOGGED_TOKEN_MS;
  let isOwn = false;
  try {
    const user = { name: OWNER, plan: await accounts.addUser(OWNER, "unlimited") };
    isOwn = true;
    const { token } = await accounts.createToken(OWNER, "first start", lifetimeMs);
    const tokenEndsAt = lifetimeMs === null ? null : clock() + lifetimeMs;
    return { user, token, tokenEndsAt };
  } catch (error) {
    // A service that was started at the same time has created the owner and shows the token.
    const other = isOwn ? null : await access.run(findFirstUser());
    if (other) return { user: other, token: null, tokenEndsAt: null };
    throw access.toUserError(error);
  }
}

/** A new sign-in link. @param link `base`: the address of the service for people */
export async function createLink(
  access: AccessStore,
  { clock, user, base }: { clock: () => number; user: string; base: string },
): Promise<string> {
  const { SignIn } = await import("#access/sign-in.ts");
  const { key } = await new SignIn(access, clock).createKey(user, COMMAND_LINE);
  return `${base}/console#key=${key}`;
}
