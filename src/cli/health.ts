import { unavailable } from "#domain/errors.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { fetchFrom } from "#lib/unix-socket.ts";
import { urlOf } from "#service/banner.ts";
import type { Command } from "./command.ts";

const TIMEOUT_MS = 5_000;

/** The command that asks the service for its health, for supervisors of containers, which have no other program. */
export const health: Command = {
  name: "health",
  summary: "Ask the service on this machine if it runs; the exit code is 1 if it does not answer",
  examples: ["", "--ready"],
  flags: { ready: { description: "ask if it can do its work" } },
  settings: ["data", "host", "port", "socket"],
  async report({ config, flags }) {
    const address = urlOf(config, config.port);
    const path = flags["ready"] ? "/health/ready" : "/health";
    const url = address + path;
    const signal = AbortSignal.timeout(TIMEOUT_MS);
    const answer = await fetchFrom(address, path, { signal }).catch(() => null);
    if (answer === null)
      throw unavailable(`No service answers at ${url}.`, {
        hint: `Start one with \`${PROGRAM} serve\`, or set BOURSE_HOST and BOURSE_PORT, or BOURSE_SOCKET, to its address.`,
      });
    const text = await answer.text();
    const failure = answer.ok ? null : unavailable(`${url} answers with status ${answer.status}.`);
    return { json: { url, status: answer.status }, text: `${text}\n`, failure };
  },
};
