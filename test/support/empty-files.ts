import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { lazy } from "#lib/lazy.ts";
import { openAccess, openMarket } from "#store/index.ts";

// To write the bytes of an empty file takes a tenth of the time in which its tables are made.

function bytesOf(name: string, open: (folder: string) => { close: () => void }): Uint8Array {
  const folder = mkdtempSync(join(tmpdir(), "bourse-empty-"));
  open(folder).close();
  const bytes = readFileSync(join(folder, name));
  rmSync(folder, { recursive: true });
  return bytes;
}

const EMPTY = {
  "market.db": lazy(() => bytesOf("market.db", openMarket)),
  "access.db": lazy(() => bytesOf("access.db", openAccess)),
};

/** Puts an empty file into a folder, unless it is there. */
function writeEmpty(folder: string, name: keyof typeof EMPTY): void {
  const path = join(folder, name);
  if (!existsSync(path)) writeFileSync(path, EMPTY[name](), { mode: 0o600 });
}

/** Opens the market of a folder as the program does. A missing file is not made step by step, but copied. */
export function openCopiedMarket(...[folder, ...rest]: Parameters<typeof openMarket>) {
  writeEmpty(folder, "market.db");
  return openMarket(folder, ...rest);
}

/** Opens the access file of a folder as the program does. A missing file is not made step by step, but copied. */
export function openCopiedAccess(...[folder, ...rest]: Parameters<typeof openAccess>) {
  writeEmpty(folder, "access.db");
  return openAccess(folder, ...rest);
}
