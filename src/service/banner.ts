import { resolve } from "node:path";
import type { Config } from "#config.ts";
import { formatMoment } from "#lib/table.ts";
import { isSocketAddress, socketAddress } from "#lib/unix-socket.ts";
import { hideSecrets } from "#lib/secrets.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { VERSION } from "#domain/program.ts";

/** The data that the start-up banner shows. */
export interface Start {
  readonly config: Config;
  /** The port that the service listens on. */
  readonly port: number;
  /** True if this start created the data folder's files. */
  readonly isNew: boolean;
  readonly user: { readonly name: string; readonly plan: string };
  /** The user's new token; null on a later start. */
  readonly token: string | null;
  /** When that token ends, UTC milliseconds; null if never. */
  readonly tokenEndsAt: number | null;
}

/** The address for clients on this machine: `http://127.0.0.1:8787`, or `unix:` and the path of the socket. */
export function urlOf({ host, socket }: Config, port: number): string {
  if (socket !== null) return socketAddress(socket.path);
  const reachable = isEveryAddress(host) ? "127.0.0.1" : host;
  return `http://${reachable.includes(":") ? `[${reachable}]` : reachable}:${port}`;
}

/** The address of a service for people; null if only the unknown proxy of its socket has one. */
export function findPeoplesUrl(url: string, publicUrl: string | null): string | null {
  return publicUrl ?? (isSocketAddress(url) ? null : url);
}

/**
 * The text that a start prints: the token of a first start, the address, the data folder and the market.
 *
 * @param hasLink true if a sign-in link is printed before it
 */
export function formatBanner(start: Start, hasLink: boolean): string {
  const { config, port, isNew, token } = start;
  const url = urlOf(config, port);
  const base = findPeoplesUrl(url, config.publicUrl);
  const everywhere =
    config.socket === null && isEveryAddress(config.host)
      ? " and on every other address of this machine"
      : "";
  const lines = [
    ...(token === null ? [] : firstLines(start, token)),
    `bourse ${VERSION} listens on ${url}${everywhere}`,
    `Data folder: ${resolve(config.dataFolder)}${isNew ? " (created now)" : ""}`,
    ...(config.cluster === null ? [] : [`Cluster: ${hideSecrets(config.cluster)}`]),
    ...marketLines(config),
    ...(hasLink ? [] : [consoleLine(config, base)]),
  ];
  return `${lines.join("\n")}\n`;
}

function consoleLine(config: Config, base: string | null): string {
  const link = `\`${commandOn(config, "console")}\` prints a sign-in link.`;
  return base === null
    ? `Console: only a proxy reaches a socket. Start again with BOURSE_PUBLIC_URL, the address of the proxy; then ${link}`
    : `Console: ${base}/console; ${link}`;
}

const isEveryAddress = (host: string) => host === "0.0.0.0" || host === "::";

function marketLines(config: Config): string[] {
  const { market, contact } = config;
  if (market === "sample") {
    return [
      "SAMPLE MARKET: every figure is generated, none is real. Answers say X-Data-Source: sample.",
    ];
  }
  return [
    `Live market: figures come from public sources when they are needed; \`${commandOn(config, "sources")}\` lists them.`,
    ...(contact === null
      ? ["BOURSE_CONTACT is not set: the SEC requires it and is not called."]
      : []),
  ];
}

/** A command on this data folder that works from any folder. */
function commandOn({ dataFolder }: Config, command: string): string {
  const folder = resolve(dataFolder);
  const quoted = /^[\w./-]+$/.test(folder) ? folder : `'${folder.replaceAll("'", `'\\''`)}'`;
  return `${PROGRAM} ${command} --data ${quoted}`;
}

function firstLines({ config, user, tokenEndsAt }: Start, token: string): string[] {
  return [
    `The token of ${user.name} (plan ${user.plan}), shown this once:`,
    `  ${token}`,
    ...(tokenEndsAt === null
      ? []
      : [
          `This is no terminal, so a log may keep the token. It ends at ${formatMoment(tokenEndsAt)}; \`${commandOn(config, `token create ${user.name}`)}\` creates another.`,
        ]),
    "Agents and programs: the console's page Connect has lines to copy.",
    "",
  ];
}
