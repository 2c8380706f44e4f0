import {
  type Config,
  type FileSettings,
  findSetting,
  readConfig,
  type SettingName,
  SETTINGS,
} from "#config.ts";
import { hideSettingSecrets } from "#lib/secrets.ts";
import { findRunningSettings } from "#service/last-settings.ts";
import { KEYS } from "#service/live.ts";

/** What a command takes from the service that runs on its data folder, because its shell can have other settings. */
export interface OfService {
  readonly settings: readonly SettingName[];
  /** True for a command that shows whether a source has its key. To call one, it needs the key, which is not noted. */
  readonly keys: boolean;
}

/** The settings that decide which sources are called, and how. */
export const OF_SOURCES = [
  "contact",
  "user-agent",
  "sources",
] as const satisfies readonly SettingName[];

/** The settings of backups, exports and the question for newer versions. */
export const OF_UPKEEP = [
  "backup-every",
  "backup-keep",
  "backup-folder",
  "backup-command",
  "export-every",
  "export-keep",
  "updates",
  "updates-url",
  "updates-key",
] as const satisfies readonly SettingName[];

/** The settings of a shell: flags before variables before `bourse.toml`. */
export interface ShellSettings {
  readonly flags: Readonly<Record<string, unknown>>;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly file: FileSettings;
}

/**
 * The settings with which a command shows what a service does: flags, then the service that runs on the data folder,
 * then the shell. `note` says in sentences which variables the shell has otherwise; null if none.
 *
 * @throws BourseError naming the variable if a value is not allowed
 */
export function readConfigOf(
  shell: ShellSettings,
  { settings, keys }: OfService,
): { readonly config: Config; readonly note: string | null } {
  const config = readConfig(shell.flags, shell.env, shell.file);
  const noted = findRunningSettings(config.dataFolder);
  if (noted === null) return { config, note: null };
  const env = { ...shell.env };
  const file = { ...shell.file };
  const differing = settings.filter((name) => {
    const { text, origin } = findSetting(name, shell.flags, shell.env, shell.file);
    const value = noted[SETTINGS[name].variable];
    return origin !== "flag" && value !== undefined && value !== hideSettingSecrets(text);
  });
  for (const name of differing) {
    const { variable } = SETTINGS[name];
    env[variable] = noted[variable];
    delete file[name];
  }
  const hidden = KEYS.filter((name) => noted[name] && !shell.env[name]);
  if (keys) for (const name of hidden) env[name] = noted[name];
  return {
    config: readConfig(shell.flags, env, file),
    note: describe(
      [...differing.map((name) => SETTINGS[name].variable), ...(keys ? hidden : [])],
      keys ? [] : hidden,
    ),
  };
}

function describe(shown: readonly string[], missing: readonly string[]): string | null {
  const sentences = [
    shown.length > 0 &&
      `This shell has other values of ${shown.join(", ")} than the service that runs on this folder. The service's values are used here.`,
    missing.length > 0 &&
      `The service has ${missing.join(", ")} and this shell has not, so its source is called without the key, or not at all.`,
  ].filter((one) => one !== false);
  return sentences.length > 0 ? `${sentences.join(" ")}\n` : null;
}
