import { readFileSync } from "node:fs";
import { join } from "node:path";
import { type FileSettings, SETTING_NAMES, type SettingName, SETTINGS } from "#config.ts";
import { type BourseError, invalidArgument } from "#domain/errors.ts";
import { closest } from "#lib/closest.ts";
import { hideSettingSecrets } from "#lib/secrets.ts";
import { toUserError } from "#store/database.ts";

/** The file in the data folder that can hold every setting except the folder itself. */
export const SETTINGS_FILE = "bourse.toml";

/**
 * The settings in the data folder's `bourse.toml`; none if there is no such file.
 *
 * @throws BourseError that names the file and the key if it cannot be read
 */
export function readSettingsFile(folder: string): FileSettings {
  const path = join(folder, SETTINGS_FILE);
  const text = readIfPresent(path);
  if (text === null) return {};
  const entries = Object.entries(parse(path, text));
  return Object.fromEntries(
    entries.map(([key, value]) => [checkName(path, key), toText(path, key, value)]),
  );
}

/**
 * The text of a `bourse.toml` for a backup, without settings that have a secret, and without the address of a cluster:
 * the machine that restores a backup is not a node. If the text has such a setting in any form, or a secret in a
 * comment, only the other settings are written, without comments.
 */
export function withoutSecrets(text: string): string {
  const settings = Object.entries(parse(SETTINGS_FILE, text));
  const others = settings.filter(
    ([name, value]) => name !== "cluster" && hideSettingSecrets(String(value)) === String(value),
  );
  if (others.length === settings.length && hideSettingSecrets(text) === text) return text;
  // A JSON string, number or list of them is the same in TOML.
  return others.map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`).join("");
}

function readIfPresent(path: string): string | null {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const code = error instanceof Error && "code" in error ? error.code : null;
    // Also if the folder is a file: the command that opens it reports that.
    if (code === "ENOENT" || code === "ENOTDIR") return null;
    if (code === "EACCES") throw toUserError(path, error);
    throw refused(path, `cannot be read (${String(code)})`);
  }
}

function parse(path: string, text: string): Record<string, unknown> {
  try {
    return Bun.TOML.parse(text) as Record<string, unknown>;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw refused(path, `is not TOML: ${reason.replace(/^TOML Parse error: /, "")}`);
  }
}

function checkName(path: string, key: string): SettingName {
  if (key === "data") throw refused(path, "cannot set `data`: the file is in the data folder");
  if (Object.hasOwn(SETTINGS, key)) return key as SettingName;
  const near = closest(key, SETTING_NAMES);
  throw refused(
    path,
    `has the unknown setting \`${key}\`; ${near ? `did you mean \`${near}\`?` : "`serve --help` lists all settings"}`,
  );
}

/** A TOML value as a flag would have it: lists are joined by commas. */
function toText(path: string, key: string, value: unknown): string {
  if (typeof value === "string") return value;
  if (typeof value === "number" || typeof value === "boolean") return String(value);
  if (Array.isArray(value) && value.every((one) => typeof one === "string")) return value.join(",");
  throw refused(path, `needs text, a number or a list of texts for \`${key}\``);
}

function refused(path: string, reason: string): BourseError {
  const end = reason.endsWith("?") ? "" : ".";
  return invalidArgument(`${path} ${reason}${end}`);
}
