import { fstatSync } from "node:fs";
import type * as Ffi from "bun:ffi";
import type { Log } from "#lib/log.ts";
import type { Upkeep } from "#lib/periodic.ts";
import type { Io } from "./command.ts";

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
 * (`Type=notify`, `WatchdogSec=`). A blocked event loop sends nothing. Does nothing without `NOTIFY_SOCKET`.
 */
export async function notifySystemd(env: Io["env"], log: Log): Promise<Systemd> {
  const { NOTIFY_SOCKET: path, WATCHDOG_USEC: watchdogUs = "0" } = env;
  const send = path ? openNotifySocket(path, await import("bun:ffi")) : null;
  const tell = (state: string) => {
    if (send && !send(state)) log.warn("systemd could not be notified", { state, path });
  };
  tell("READY=1");
  const everyMs = Number(watchdogUs) / 1_000 / 2;
  const watchdog = send && everyMs > 0 ? setInterval(tell, everyMs, "WATCHDOG=1") : undefined;
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
function openNotifySocket(path: string, { dlopen, ptr }: typeof Ffi): (state: string) => boolean {
  const { symbols } = dlopen("libc.so.6", {
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
export function isJournal({ JOURNAL_STREAM: stream }: Io["env"], descriptor: number): boolean {
  if (!stream) return false;
  const { dev, ino } = fstatSync(descriptor);
  return stream === `${dev}:${ino}`;
}
