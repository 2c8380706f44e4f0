import { chmodSync, existsSync, renameSync, writeFileSync } from "node:fs";
import unit from "#deploy/bourse.service" with { type: "text" };
import { type BourseError, invalidArgument, unavailable } from "#domain/errors.ts";
import { IS_COMPILED, PROGRAM } from "#lib/compiled.ts";
import type { Command, Invocation } from "./command.ts";

const USER = "bourse";
const UNIT_PATH = "/etc/systemd/system/bourse.service";
const PROGRAM_PATH = "/usr/local/bin/bourse";
/** The unit's StateDirectory. */
const DATA_FOLDER = "/var/lib/bourse";

export const serviceInstall: Command = {
  name: "service install",
  summary: "Install bourse as a systemd service, as root; --print shows the unit only",
  examples: ["--print"],
  flags: { print: { description: "print the unit file and change nothing" } },
  settings: [],
  run({ io, flags }) {
    if (flags["print"]) {
      io.stdout(unit);
      return;
    }
    install(io);
  },
};

/** True if the unit of `service install` is on this machine and starts the executable at this path. */
export function runsInstalledUnit(path: string): boolean {
  return path === PROGRAM_PATH && existsSync(UNIT_PATH);
}

/** The user is added before the first start, which would otherwise print a token to the journal. */
const FIRST_STEPS = `
sudo -u ${USER} bourse user add owner --plan unlimited --data ${DATA_FOLDER}
systemctl enable --now bourse
sudo -u ${USER} bourse console --data ${DATA_FOLDER}
`;

const UPGRADE_STEPS = `
systemctl restart bourse
sudo -u ${USER} bourse doctor --data ${DATA_FOLDER}
`;

/** Creates the user and the unit. Starting it is left to the operator. */
function install(io: Invocation["io"]): void {
  refuseUnready();
  if (!existsSync(PROGRAM_PATH) || process.execPath !== PROGRAM_PATH) {
    throw refused(
      `Run this from ${PROGRAM_PATH}, which the unit starts: install -m 755 ${process.execPath} ${PROGRAM_PATH} && ${PROGRAM_PATH} service install`,
    );
  }
  if (!succeeds("id", "-u", USER)) {
    runOrThrow(
      "useradd",
      "--system",
      "--home-dir",
      DATA_FOLDER,
      "--create-home",
      "--skel",
      "/dev/null",
      "--shell",
      "/usr/sbin/nologin",
      USER,
    );
    chmodSync(DATA_FOLDER, 0o700);
    io.stderr(`Created the system user ${USER}.\n`);
  }
  const replaces = writeUnit(UNIT_PATH);
  runOrThrow("systemctl", "daemon-reload");
  io.stderr(`Wrote ${UNIT_PATH}. Settings go to ${DATA_FOLDER}/bourse.toml. Next:\n`);
  io.stdout(replaces ? UPGRADE_STEPS : FIRST_STEPS);
}

/** Writes the unit, which is complete at every moment. Returns true if it replaces one. */
export function writeUnit(path: string): boolean {
  const replaces = existsSync(path);
  writeFileSync(`${path}.new`, unit);
  // The umask of bourse allows its user only, and systemd warns about a unit that not everyone may read.
  chmodSync(`${path}.new`, 0o644);
  renameSync(`${path}.new`, path);
  return replaces;
}

function refuseUnready(): void {
  if (process.platform !== "linux" || Bun.which("systemctl") === null) {
    throw refused(
      `This machine has no systemd; \`${PROGRAM} service install --print\` prints the unit`,
    );
  }
  if (!IS_COMPILED) {
    throw refused(
      "A service runs the executable: build it with `npx -y bun@1.4.4 run build`, then call dist/bourse",
    );
  }
  if (process.getuid?.() !== 0) throw refused("Only root can install a service: call it with sudo");
}

function refused(reason: string): BourseError {
  return invalidArgument(`${reason}.`);
}

function succeeds(...command: string[]): boolean {
  return Bun.spawnSync(command, { stdout: "ignore", stderr: "ignore" }).exitCode === 0;
}

function runOrThrow(...command: string[]): void {
  const { exitCode, stderr } = Bun.spawnSync(command, { stdout: "ignore" });
  if (exitCode === 0) return;
  throw unavailable(`\`${command.join(" ")}\` failed: ${stderr.toString().trim()}.`);
}
