import { IMPORT_KINDS, type ImportName } from "#imports/import-kinds.ts";
import { recordTemplate } from "#imports/records-file.ts";
import { claimMarket } from "#ingest/ingest.ts";
import { type Command, usage } from "#cli/command.ts";
import { refuseUnreadable } from "./files.ts";
import { importFlags, readImportOptions } from "./flags.ts";
import { readOneKey } from "./instruments.ts";
import { importList, importRemove } from "./list.ts";
import { importRecords } from "./records.ts";
import { readyMarket } from "#cli/market.ts";
import { withImports } from "#cli/stores.ts";

/** The summary of each kind in the help. */
const SUMMARIES: Readonly<Record<ImportName, string>> = {
  instruments: "Import instruments from files, or from JPX's list of listed issues",
  bars: "Import daily bars from files, of many instruments or of one",
  statements: "Import reported figures of companies from files",
  macro: "Import economic series from files",
  forecasts: "Import economic forecasts from files",
  calendar: "Import economic publications from files",
  holidays: "Import days on which an exchange is closed or open by exception",
  "index-pe": "Import month-end P/E ratios of a country's index from files",
  dividends: "Import cash dividends from files",
  splits: "Import splits and stock dividends from files",
};

/** A command for each kind of record that can be imported, and those that list and remove imports. */
export const IMPORTS: readonly Command[] = [
  ...(Object.keys(IMPORT_KINDS) as ImportName[]).map(importCommand),
  importList,
  importRemove,
];

function importCommand(name: ImportName): Command {
  const command: Command = {
    name: `import ${name}`,
    operands: "[FILE…]",
    summary: SUMMARIES[name],
    examples: [`${name}.csv`, "--template"],
    flags: importFlags(name),
    settings: ["data", "cluster"],
    report: (invocation) => {
      const { io, config, operands, flags } = invocation;
      if (flags["template"]) return { json: recordTemplate(name), text: recordTemplate(name) };
      if (operands.length === 0) throw usage(command, "It takes FILE…");
      // Before a sample market is generated, which takes seconds.
      readImportOptions(flags);
      readOneKey(name, flags);
      refuseUnreadable(operands);
      return withImports(invocation, async (market, writer) => {
        const now = io.clock();
        const target = { market, writer, now };
        // The market has the same symbols before and after the first start of the service.
        const origin = readyMarket(market, config.market, now);
        const report = await importRecords(name, target, invocation);
        // So that a folder for the live market never gets the sample in addition to the import.
        claimMarket(market, origin);
        return report;
      });
    },
  };
  return command;
}
