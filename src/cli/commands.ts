import { invalidArgument } from "#domain/errors.ts";
import { closest } from "#lib/closest.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { compileAsUsual } from "#domain/program.ts";
import {
  alertDelete,
  alertList,
  alertSave,
  channelDelete,
  channelList,
  channelSave,
  channelTest,
} from "./alert.ts";
import { audit } from "./audit.ts";
import { backup } from "./backup.ts";
import { CALLS } from "./call.ts";
import { type Command, formatEntries, type Io, listValueFlags, runCommand } from "./command.ts";
import { clusterImport } from "./cluster-import.ts";
import { completionOf } from "./completion.ts";
import { config } from "./config.ts";
import { consoleLink, userPassword, userRole } from "./console.ts";
import { doctor } from "./doctor.ts";
import { doctorConnect } from "./doctor-connect.ts";
import { exportCommand } from "./export.ts";
import { health } from "./health.ts";
import { helpOf } from "./help.ts";
import { IMPORTS } from "./import/commands.ts";
import { licenses } from "./licenses.ts";
import { listDelete, listSave, listShow } from "./list.ts";
import { listExport, listImport } from "./list-file.ts";
import { mcp } from "./mcp.ts";
import { restore } from "./restore.ts";
import { serve } from "./serve.ts";
import { serviceInstall } from "./service-install.ts";
import { sources, sourcesCheck } from "./sources.ts";
import { status } from "./status.ts";
import { sync } from "./sync.ts";
import { upgrade } from "./upgrade.ts";
import { tokenCreate, tokenList, tokenRename, tokenReplace, tokenRevoke } from "./token.ts";
import { userAdd, userList, userPlan, userRemove } from "./user.ts";

/** Every command except the calls of operations, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  serve,
  config,
  mcp,
  consoleLink,
  userAdd,
  userPlan,
  userRole,
  userPassword,
  userList,
  userRemove,
  tokenCreate,
  tokenList,
  tokenRename,
  tokenReplace,
  tokenRevoke,
  listShow,
  listSave,
  listImport,
  listExport,
  listDelete,
  alertList,
  alertSave,
  alertDelete,
  channelList,
  channelSave,
  channelTest,
  channelDelete,
  audit,
  ...IMPORTS,
  sources,
  sourcesCheck,
  sync,
  status,
  backup,
  restore,
  exportCommand,
  clusterImport,
  doctor,
  doctorConnect,
  health,
  serviceInstall,
  upgrade,
  helpOf(() => ALL),
  completionOf(() => ALL),
  licenses,
];

/**
 * Runs the command that the arguments name.
 *
 * @throws BourseError with one sentence if there is no such command, or its arguments are wrong
 */
export async function runProgram(given: Io): Promise<void> {
  const io = { ...given, argv: moveFlagsBack(given.argv) };
  const [first, second] = io.argv;
  const command =
    ALL.find(({ name }) => name === `${first} ${second}`) ?? ALL.find(({ name }) => name === first);
  if (command) {
    if (command !== serve) compileAsUsual();
    await runCommand(command, io.argv.slice(command.name.split(" ").length), io);
    return;
  }
  const group = ALL.filter(({ name }) => name.startsWith(`${first} `));
  const isGroupAlone = group.length > 0 && second === undefined;
  if (first === undefined || isGroupAlone || io.argv.some((word) => HELP_FLAGS.has(word))) {
    io.stdout(programHelp(group.length > 0 ? group : [...COMMANDS, CALL_ANY], io.columns));
    return;
  }
  const written = second === undefined || second.startsWith("-") ? first : `${first} ${second}`;
  const near =
    closest(
      written,
      ALL.map(({ name }) => name),
    ) ?? group[0]?.name;
  throw invalidArgument(
    `There is no command \`${written}\`${near ? `; did you mean \`${near}\`?` : ";"} \`${PROGRAM} --help\` lists all.`,
  );
}

const ALL: readonly Command[] = [...COMMANDS, ...CALLS];

const HELP_FLAGS = new Set(["--help", "-h", "help"]);

/** The arguments with the flags before the command moved after it: `--data x status` is `status --data x`. */
function moveFlagsBack(argv: readonly string[]): readonly string[] {
  if (!argv[0]?.startsWith("-")) return argv;
  const takesValue = listValueFlags(ALL);
  let start = 0;
  while (argv[start]?.startsWith("-")) start += takesValue.has(argv[start] ?? "") ? 2 : 1;
  const words = argv.slice(start);
  return words.length === 0 ? argv : [...words, ...argv.slice(0, start)];
}

/** The line for all calls in the program's help; each call is a separate command. */
const CALL_ANY = {
  name: "call",
  operands: "OPERATION",
  summary: `Run an operation and print its answer; \`${PROGRAM} call\` lists them`,
};

function programHelp(
  commands: readonly Pick<Command, "name" | "operands" | "summary">[],
  columns: number | undefined,
): string {
  const rows = commands.map(
    ({ name, operands, summary }) => [[name, operands].filter(Boolean).join(" "), summary] as const,
  );
  return [
    "bourse: markets data for the United States, Japan and Viet Nam, over REST and MCP.",
    "",
    `Usage: ${PROGRAM} COMMAND [flags]`,
    "",
    ...formatEntries(rows, columns),
    "",
    "Every command has --help. --version prints the version, --version --json also the build.",
    "",
  ].join("\n");
}
