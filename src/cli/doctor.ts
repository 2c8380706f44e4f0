import { unavailable } from "#domain/errors.ts";
import { formatTable } from "#lib/table.ts";
import { checkService } from "#service/checks.ts";
import { refuseAbsent } from "#service/data-folder.ts";
import type { Command } from "./command.ts";
import { createProgressLine } from "./progress.ts";
import { OF_SOURCES, OF_UPKEEP } from "./service-settings.ts";

export const doctor: Command = {
  name: "doctor",
  summary: "Check the folder, disk, files, port, clock, sources and backups, and say what to do",
  flags: {
    deep: { description: "read every page and every bar of market.db too" },
  },
  examples: ["--data /var/lib/bourse", "--deep"],
  settings: [
    "data",
    "cluster",
    "host",
    "port",
    "socket",
    "market",
    "contact",
    "user-agent",
    "sources",
    "trusted-proxies",
    "mail",
    "mail-from",
  ],
  ofService: {
    settings: ["market", ...OF_SOURCES, ...OF_UPKEEP],
    keys: false,
  },
  async report({ io, config, flags }) {
    refuseAbsent(config.dataFolder);
    const line = createProgressLine(io);
    const findings = await checkService({
      world: io,
      config,
      isDeep: flags["deep"] === true,
      progress: (step) => (step === null ? line.end() : line.show(step)),
    });
    const text = formatTable(
      ["CHECK", "RESULT", "FINDING"],
      findings.map(({ check, level, text }) => [check, level, text]),
    );
    const names = findings.flatMap(({ check, level }) => (level === "failed" ? [check] : []));
    const failure = names.length > 0 ? unavailable(`Checks failed: ${names.join(", ")}.`) : null;
    return { json: findings, text, failure };
  },
};
