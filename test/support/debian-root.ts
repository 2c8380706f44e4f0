import { join } from "node:path";
import { outputOf, resultOf, spawnChild } from "./child-process.ts";

const env = { PATH: "/usr/sbin:/usr/bin:/sbin:/bin", DEBIAN_FRONTEND: "noninteractive" };

/** True if a test can have a Debian of its own: it needs root and debootstrap. */
export const CAN_MAKE_ROOT =
  process.getuid?.() === 0 && Bun.which("debootstrap", { PATH: env.PATH }) !== null;

/** The result of a program of this machine that packagers use. */
export async function runHere(...command: string[]) {
  return resultOf(spawnChild(command, { env, stderr: "pipe" }));
}

/** A Debian of a test's own, in a folder. */
export class DebianRoot {
  readonly path: string;

  constructor(folder: string) {
    this.path = join(folder, "root");
  }

  /** Makes it from Debian's packages, in about a minute. */
  async make(): Promise<void> {
    await outputOf(["debootstrap", "--variant=minbase", "bookworm", this.path], { env });
  }

  /** What a script prints there. It must end well. */
  async run(script: string): Promise<string> {
    // Bun needs /proc. The mounts end with the process.
    const enter =
      'mount --bind /proc "$0/proc"; mount --bind /dev "$0/dev"; exec chroot "$0" sh -ec "$1"';
    const { code, stdout, stderr } = await runHere(
      "unshare",
      "--mount",
      "sh",
      "-ec",
      enter,
      this.path,
      script,
    );
    if (code !== 0) throw new Error(`${script} ended with ${code}: ${stdout}${stderr}`);
    return stdout;
  }
}

/** The words that run a command of bourse as its user, on the data folder of the packages. */
export const asBourse = (command: string): string =>
  `runuser -u bourse -- bourse ${command} --data /var/lib/bourse`;
