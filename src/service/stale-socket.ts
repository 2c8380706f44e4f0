import { lstatSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { type BourseError, unavailable } from "#domain/errors.ts";

/**
 * True if a killed process has left the file of a socket; false if there is no file.
 *
 * @throws BourseError `unavailable` if a process listens on it, if it is another kind of file, or if it cannot
 * be asked
 */
export async function isStaleSocket(path: string): Promise<boolean> {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return false;
  if (!found.isSocket())
    throw refused(`${path} is a file and no socket; remove it, or choose another path`);
  const code = await codeOfConnecting(path);
  if (code === null)
    throw refused(`Another process listens on ${path}; stop it, or choose another path`);
  if (code !== "ECONNREFUSED" && code !== "ENOENT")
    throw refused(`${path} cannot be reached (${code}); choose another path`);
  return true;
}

/** Removes the file of a socket that is stale. @throws BourseError as `isStaleSocket`, or if it cannot be removed */
export async function removeStaleSocket(path: string): Promise<void> {
  if (!(await isStaleSocket(path))) return;
  try {
    rmSync(path, { force: true });
  } catch (error) {
    throw refused(`${path} is left over and cannot be removed (${String(error)})`);
  }
}

function refused(reason: string): BourseError {
  return unavailable(`${reason} with --socket or --metrics.`);
}

/** Why nothing can connect to the socket; null if a process accepts it. */
function codeOfConnecting(path: string): Promise<string | null> {
  return new Promise((resolve) => {
    const socket = connect(path, () => {
      socket.destroy();
      resolve(null);
    });
    socket.on("error", (error) => resolve("code" in error ? String(error.code) : error.message));
  });
}
