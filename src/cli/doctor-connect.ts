import { existsSync } from "node:fs";
import { join } from "node:path";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { TOKEN_VARIABLE } from "#config.ts";
import { invalidArgument, unavailable } from "#domain/errors.ts";
import type { ConnectionInfo, Finding } from "#http/service-reports.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { formatCount, formatTable } from "#lib/table.ts";
import { checkConnection } from "#service/connection-check.ts";
import { createConnectionNetwork } from "#service/connection-network.ts";
import type { WithToken } from "#service/connection-paths.ts";
import { tokenOf } from "#service/connection-report.ts";
import { listServers, type RunningServer } from "#service/servers.ts";
import type { Command, Invocation } from "./command.ts";
import { getFirstUser } from "./console.ts";
import { openLocalSession } from "./local-session.ts";
import { createProgressLine } from "./progress.ts";
import { withAccess } from "./stores.ts";

const WAIT_SECONDS = 30;
const MAX_WAIT_SECONDS = 600;
const LOOK_EVERY_MS = 1_000;

export const doctorConnect: Command = {
  name: "doctor connect",
  operands: "[URL]",
  summary:
    "Check from outside in how claude.ai, ChatGPT and other clients reach the service, then show their requests as they arrive",
  examples: ["", "https://data.example.com", "--wait 120"],
  flags: {
    wait: {
      value: "SECONDS",
      description: `how long to show requests; ${WAIT_SECONDS} by default on a terminal, else 0`,
    },
  },
  settings: ["data", "cluster", "public-url"],
  async report(invocation) {
    const { io, config, operands, flags } = invocation;
    const [server = null] = listServers(config.dataFolder);
    const own = config.publicUrl ?? server?.publicUrl ?? null;
    const address = operands[0] ?? own;
    if (address === null)
      throw invalidArgument(
        `Name the address of the service, or set BOURSE_PUBLIC_URL: \`${PROGRAM} doctor connect https://data.example.com\`.`,
      );
    const seconds = readSeconds(flags["wait"], io.isOutputTerminal === true);
    const isOwn = isSameOrigin(address, own) || isSameOrigin(address, server?.url ?? null);
    const findings: Finding[] = [];
    const line = createProgressLine(io);
    await checkConnection({
      address,
      network: createConnectionNetwork(),
      clock: io.clock,
      withToken: isOwn ? ownToken(invocation) : otherToken(invocation),
      found(finding) {
        findings.push(finding);
        line.show(`Checked: ${finding.check}…`);
      },
    });
    line.end();
    const text = formatTable(
      ["CHECK", "RESULT", "FINDING"],
      findings.map(({ check, level, text }) => [check, level, text]),
    );
    const isJson = flags["json"] === true;
    if (!isJson) io.stdout(text);
    if (seconds > 0 && server && isOwn) {
      const client = await showRequests(invocation, server, { seconds, isJson });
      if (client) findings.push(client);
    } else if (seconds > 0)
      io.stderr("Requests are shown on the machine of the service, with its data folder.\n");
    const names = findings.flatMap(({ check, level }) => (level === "failed" ? [check] : []));
    const failure = names.length > 0 ? unavailable(`Checks failed: ${names.join(", ")}.`) : null;
    return { json: findings, failure };
  },
};

function readSeconds(written: unknown, isTerminal: boolean): number {
  if (typeof written !== "string") return isTerminal ? WAIT_SECONDS : 0;
  const seconds = /^\d{1,3}$/.test(written) ? Number(written) : Number.NaN;
  if (seconds <= MAX_WAIT_SECONDS) return seconds;
  throw invalidArgument(
    `--wait must be a whole number of seconds from 0 to ${MAX_WAIT_SECONDS}, not ${written}.`,
  );
}

const isSameOrigin = (address: string, other: string | null) =>
  other !== null && URL.parse(address)?.origin === URL.parse(other)?.origin;

/** The token of the environment. Another service gets no token of this data folder. */
function otherToken({ io }: Invocation): WithToken {
  const token = io.env[TOKEN_VARIABLE]?.trim();
  return (use) =>
    use(token ? { token } : { reason: `Set ${TOKEN_VARIABLE} to a token of that service.` });
}

/** The token of the environment, else one of the first user for this check. */
function ownToken(invocation: Invocation): WithToken {
  const { io, config } = invocation;
  const hasUsers = config.cluster !== null || existsSync(join(config.dataFolder, "access.db"));
  if (io.env[TOKEN_VARIABLE] || !hasUsers) return otherToken(invocation);
  return (use) =>
    withAccess(invocation, async (access) => {
      const { plans } = config;
      const accounts = new Accounts({ access, plans, clock: io.clock, actor: COMMAND_LINE });
      return tokenOf(accounts, (await getFirstUser(access)).name)(use);
    });
}

/** Shows the requests of clients as they arrive, and returns how far a client came; null if that is open. */
async function showRequests(
  invocation: Invocation,
  server: RunningServer,
  { seconds, isJson }: { readonly seconds: number; readonly isJson: boolean },
): Promise<Finding | null> {
  const { io } = invocation;
  const { sleep = Bun.sleep } = io;
  const session = await openLocalSession(invocation, server);
  if (typeof session === "string") {
    io.stderr(`The requests cannot be shown: ${session}\n`);
    return null;
  }
  try {
    // A new start forgets the requests of earlier checks.
    let info = await session.send<ConnectionInfo>("POST", "connection");
    if (!isJson)
      io.stderr(
        `Connect the client now. Its requests are shown for ${formatCount(seconds, "second")}.\n`,
      );
    let shown = 0;
    for (let waited = 0; waited <= seconds; waited++) {
      for (const one of info.requests.filter(({ id }) => id > shown)) {
        shown = one.id;
        const { at, method, path, status, operation, agent } = one;
        const time = new Date(at).toISOString().slice(11, 19);
        const facts = [time, method, path, operation, status, agent].filter(Boolean).join(" ");
        if (!isJson) io.stdout(`${facts}\n`);
      }
      if (info.client?.level === "ok") break;
      await sleep(LOOK_EVERY_MS);
      info = await session.send("GET", "connection");
    }
    if (info.client && !isJson) io.stdout(`${info.client.text}\n`);
    return info.client;
  } finally {
    await session.end();
  }
}
