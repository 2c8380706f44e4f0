/** Upgrades an executable in a process of its own, which a test can kill: PATH TARGET URL PUBLIC-KEY. */
import { upgradeExecutable } from "#service/executable.ts";
import { readNewestRelease } from "#service/releases.ts";

const [path = "", target = "", url = "", publicKey = ""] = process.argv.slice(2);
const server = { url, publicKey };
const release = await readNewestRelease(server);
const isInPlace = () => true;
await upgradeExecutable({ path, target, isInPlace, server, release, progress() {} });
