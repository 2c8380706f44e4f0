import { fstatSync } from "node:fs";
import type { Log } from "#lib/log.ts";
import type { Upkeep } from "#lib/periodic.ts";
import type { World } from "./world.ts";

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0x8_00_00;
const MSG_NOSIGNAL = 0x40_00;

/** The messages to systemd. */
export interface Systemd extends Upkeep {
  /** The service does not accept requests any more. */
  stopping(): void;
}

/**
 * Tells systemd that the service is ready, and then that it is alive, as often as its unit asks
 * (`Type=notify`, `WatchdogSec=`). A blocked event loop sends nothing. Does nothing without `NOTIFY_SOCKET`, and
 * warns if the C library has another name, as in Alpine.
 */
export async function notifySystemd(
  env: World["env"],
  log: Log,
  library = "libc.so.6",
): Promise<Systemd> {
  const { NOTIFY_SOCKET: path, WATCHDOG_USEC: watchdogUs = "0" } = env;
  const send = path ? await openNotifySocket(path, library).catch(String) : null;
  if (typeof send === "string") log.warn("systemd cannot be notified", { error: send });
  const tell = (state: string) => {
    if (typeof send === "function" && !send(state))
      log.warn("systemd could not be notified", { state, path });
  };
  tell("READY=1");
  const everyMs = Number(watchdogUs) / 1_000 / 2;
  const watchdog = everyMs > 0 ? setInterval(tell, everyMs, "WATCHDOG=1") : undefined;
  return {
    stopping: () => tell("STOPPING=1"),
    stop: async () => clearInterval(watchdog),
  };
}

/**
 * A function that sends a datagram to a Unix socket; it returns false if that failed. Bun has no such sockets, so
 * it calls the C library. Another process, such as `systemd-notify`, is not the main process of the unit, and
 * systemd ignores what it sends.
 */
async function openNotifySocket(
  path: string,
  library: string,
): Promise<(state: string) => boolean> {
  const { dlopen, ptr } = await import("bun:ffi");
  const { symbols } = dlopen(library, {
    socket: { args: ["i32", "i32", "i32"], returns: "i32" },
    sendto: { args: ["i32", "ptr", "usize", "i32", "ptr", "u32"], returns: "i64" },
  });
  const socket = symbols.socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const family = Buffer.from(new Uint16Array([AF_UNIX]).buffer);
  // A name with @ is abstract: it begins with a zero.
  const address = Buffer.concat([family, Buffer.from(path.replace(/^@/, "\0"))]);
  return (state) => {
    const text = Buffer.from(state);
    const { length } = address;
    return symbols.sendto(socket, ptr(text), text.length, MSG_NOSIGNAL, ptr(address), length) >= 0;
  };
}

/** True if systemd has connected that file to its journal: `JOURNAL_STREAM` names the device and the inode. */
export function isJournal({ JOURNAL_STREAM: stream }: World["env"], descriptor: number): boolean {
  if (!stream) return false;
  const { dev, ino } = fstatSync(descriptor);
  return stream === `${dev}:${ino}`;
}
