import {
  createPlan,
  type Plan,
  PLAN_NAMES,
  type PlanName,
  PLANS,
  type Plans,
} from "#access/plans.ts";
import type { ProviderSettings } from "#access/people.ts";
import { type BourseError, invalidArgument } from "#domain/errors.ts";
import type { MarketOrigin } from "#domain/records.ts";
import type { SocketPlace } from "#lib/unix-socket.ts";
import type { LogFormat, LogLevel } from "#lib/log.ts";
import { isMailAddress, type MailServer, parseMailServer } from "#lib/mail-server.ts";
import { isPublicKey } from "#lib/minisign.ts";
import { isAddressRange } from "#lib/public-address.ts";
import { hideSettingSecrets } from "#lib/secrets.ts";
import { RELEASES } from "#domain/program.ts";
import { parseAddress } from "#lib/postgres-address.ts";

/** A setting: its variable, its default and its meaning. */
export interface SettingInfo {
  readonly variable: string;
  readonly fallback: string;
  readonly description: string;
  /** The allowed values; absent if there are too many. */
  readonly choices?: readonly string[];
}

/** Every setting, declared once. Each is an environment variable, a flag of `serve` and a key of `bourse.toml`. */
export const SETTINGS = {
  host: { variable: "BOURSE_HOST", fallback: "127.0.0.1", description: "address to listen on" },
  port: { variable: "BOURSE_PORT", fallback: "8787", description: "port to listen on" },
  socket: {
    variable: "BOURSE_SOCKET",
    fallback: "",
    description:
      "Unix socket to listen on instead of the host and the port, for a proxy on this machine, such as /run/bourse/bourse.sock",
  },
  "socket-mode": {
    variable: "BOURSE_SOCKET_MODE",
    fallback: "660",
    description: "permissions of the sockets: 660 lets their user and group connect",
  },
  data: { variable: "BOURSE_DATA", fallback: "./bourse-data", description: "the data folder" },
  cluster: {
    variable: "BOURSE_CLUSTER",
    fallback: "",
    description:
      "Postgres database that several nodes share: postgres://user:password@host/database; one machine alone if not set",
  },
  "trusted-proxies": {
    variable: "BOURSE_TRUSTED_PROXIES",
    fallback: "",
    description:
      "proxies whose X-Forwarded-For is trusted: addresses or CIDR ranges, comma-separated",
  },
  "public-url": {
    variable: "BOURSE_PUBLIC_URL",
    fallback: "",
    description:
      "where clients reach the service, such as https://data.example.com or https://home.example/bourse",
  },
  discovery: {
    variable: "BOURSE_DISCOVERY",
    fallback: "on",
    choices: ["on", "off"],
    description:
      "on describes the MCP server at /.well-known/mcp/server-card.json and /.well-known/ai-catalog.json; off",
  },
  "insecure-sign-in": {
    variable: "BOURSE_INSECURE_SIGN_IN",
    fallback: "false",
    choices: ["false", "true"],
    description: "true allows sign-in over plain http from other machines",
  },
  "sign-in-header": {
    variable: "BOURSE_SIGN_IN_HEADER",
    fallback: "",
    description:
      "header with the user that a proxy has signed in, such as Remote-User; off if not set",
  },
  "sign-in-proxies": {
    variable: "BOURSE_SIGN_IN_PROXIES",
    fallback: "",
    description:
      "proxies whose sign-in-header is believed: addresses or CIDR ranges, comma-separated, or unix for the socket",
  },
  "oidc-issuer": {
    variable: "BOURSE_OIDC_ISSUER",
    fallback: "",
    description:
      "OpenID provider that signs users in, such as https://auth.example.com; off if not set",
  },
  "oidc-client": {
    variable: "BOURSE_OIDC_CLIENT",
    fallback: "",
    description: "id of this service at the OpenID provider",
  },
  "oidc-secret-file": {
    variable: "BOURSE_OIDC_SECRET_FILE",
    fallback: "",
    description:
      "file with the client secret of the OpenID provider, or the secret itself in BOURSE_OIDC_SECRET",
  },
  "oidc-allow": {
    variable: "BOURSE_OIDC_ALLOW",
    fallback: "",
    description:
      "groups and domains of verified mail addresses that may sign in, such as markets,@example.com; all if not set",
  },
  "new-users": {
    variable: "BOURSE_NEW_USERS",
    fallback: "free",
    choices: [...PLAN_NAMES, "off"],
    description:
      "plan of a user that a proxy or an OpenID provider signs in for the first time; off makes none",
  },
  "sign-out-url": {
    variable: "BOURSE_SIGN_OUT_URL",
    fallback: "",
    description:
      "page that the console opens after a sign-out, such as the sign-out of your proxy or provider",
  },
  "gate-per-minute": {
    variable: "BOURSE_GATE_PER_MINUTE",
    fallback: "120",
    description: "requests a minute from one address; 0 switches the gate off",
  },
  "plan-free": planSetting("free"),
  "plan-pro": planSetting("pro"),
  "plan-max": planSetting("max"),
  market: {
    variable: "BOURSE_MARKET",
    fallback: "sample",
    choices: ["sample", "live"],
    description: "sample (generated figures) or live (public sources)",
  },
  contact: {
    variable: "BOURSE_CONTACT",
    fallback: "",
    description: "your email address, sent to sources; the SEC requires it",
  },
  "user-agent": {
    variable: "BOURSE_USER_AGENT",
    fallback: "",
    description:
      "User-Agent that is sent first to sources that refuse plain programs, such as Yahoo; bourse names itself if not set",
  },
  sources: {
    variable: "BOURSE_SOURCES",
    fallback: "",
    description: "the only sources to use, comma-separated; all with stated terms if not set",
  },
  log: {
    variable: "BOURSE_LOG",
    fallback: "text",
    choices: ["text", "json"],
    description: "format of the log: text or json",
  },
  "log-level": {
    variable: "BOURSE_LOG_LEVEL",
    fallback: "info",
    choices: ["info", "warn", "error"],
    description: "the least important lines of the log: info, warn or error",
  },
  "access-log": {
    variable: "BOURSE_ACCESS_LOG",
    fallback: "off",
    choices: ["off", "json"],
    description: "json writes a line for every request to the log; off",
  },
  "backup-every": {
    variable: "BOURSE_BACKUP_EVERY",
    fallback: "24h",
    description: "time between backups, such as 12h or 7d; 0 switches them off",
  },
  "backup-keep": {
    variable: "BOURSE_BACKUP_KEEP",
    fallback: "7",
    description: "number of scheduled backups that are kept",
  },
  "backup-folder": {
    variable: "BOURSE_BACKUP_FOLDER",
    fallback: "",
    description: "folder of the scheduled backups; `backups` in the data folder if not set",
  },
  "backup-command": {
    variable: "BOURSE_BACKUP_COMMAND",
    fallback: "",
    description:
      "shell command that runs after each scheduled backup, with the path of the archive as its last argument, such as /usr/local/bin/copy-backup",
  },
  "export-every": {
    variable: "BOURSE_EXPORT_EVERY",
    fallback: "0",
    description:
      "time between exports of the market that the service serves as files, such as 24h; 0 switches them off",
  },
  "export-keep": {
    variable: "BOURSE_EXPORT_KEEP",
    fallback: "2",
    description: "number of scheduled exports that are kept",
  },
  metrics: {
    variable: "BOURSE_METRICS",
    fallback: "",
    description:
      "address of the metrics for Prometheus, such as 127.0.0.1:9787 or unix:/run/bourse/metrics.sock; off if not set",
  },
  mail: {
    variable: "BOURSE_MAIL",
    fallback: "",
    description:
      "mail server of alerts: smtps://user:password@mail.example.com, or smtp:// for STARTTLS; no mail if not set",
  },
  "mail-from": {
    variable: "BOURSE_MAIL_FROM",
    fallback: "",
    description: "address that sends alerts; the user of the mail server if not set",
  },
  "alert-networks": {
    variable: "BOURSE_ALERT_NETWORKS",
    fallback: "",
    description:
      "private networks that alerts may reach besides the internet: addresses or CIDR ranges, comma-separated, such as 192.168.1.0/24",
  },
  updates: {
    variable: "BOURSE_UPDATES",
    fallback: "off",
    choices: ["off", "on"],
    description: "on asks once a day if a newer version is released; off",
  },
  "updates-url": {
    variable: "BOURSE_UPDATES_URL",
    fallback: RELEASES.url,
    description: "folder of the newest release, such as https://dl.example.com/bourse",
  },
  "updates-key": {
    variable: "BOURSE_UPDATES_KEY",
    fallback: RELEASES.publicKey,
    description: "public key of minisign that signs the releases: RW and 54 more characters",
  },
} as const satisfies Readonly<Record<string, SettingInfo>>;

function planSetting(plan: Exclude<PlanName, "unlimited">) {
  const { daily, hourly, tokens } = PLANS[plan];
  return {
    variable: `BOURSE_PLAN_${plan.toUpperCase()}`,
    fallback: `${daily}/${hourly}/${tokens}`,
    description: `plan ${plan}: calls a day/calls an hour per token/live tokens of a user`,
  };
}

/** A setting, as its flag names it. */
export type SettingName = keyof typeof SETTINGS;

/** The names of all settings, in their order. */
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[];

/** The settings as the program uses them. */
export interface Config {
  readonly host: string;
  readonly port: number;
  /** The Unix socket to listen on instead; null if not set. */
  readonly socket: SocketPlace | null;
  readonly dataFolder: string;
  /** The URL of the Postgres database that the nodes of a cluster share; null without a cluster. A secret. */
  readonly cluster: string | null;
  readonly trustedProxies: readonly string[];
  /** The origin under which clients reach the service, such as `https://data.example.com`; null if not set. */
  readonly publicUrl: string | null;
  /** True if clients can find the MCP server by its card and catalog, which are drafts. */
  readonly isDiscoverable: boolean;
  /** True if sign-in over plain http from other machines is allowed. */
  readonly insecureSignIn: boolean;
  readonly signIn: SignInConfig;
  readonly gatePerMinute: number;
  readonly plans: Plans;
  readonly logFormat: LogFormat;
  readonly logLevel: LogLevel;
  /** True if every request is logged. */
  readonly accessLog: boolean;
  readonly backups: BackupConfig;
  readonly exports: ExportConfig;
  /** Where the metrics are served; null if they are off. */
  readonly metrics: { readonly host: string; readonly port: number } | SocketPlace | null;
  readonly alerts: AlertConfig;
  readonly updates: UpdateConfig;
  readonly market: MarketOrigin;
  /** How sources can reach the operator; null where not set. */
  readonly contact: string | null;
  /** The User-Agent for sources that refuse plain programs; null if bourse names itself. */
  readonly userAgent: string | null;
  /** The names of the only sources to use; null for all. */
  readonly sources: readonly string[] | null;
  /** Every variable that is set to name a mirror. */
  readonly mirrors: readonly string[];
  /** The address that replaces a source's own (`BOURSE_SOURCE_URL_SEC`), or null. */
  readonly mirrorOf: (source: string) => string | null;
  /** The value of the variable that holds a source's key, or null. */
  readonly keyOf: (variable: string) => string | null;
}

/** How people sign in without a password of this service. */
export interface SignInConfig {
  /** Null if no proxy signs users in. */
  readonly proxy: SignInProxy | null;
  /** Null if no OpenID provider signs users in. */
  readonly provider: ProviderSettings | null;
  /** The plan of a user who signs in there for the first time; null if no user is made. */
  readonly newUsers: PlanName | null;
  /** The page that follows a sign-out; null for the console's own. */
  readonly signOutUrl: string | null;
}

/** A proxy that names the user of each request. */
export interface SignInProxy {
  /** In small letters. */
  readonly header: string;
  /** Addresses and CIDR ranges. */
  readonly proxies: readonly string[];
  /** True if each client of the Unix socket is such a proxy. */
  readonly trustsSocket: boolean;
}

/** When the service backs up its data folder, and where to. */
export interface BackupConfig {
  /** Null if the service writes no backups. */
  readonly everyMs: number | null;
  readonly keep: number;
  readonly folder: string;
  /** A shell command for the archive; null if not set. */
  readonly command: string | null;
}

/** When the service exports its market. */
export interface ExportConfig {
  /** Null if the service exports nothing. */
  readonly everyMs: number | null;
  readonly keep: number;
  readonly folder: string;
}

/** Where alerts may be sent. */
export interface AlertConfig {
  /** The server that sends mail, and the address that mail comes from; null if there is no mail. */
  readonly mail: (MailServer & { readonly from: string }) | null;
  /** Addresses and CIDR ranges that may be reached besides public addresses. */
  readonly networks: readonly string[];
}

/** Whether and where the service asks for newer versions. */
export interface UpdateConfig {
  /** True if the service asks once a day; then `server` is not null. */
  readonly isOn: boolean;
  /** Null if its address or its key is not set. */
  readonly server: ReleaseServer | null;
}

/** Where releases are, and which key signs them. */
export interface ReleaseServer {
  /** The folder of the newest release. */
  readonly url: string;
  /** As minisign prints it. */
  readonly publicKey: string;
}

type Environment = Readonly<Record<string, string | undefined>>;

/** The variable that holds the token for a remote service. */
export const TOKEN_VARIABLE = "BOURSE_TOKEN";

/** The variable that holds the client secret of the OpenID provider. It is no setting, so no backup and no list has it. */
const SECRET_VARIABLE = "BOURSE_OIDC_SECRET";

/** The variables that are no settings. Those for clients in code may be set in the same shell. */
const OTHER_VARIABLES = [SECRET_VARIABLE, TOKEN_VARIABLE, "BOURSE_URL"];

const MIRROR = "BOURSE_SOURCE_URL_";

/** The variable that names a source's mirror: `BOURSE_SOURCE_URL_SEC`. */
export function mirrorVariable(source: string): string {
  return MIRROR + source.toUpperCase().replaceAll("-", "_");
}

/** The variables of the environment that look like settings and are none: `BOURSE_PRT`. */
export function listUnknownVariables(env: Environment): string[] {
  const variables = Object.values(SETTINGS).map(({ variable }) => variable);
  const known = new Set<string>([...variables, ...OTHER_VARIABLES]);
  return Object.keys(env).filter(
    (name) =>
      name.startsWith("BOURSE_") && !name.startsWith(MIRROR) && env[name] && !known.has(name),
  );
}

/** The values of `bourse.toml` as text. */
export type FileSettings = Readonly<Partial<Record<SettingName, string>>>;

/** What determines the value of a setting, the strongest first. */
export type SettingOrigin = "flag" | "environment" | "bourse.toml" | "default";

/** The text of a setting, without spaces and line breaks around it, and what determines it. */
export function findSetting(
  name: SettingName,
  flags: Readonly<Record<string, unknown>>,
  env: Environment,
  file: FileSettings = {},
): { readonly text: string; readonly origin: SettingOrigin } {
  const { variable, fallback } = SETTINGS[name];
  const flag = flags[name];
  if (typeof flag === "string") return { text: flag.trim(), origin: "flag" };
  // An empty variable counts as not set: `BOURSE_HOST=` in a unit or compose file.
  const value = env[variable]?.trim();
  if (value) return { text: value, origin: "environment" };
  const entry = file[name]?.trim();
  if (entry !== undefined) return { text: entry, origin: "bourse.toml" };
  return { text: fallback, origin: "default" };
}

/**
 * Reads the settings: a flag before its environment variable before `bourse.toml` before the fallback.
 *
 * @throws BourseError naming the variable if a value is not allowed
 */
export function readConfig(
  flags: Readonly<Record<string, unknown>>,
  env: Environment,
  file: FileSettings = {},
): Config {
  const read = (name: SettingName): Setting => ({ name, ...findSetting(name, flags, env, file) });
  const sources = readList(read("sources"));
  if (read("sources").text !== "" && sources.length === 0) {
    throw refused(read("sources"), "must name sources, or be left out for all");
  }
  const dataFolder = readFilled(read("data"));
  const everyMs = readDuration(read("backup-every"));
  const mode = readMode(read("socket-mode"));
  const config: Config = {
    host: readFilled(read("host")),
    port: readWhole(read("port"), 65_535),
    socket: readSocket(read("socket"), mode),
    dataFolder,
    cluster: readCluster(read("cluster")),
    trustedProxies: readList(read("trusted-proxies")),
    publicUrl: readPublicUrl(read("public-url")),
    isDiscoverable: readChoice(read("discovery"), SETTINGS.discovery.choices) === "on",
    insecureSignIn:
      readChoice(read("insecure-sign-in"), SETTINGS["insecure-sign-in"].choices) === "true",
    signIn: {
      proxy: readSignInProxy(read("sign-in-header"), read("sign-in-proxies"), read("socket")),
      provider: readProvider(read, env[SECRET_VARIABLE]?.trim() || null),
      newUsers: readNewUsers(read("new-users")),
      signOutUrl: readPage(read("sign-out-url")),
    },
    gatePerMinute: readWhole(read("gate-per-minute"), 100_000_000),
    plans: {
      free: readPlan(read("plan-free")),
      pro: readPlan(read("plan-pro")),
      max: readPlan(read("plan-max")),
      unlimited: PLANS.unlimited,
    },
    logFormat: readChoice(read("log"), SETTINGS.log.choices),
    logLevel: readChoice(read("log-level"), SETTINGS["log-level"].choices),
    accessLog: readChoice(read("access-log"), SETTINGS["access-log"].choices) === "json",
    backups: {
      everyMs: everyMs === 0 ? null : everyMs,
      keep: readWhole(read("backup-keep"), 1_000, 1),
      folder: read("backup-folder").text || `${dataFolder}/backups`,
      command: read("backup-command").text || null,
    },
    exports: {
      everyMs: readDuration(read("export-every")) || null,
      keep: readWhole(read("export-keep"), 1_000, 1),
      folder: `${dataFolder}/exports`,
    },
    metrics: readAddress(read("metrics"), mode),
    alerts: {
      mail: readMail(read("mail"), read("mail-from")),
      networks: readNetworks(read("alert-networks")),
    },
    updates: readUpdates(read("updates"), read("updates-url"), read("updates-key")),
    market: readChoice(read("market"), SETTINGS.market.choices),
    contact: read("contact").text || null,
    userAgent: readUserAgent(read("user-agent")),
    sources: sources.length > 0 ? sources : null,
    mirrors: Object.keys(env).filter((name) => name.startsWith(MIRROR) && env[name]),
    mirrorOf: (source) => env[mirrorVariable(source)]?.trim() || null,
    keyOf: (variable) => env[variable]?.trim() || null,
  };
  return Object.freeze(config);
}

/** The effective text of every setting, by variable. A program with this environment has the same settings. */
export function listSettings(
  flags: Readonly<Record<string, unknown>>,
  env: Environment,
  file: FileSettings = {},
): Record<string, string> {
  return Object.fromEntries(
    SETTING_NAMES.map((name) => [
      SETTINGS[name].variable,
      findSetting(name, flags, env, file).text,
    ]),
  );
}

/** A setting with the text that was given for it. */
interface Setting {
  readonly name: SettingName;
  readonly text: string;
  readonly origin: SettingOrigin;
}

function refused({ name, origin }: Setting, reason: string): BourseError {
  const place =
    origin === "bourse.toml" ? `${name} in bourse.toml` : `${SETTINGS[name].variable} (--${name})`;
  return invalidArgument(`${place} ${hideSettingSecrets(reason)}.`);
}

/** An empty host would listen on every address, an empty folder would be the current one. */
function readFilled(setting: Setting): string {
  if (setting.text === "") throw refused(setting, "must not be empty");
  return setting.text;
}

/** A text that a header can have. */
function readUserAgent(setting: Setting): string | null {
  if (/^[ -~]{0,200}$/.test(setting.text)) return setting.text || null;
  throw refused(setting, "must have at most 200 characters of ASCII");
}

function readList({ text }: Setting): string[] {
  return text
    .split(",")
    .map((entry) => entry.trim())
    .filter((entry) => entry !== "");
}

function readWhole(setting: Setting, max: number, min = 0): number {
  const value = Number(setting.text);
  if (!/^\d{1,9}$/.test(setting.text) || value < min || value > max) {
    throw refused(setting, `must be a whole number from ${min} to ${max}, not "${setting.text}"`);
  }
  return value;
}

const UNIT_MS = { m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** A time in milliseconds: `30m`, `12h`, `7d` or `0`. */
function readDuration(setting: Setting): number {
  const [, count, unit] = /^(\d{1,4})([mhd])$/.exec(setting.text) ?? [];
  if (unit !== undefined) return Number(count) * UNIT_MS[unit as keyof typeof UNIT_MS];
  if (setting.text === "0") return 0;
  throw refused(setting, `must be a time such as 30m, 12h or 7d, or 0, not "${setting.text}"`);
}

/** The system's limit of a socket's path in bytes, with the end of the text. */
const MAX_SOCKET_BYTES = 107;

/** A Unix socket, or null if it is not set. */
function readSocket(setting: Setting, mode: number): SocketPlace | null {
  const path = setting.text;
  if (path === "") return null;
  if (path.startsWith("/") && !path.endsWith("/") && Buffer.byteLength(path) <= MAX_SOCKET_BYTES)
    return { path, mode };
  throw refused(
    setting,
    `must be an absolute path of at most ${MAX_SOCKET_BYTES} bytes, such as /run/bourse/bourse.sock, not "${path}"`,
  );
}

/** The permissions of a file. */
function readMode(setting: Setting): number {
  if (/^0?[0-7]{3}$/.test(setting.text)) return Number.parseInt(setting.text, 8);
  throw refused(setting, `must be three octal digits, such as 660, not "${setting.text}"`);
}

/** A host with a port or a Unix socket, or null if it is not set. */
function readAddress(setting: Setting, mode: number): Config["metrics"] {
  if (setting.text === "") return null;
  const path = /^unix:(.*)$/s.exec(setting.text)?.[1];
  if (path !== undefined) return readSocket({ ...setting, text: path }, mode);
  const [, ipv6, name, digits = ""] =
    /^(?:\[([\da-f:]+)\]|([^:\s]+)):(\d{1,5})$/i.exec(setting.text) ?? [];
  const host = ipv6 ?? name;
  if (host !== undefined && Number(digits) <= 65_535) return { host, port: Number(digits) };
  throw refused(
    setting,
    `must be a host and a port, such as 127.0.0.1:9787, or unix: and the path of a socket, not "${setting.text}"`,
  );
}

function readChoice<T extends string>(setting: Setting, choices: readonly T[]): T {
  const choice = choices.find((one) => one === setting.text);
  if (choice === undefined) {
    const allowed = choices.length > 2 ? `one of ${choices.join(", ")}` : choices.join(" or ");
    throw refused(setting, `must be ${allowed}, not "${setting.text}"`);
  }
  return choice;
}

function readUpdates(updates: Setting, url: Setting, key: Setting): UpdateConfig {
  const isOn = readChoice(updates, SETTINGS.updates.choices) === "on";
  if (url.text !== "" && !/^https?:$/.test(URL.parse(url.text)?.protocol ?? ""))
    throw refused(
      url,
      `must be an address that begins with https:// or http://, not "${url.text}"`,
    );
  if (key.text !== "" && !isPublicKey(key.text))
    throw refused(
      key,
      `must be a public key of minisign, RW and 54 more characters, not "${key.text}"`,
    );
  if (url.text !== "" && key.text !== "")
    return { isOn, server: { url: url.text, publicKey: key.text } };
  if (isOn)
    throw refused(
      updates,
      `is on, but ${url.text === "" ? "the address" : "the public key"} of the releases is not known: set ${SETTINGS["updates-url"].variable} and ${SETTINGS["updates-key"].variable}, or switch it off`,
    );
  return { isOn, server: null };
}

/** The mail server, or null if it is not set. The error does not repeat it, because it has a password. */
function readMail(mail: Setting, from: Setting): AlertConfig["mail"] {
  if (from.text !== "" && !isMailAddress(from.text))
    throw refused(from, `must be a mail address such as bourse@example.com, not "${from.text}"`);
  if (mail.text === "") return null;
  const server = parseMailServer(mail.text);
  if (server === null)
    throw refused(
      mail,
      "must be the address of a mail server: smtps://user:password@mail.example.com:465, or smtp:// for STARTTLS; write special characters of the password as in %2F",
    );
  const sender = from.text || (server.user ?? "");
  if (isMailAddress(sender)) return { ...server, from: sender };
  throw refused(from, "must be set, because the user of the mail server is no mail address");
}

function readNetworks(setting: Setting): readonly string[] {
  const entries = readList(setting);
  const wrong = entries.find((entry) => !isAddressRange(entry));
  if (wrong === undefined) return entries;
  throw refused(
    setting,
    `must hold addresses or CIDR ranges such as 192.168.1.0/24, not "${wrong}"`,
  );
}

/** Headers that clients send themselves, so a proxy does not remove them. */
const OWN_HEADERS =
  /^(?:accept.*|authorization|connection|content-.*|cookie|date|forwarded|host|if-.*|mcp-.*|origin|range|referer|sec-.*|te|traceparent|user-agent|via|x-api-key|x-forwarded-(?:for|host|proto)|x-real-ip)$/;

function readSignInProxy(header: Setting, proxies: Setting, socket: Setting): SignInProxy | null {
  const entries = readList(proxies);
  const name = header.text.toLowerCase();
  if (name === "" && entries.length === 0) return null;
  if (name === "")
    throw refused(header, `must be set, because ${SETTINGS["sign-in-proxies"].variable} is`);
  if (!/^[a-z][a-z\d-]{0,63}$/.test(name) || OWN_HEADERS.test(name))
    throw refused(
      header,
      `must be the name of a header that only the proxy sends, such as Remote-User, not "${header.text}"`,
    );
  const ranges = entries.filter((entry) => entry !== "unix");
  const wrong = ranges.find((entry) => !isAddressRange(entry) || /\/0+$/.test(entry));
  if (entries.length === 0 || wrong !== undefined)
    throw refused(
      proxies,
      `must hold the addresses of the proxy, such as 10.0.0.2 or 10.0.0.0/28, or unix for the socket${wrong === undefined ? ", because everyone else can send the header too" : `, not "${wrong}"`}`,
    );
  const trustsSocket = entries.includes("unix");
  if (trustsSocket && socket.text === "")
    throw refused(proxies, `names unix, but ${SETTINGS.socket.variable} is not set`);
  return { header: name, proxies: ranges, trustsSocket };
}

/** Providers where everyone can have an account: hosts, and the beginnings of paths on hosts with others too. */
const PUBLIC_PROVIDERS = [
  "access.line.me",
  "accounts.google.com",
  "api.login.yahoo.com",
  "appleid.apple.com",
  "auth.login.yahoo.co.jp",
  "gitlab.com",
  "id.twitch.tv",
  // The personal accounts of Microsoft.
  "login.microsoftonline.com/9188040d-6c67-4c5b-b112-36a304b66dad",
  "slack.com",
  "www.facebook.com",
  "www.linkedin.com",
  "www.paypal.com",
];

function readProvider(
  read: (name: SettingName) => Setting,
  secret: string | null,
): ProviderSettings | null {
  const [issuer, client] = [read("oidc-issuer"), read("oidc-client")];
  const secretFile = read("oidc-secret-file").text || null;
  const allow = readList(read("oidc-allow"));
  if (issuer.text === "") {
    const lonely = (["oidc-client", "oidc-secret-file", "oidc-allow"] as const).find(
      (name) => read(name).text !== "",
    );
    if (lonely === undefined) return null;
    throw refused(issuer, `must be set, because ${SETTINGS[lonely].variable} is`);
  }
  const url = URL.parse(issuer.text);
  const isLocal = url?.protocol === "http:" && /^(?:127\.0\.0\.1|localhost)$/.test(url.hostname);
  if (url === null || !(url.protocol === "https:" || isLocal) || /[?#@]/.test(issuer.text))
    throw refused(
      issuer,
      `must be the https URL that the provider calls its issuer, such as https://auth.example.com, not "${issuer.text}"`,
    );
  if (client.text === "")
    throw refused(client, "must be the id that the provider has for this service");
  if (secret !== null && secretFile !== null)
    throw refused(read("oidc-secret-file"), `and ${SECRET_VARIABLE} are both set; remove one`);
  if (readPublicUrl(read("public-url")) === null)
    throw refused(
      read("public-url"),
      "must be set, because the OpenID provider sends users back to it",
    );
  const place = `${url.hostname.replace(/\.$/, "")}${url.pathname}/`;
  if (allow.length === 0 && PUBLIC_PROVIDERS.some((one) => place.startsWith(`${one}/`)))
    throw refused(
      read("oidc-allow"),
      `must name domains or groups, such as @example.com, because everyone can have an account at ${url.hostname}`,
    );
  return { issuer: issuer.text, clientId: client.text, secret, secretFile, allow };
}

function readNewUsers(setting: Setting): PlanName | null {
  const choice = readChoice(setting, SETTINGS["new-users"].choices);
  return choice === "off" ? null : choice;
}

/** The address of a page, or null if it is not set. */
function readPage(setting: Setting): string | null {
  if (setting.text === "") return null;
  if (/^https?:$/.test(URL.parse(setting.text)?.protocol ?? "")) return setting.text;
  throw refused(
    setting,
    `must be an address that begins with https:// or http://, not "${setting.text}"`,
  );
}

/** Paths of the service, at which no base path can begin. */
const OWN_PATHS =
  /^\/(?:\.|chunk-|(?:api|clients|console|csv|docs|feed|health|metrics|oauth|(?:llms|llms-full|robots)\.txt)(?:\/|$))/;

/** An address of at most an origin and a path, without a slash at the end; null if it is not set. */
function readPublicUrl(setting: Setting): string | null {
  if (setting.text === "") return null;
  const url = URL.parse(setting.text);
  const path = url?.pathname.replace(/\/$/, "") ?? "";
  const isPlain = /^(?:\/[\w.~-]{1,64}){0,8}$/.test(path) && !OWN_PATHS.test(path);
  if (url && /^https?:$/.test(url.protocol) && isPlain && url.href === url.origin + url.pathname)
    return url.origin + path;
  const wanted = OWN_PATHS.test(path)
    ? "must have a path that bourse does not use itself, such as https://home.example/bourse"
    : "must begin with http:// or https:// and have a host and at most a path, such as https://data.example.com or https://home.example/bourse";
  throw refused(setting, `${wanted}, not "${setting.text}"`);
}

/**
 * The URL of a Postgres database, or null if it is not set. The error does not repeat it, because it has a
 * password.
 */
function readCluster(setting: Setting): string | null {
  if (setting.text === "") return null;
  // `URL` accepts spaces, but then the end of the password could not be recognised where it is hidden.
  if (/\s/.test(setting.text)) {
    throw refused(setting, "must not contain spaces; write a space in the password as %20");
  }
  const address = parseAddress(setting.text);
  if (address && address.url.pathname.length > 1) return setting.text;
  throw refused(
    setting,
    "must be the address of a Postgres database: postgres://user:password@host:5432/database, or postgres://user@/database?host=/var/run/postgresql for its Unix socket",
  );
}

function readPlan(setting: Setting): Plan {
  const [, daily, hourly, tokens] = /^(\d{1,9})\/(\d{1,9})\/(\d{1,4})$/.exec(setting.text) ?? [];
  const numbers = [daily, hourly, tokens].map(Number);
  if (numbers.every((number) => number >= 1)) {
    const [perDay = 1, perHour = 1, live = 1] = numbers;
    return createPlan(perDay, perHour, live);
  }
  throw refused(
    setting,
    `must be calls a day/calls an hour/live tokens, each at least 1, such as ${SETTINGS[setting.name].fallback}; it is "${setting.text}"`,
  );
}
