import { type FileSettings, findSetting, SETTING_NAMES, SETTINGS } from "#config.ts";
import { hideSettingSecrets } from "#lib/secrets.ts";
import { formatTable } from "#lib/table.ts";
import { readSettingsFile } from "#service/settings-file.ts";
import { findRunningSettings } from "#service/last-settings.ts";
import type { Command } from "./command.ts";

export const config: Command = {
  name: "config",
  summary: "Show every setting, its value and what determines it",
  examples: ["", "--data /var/lib/bourse"],
  settings: SETTING_NAMES,
  report({ io, config: { dataFolder }, flags }) {
    const file: FileSettings = readSettingsFile(dataFolder);
    const rows = SETTING_NAMES.map((name) => {
      const { text, origin } = findSetting(name, flags, io.env, file);
      const { variable } = SETTINGS[name];
      return { setting: name, variable, value: hideSettingSecrets(text), from: origin };
    });
    const text = formatTable(
      ["SETTING", "VALUE", "FROM", "VARIABLE"],
      rows.map(({ setting, value, from, variable }) => [setting, value || null, from, variable]),
    );
    return { json: rows, text, note: describeService(dataFolder, rows) };
  },
};

/** Says which values a service that runs on the folder has otherwise, in one line; empty if none. */
function describeService(
  dataFolder: string,
  rows: readonly { readonly variable: string; readonly value: string }[],
): string {
  const noted = findRunningSettings(dataFolder) ?? {};
  const others = rows.flatMap(({ variable, value }) => {
    const other = noted[variable];
    // A folder has several paths.
    if (variable === SETTINGS.data.variable || other === undefined || other === value) return [];
    return [`${variable}=${other}`];
  });
  return others.length === 0
    ? ""
    : `The service that runs on this folder has other values: ${others.join(" ")}\n`;
}
