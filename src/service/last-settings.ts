import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hideSecrets } from "#lib/secrets.ts";
import { replaceFile } from "#store/files.ts";

/** The settings of the last service on a data folder, by variable, without secrets. */
export type ServiceSettings = Readonly<Record<string, string>>;

/** A backup by hand reads it, because the shell of the backup has other settings than the service. */
const FILE = "last-settings.json";

/** Notes the settings of a service that starts on the folder. @throws Error if the folder cannot be written */
export function noteServiceSettings(dataFolder: string, settings: ServiceSettings): void {
  const entries = Object.entries(settings).map(([name, value]) => [name, hideSecrets(value)]);
  replaceFile(join(dataFolder, FILE), JSON.stringify(Object.fromEntries(entries)));
}

/** The settings of the last service on the folder; null if none ever ran there. */
export function findServiceSettings(dataFolder: string): ServiceSettings | null {
  try {
    return JSON.parse(readFileSync(join(dataFolder, FILE), "utf8")) as ServiceSettings;
  } catch {
    // No service ran there. A damaged file is replaced by the next start.
    return null;
  }
}
