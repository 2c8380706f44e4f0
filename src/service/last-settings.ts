import { join } from "node:path";
import { hideSettingSecrets } from "#lib/secrets.ts";
import { replaceFile } from "#store/files.ts";
import { readJsonFile } from "./json-file.ts";
import { listServers } from "./servers.ts";

/** The settings of the last service on a data folder, by variable, without secrets. */
export type ServiceSettings = Readonly<Record<string, string>>;

/** A backup by hand reads it, because the shell of the backup has other settings than the service. */
const FILE = "last-settings.json";

/**
 * Notes the settings of a service that starts on the folder, and `…` for each key of a source that it has.
 *
 * @param keys the variables of these keys
 * @throws Error if the folder cannot be written
 */
export function noteServiceSettings(
  dataFolder: string,
  settings: ServiceSettings,
  keys: readonly string[],
): void {
  const entries = [
    ...Object.entries(settings).map(([name, value]) => [name, hideSettingSecrets(value)]),
    ...keys.map((name) => [name, "…"]),
  ];
  replaceFile(join(dataFolder, FILE), JSON.stringify(Object.fromEntries(entries)));
}

/** The settings of the service that runs on the folder; null if none does. */
export const findRunningSettings = (dataFolder: string): ServiceSettings | null =>
  listServers(dataFolder).length > 0 ? findServiceSettings(dataFolder) : null;

/** The settings of the last service on the folder; null if none ever ran there. */
export const findServiceSettings = (dataFolder: string): ServiceSettings | null =>
  readJsonFile(join(dataFolder, FILE));
