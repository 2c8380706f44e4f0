import { Accounts } from "#access/accounts.ts";
import type { Config } from "#config.ts";
import { BourseError } from "#domain/errors.ts";
import type { ConnectionReports, Finding } from "#http/service-reports.ts";
import { reasonOf } from "#lib/reason.ts";
import type { Log } from "#lib/log.ts";
import type { AccessStore } from "#store/index.ts";
import { checkConnection } from "./connection-check.ts";
import { type ConnectionNetwork, createConnectionNetwork } from "./connection-network.ts";
import type { WithToken } from "./connection-paths.ts";
import type { ConnectionWatch } from "./connection-watch.ts";
import { failed, warning } from "./finding.ts";

/** The label of the token of a handshake. */
const LABEL = "connection check";
/** How long the token lives if it cannot be revoked. */
const TOKEN_MS = 60_000;

/** A token of a user for one check, which is revoked afterwards. */
export function tokenOf(accounts: Accounts, user: string): WithToken {
  return async (use) => {
    let made;
    try {
      made = await accounts.createToken(user, LABEL, TOKEN_MS);
    } catch (error) {
      if (!(error instanceof BourseError)) throw error;
      return use({ reason: error.message });
    }
    try {
      return await use({ token: made.token });
    } finally {
      await accounts.revokeToken(made.id);
    }
  };
}

/** What the reports on the connection read. */
export interface ConnectionReportParts {
  readonly config: Pick<Config, "publicUrl" | "plans">;
  readonly access: AccessStore;
  readonly watch: ConnectionWatch;
  /** UTC milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
  /** The real network if left out. */
  readonly connectionNetwork?: ConnectionNetwork | undefined;
}

/** Creates the check of the public address for the console. One check runs at a time. */
export function createConnectionReports(parts: ConnectionReportParts): ConnectionReports {
  const { access, watch, clock, log, connectionNetwork: network } = parts;
  const { publicUrl, plans } = parts.config;
  let findings: Finding[] = [];
  let isRunning = false;
  const run = async (address: string, user: string) => {
    try {
      const actor = { name: user, address: null };
      const accounts = new Accounts({ access, plans, clock, actor });
      await checkConnection({
        address,
        network: network ?? createConnectionNetwork(),
        clock,
        withToken: tokenOf(accounts, user),
        found: (finding) => findings.push(finding),
      });
    } catch (error) {
      log.error("the connection could not be checked", { error: reasonOf(error) });
      findings.push(failed("check", "The check ended with an internal error; the log names it."));
    }
  };
  return {
    start(user) {
      if (isRunning) return;
      findings = [];
      watch.start();
      if (publicUrl === null) {
        findings.push(
          warning(
            "address",
            "BOURSE_PUBLIC_URL is not set, so only programs on this machine and in your network can connect, with a token. Set it to the https address of the service, and restart.",
          ),
        );
        return;
      }
      isRunning = true;
      void run(publicUrl, user).finally(() => (isRunning = false));
    },
    read: () => ({ url: publicUrl, findings: [...findings], isRunning, ...watch.look() }),
  };
}
