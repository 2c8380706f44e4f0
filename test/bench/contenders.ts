import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Accounts } from "#access/accounts.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { type PlanName, PLANS } from "#access/plans.ts";
import { createTokenSecret } from "#access/token-secret.ts";
import { openAccess } from "#store/index.ts";
import { findUser } from "#store/users.ts";
import { atOnce } from "../support/at-once.ts";
import { MAIN } from "../support/cli.ts";
import { gather } from "../support/child-process.ts";
import { copyTodaysMarket } from "../support/service.ts";
import type { ReadyAnswer } from "./floor.ts";

const HERE = import.meta.dir;
const ROOT = join(HERE, "../..");
/** The folder of the peers and their packages. */
export const PEERS_FOLDER = join(HERE, "peers");
/** The output of `bun run build`. */
export const BINARY = join(ROOT, "dist/bourse");

/** Builds the binary from the present source. */
export function buildBinary(): void {
  const build = Bun.spawnSync([process.execPath, "run", "build"], { cwd: ROOT, stderr: "pipe" });
  if (!build.success) throw new Error(`the binary could not be built: ${build.stderr.toString()}`);
}

/** The commands that start the service: from its source, and as the binary. */
export const PROGRAMS = {
  "bourse, source": [process.execPath, MAIN],
  "bourse, binary": [BINARY],
} as const satisfies Record<string, readonly string[]>;
/** The name of a program in the tables. */
export type ProgramName = keyof typeof PROGRAMS;
export const PROGRAM_NAMES = Object.keys(PROGRAMS) as ProgramName[];

/** The bare floor, the denominator of ratios. */
export const FLOOR = "floor";

/** The peers with their runtimes. */
export const PEERS = {
  rest: { fastify: "node", hono: "bun", express: "node" },
  mcp: { fastmcp: "node", "elysia-mcp": "bun", "sdk-express": "node" },
} as const;

/** A server under measurement. */
export interface Contender {
  readonly name: string;
  readonly pid: number;
  /** The origin for the case of a number. Only the floor has one port per case. */
  readonly originOf: (caseNumber: number) => string;
  stop(): Promise<void>;
}

/** The data folder that is copied for each contender, and its tokens. */
export interface Prepared {
  readonly folder: string;
  readonly data: string;
  /** 10,000 tokens of plan max. */
  readonly many: readonly string[];
  /** Returns unused tokens of plan max. */
  takeFresh(count: number): string[];
  /** A token of plan free. */
  readonly free: string;
  /** A well-formed token that does not exist. */
  readonly unknown: string;
}

const MANY_TOKENS = 10_000;

/** Fills a folder with today's sample market, 10,000 tokens and the given number of fresh ones. */
export function prepare(folder: string, fresh: number): Prepared {
  const data = join(folder, "data");
  mkdirSync(data, { recursive: true });
  copyTodaysMarket(data);
  const access = openAccess(data);
  const accounts = atOnce(new Accounts({ access, clock: Date.now, actor: COMMAND_LINE }));
  const made: { token: string; id: number; daily: number; hourly: number }[] = [];
  const create = (plan: PlanName, count: number): string[] => {
    const { tokens, daily, hourly } = PLANS[plan];
    return Array.from({ length: count }, (_, i) => {
      const user = `${plan}-${Math.floor((made.length - (made.length % tokens)) / tokens)}`;
      if (i === 0 || made.length % tokens === 0) {
        if (!access.run(findUser(user))) accounts.addUser(user, plan);
      }
      const { token, id } = accounts.createToken(user, "bench", null);
      made.push({ token, id, daily, hourly });
      return token;
    });
  };
  const many = create("max", MANY_TOKENS);
  const unused = create("max", fresh);
  const [free = ""] = create("free", 1);
  access.close();
  writeFileSync(join(folder, "tokens.json"), JSON.stringify(made));
  return {
    folder,
    data,
    many,
    free,
    unknown: createTokenSecret(),
    takeFresh(count) {
      if (unused.length < count) throw new Error("the bench has run out of fresh tokens");
      return unused.splice(0, count);
    },
  };
}

/** Copies the prepared market and tokens to a new data folder. */
export function copyOfData({ folder, data }: Prepared, name: string): string {
  const copy = join(folder, name.replaceAll(/\W+/g, "-"));
  cpSync(data, copy, { recursive: true });
  return copy;
}

/** The environment of a service on a folder: any free port, and a gate high enough for the load. */
export const serviceEnvironment = (data: string): Record<string, string> => ({
  BOURSE_DATA: data,
  BOURSE_PORT: "0",
  BOURSE_GATE_PER_MINUTE: "100000000",
});

/** Starts the service on a data folder. */
export async function startProgram(name: ProgramName, data: string): Promise<Contender> {
  const command = [...PROGRAMS[name], "serve"];
  const { said, ...process } = await launch(command, serviceEnvironment(data), data);
  return { name, ...process, originOf: () => said };
}

/** Starts the floor with two ports per answer: bare, and with all headers. */
export async function startFloor(
  { folder }: Pick<Prepared, "folder">,
  answers: readonly ReadyAnswer[],
  more: Record<string, string> = {},
): Promise<{ bare: Contender; headed: Contender }> {
  writeFileSync(join(folder, "floor.json"), JSON.stringify(answers));
  const command = [process.execPath, join(HERE, "floor.ts")];
  const { said, ...floor } = await launch(command, { BENCH_FOLDER: folder, ...more }, folder);
  const ports = JSON.parse(said) as [number, number][];
  const at = (which: 0 | 1) => (caseNumber: number) =>
    `http://127.0.0.1:${ports[caseNumber]?.[which]}`;
  return {
    bare: { name: FLOOR, ...floor, originOf: at(0) },
    headed: { name: `${FLOOR} with our headers`, ...floor, originOf: at(1) },
  };
}

/** Starts a peer; it reads `answers.json` and `tokens.json`. */
export async function startPeer(
  { folder }: Prepared,
  name: string,
  runtime: "node" | "bun",
): Promise<Contender> {
  const command = [
    runtime === "bun" ? process.execPath : "node",
    join(PEERS_FOLDER, `${name}.mjs`),
  ];
  const env = { BENCH_FOLDER: folder, NODE_ENV: "production" };
  const { said, ...peer } = await launch(command, env, folder);
  return { name, ...peer, originOf: () => said };
}

/** Installs the peers if they are missing; returns null, or the reason of a failure. */
export function installPeers(): string | null {
  if (existsSync(join(PEERS_FOLDER, "node_modules/.package-lock.json"))) return null;
  if (Bun.which("npm") === null) return "the peers need Node with npm";
  const npm = Bun.spawnSync(["npm", "ci"], { cwd: PEERS_FOLDER, stdout: "ignore", stderr: "pipe" });
  return npm.success ? null : `the peers could not be installed: ${npm.stderr.toString().trim()}`;
}

/**
 * Starts a server. `said` is the text after `listens on` in its first lines, `errors` its stderr so far.
 */
export async function launch(
  command: readonly string[],
  env: Record<string, string>,
  folder: string,
) {
  const errors = Bun.file(join(folder, `${command.at(-1)?.split("/").at(-1)}.stderr`));
  const child = Bun.spawn([...command], {
    cwd: folder,
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdout: "pipe",
    stderr: errors,
  });
  const stdout = gather(child.stdout);
  await stdout.until(/listens on \S+\n/);
  const said = /listens on (\S+)\n/.exec(stdout.text())?.[1];
  if (said === undefined) {
    throw new Error(`${command.join(" ")} did not start: ${stdout.text()}${await errors.text()}`);
  }
  return {
    pid: child.pid,
    said,
    errors: () => errors.text(),
    async stop() {
      child.kill("SIGTERM");
      const timer = setTimeout(() => child.kill("SIGKILL"), 3_000);
      await child.exited;
      clearTimeout(timer);
    },
  };
}
