import { SETTINGS } from "#config.ts";
import { VERSION } from "#domain/program.ts";
import { type Command, flagsOf } from "./command.ts";
import { COMMANDS } from "./commands.ts";

/** The manual page `bourse(1)`, from the declarations of all commands and settings, for man(7). */
export function formatManPage(date: string): string {
  return [
    `.TH BOURSE 1 "${date}" "bourse ${VERSION}" "User Commands"`,
    ".SH NAME",
    "bourse \\- markets data service for the United States, Japan and Viet Nam",
    ".SH SYNOPSIS",
    ".B bourse",
    "\\fICOMMAND\\fR [\\fIflags\\fR]",
    ".SH DESCRIPTION",
    "bourse serves markets data over REST and MCP, with a console, users, tokens and quotas.",
    "The first start creates a data folder with a sample market, whose figures are generated.",
    ".SH COMMANDS",
    ...COMMANDS.flatMap(formatCommand),
    ".SS call OPERATION",
    `${escapeText("Run an operation and print its answer; `bourse call` lists them")}.`,
    ".SH ENVIRONMENT",
    "Each setting is a flag of serve, a variable, and a key of",
    ".I bourse.toml",
    "in the data folder. The first of the three wins.",
    ...Object.values(SETTINGS).flatMap(({ variable, description, fallback }) =>
      formatEntry(variable, `${description} (default: ${fallback || "not set"})`),
    ),
    ".SH FILES",
    ...formatEntry("bourse-data", "The data folder, unless BOURSE_DATA names another one"),
    ".SH EXIT STATUS",
    "0 if the command succeeds, 1 with one sentence on stderr if it fails.",
    "",
  ].join("\n");
}

function formatCommand(command: Command): string[] {
  const { name, operands, summary, examples } = command;
  const flags = Object.entries(flagsOf(command)).flatMap(([flag, { value, description }]) =>
    flag === "help" ? [] : formatEntry([`--${flag}`, value].filter(Boolean).join(" "), description),
  );
  return [
    `.SS ${escapeText([name, operands].filter(Boolean).join(" "))}`,
    `${escapeText(summary)}.`,
    ...flags,
    ...(examples.length > 0 ? [".PP", ".nf"] : []),
    ...examples.map((one) => escapeText(`  bourse ${name} ${one}`.trimEnd())),
    ...(examples.length > 0 ? [".fi"] : []),
  ];
}

const formatEntry = (term: string, text: string) => [
  ".TP",
  `.B ${escapeText(term)}`,
  escapeText(text),
];

/** Text as roff prints it: a line that begins with a point or a quote would be a request. */
function escapeText(text: string): string {
  return text
    .replaceAll("\\", "\\e")
    .replaceAll("-", "\\-")
    .replaceAll(/^([.'])/gm, "\\&$1");
}
