import { COMMANDS } from "#cli/commands.ts";
import { VERSION } from "#domain/program.ts";
import { npmNameOf, type Publisher } from "./publisher.ts";

/** The commands of the first day. */
const FIRST = [
  "console",
  "user add",
  "token create",
  "import bars",
  "sources check",
  "status",
  "doctor",
  "backup",
];

/**
 * The README of a release, Markdown for people who have the executable but not the repository. Its links are
 * addresses of the publisher, because each kind of package has its files in other places.
 */
export function formatReadme({
  repository,
  npmScope,
}: Pick<Publisher, "repository" | "npmScope">): string {
  const url = `https://github.com/${repository}`;
  return `# bourse ${VERSION}

\`\`\`sh
bourse serve
bourse help
\`\`\`

${npmScope === null ? "" : `From npm without an installation, write \`npx -y ${npmNameOf(npmScope)}\` instead of \`bourse\`. `}The first command runs the service at http://127.0.0.1:8787. Its first start creates the folder \`bourse-data\` with a sample market, in which every figure is generated. It prints a token, only once, and on a terminal a link to the console.

The second command lists the documentation, which is part of the program: \`bourse help start\` has the first steps, \`bourse help programs\` the lines for Excel, Claude and other programs, \`bourse help live-sources\` the sources of real figures. A running service has the same pages at http://127.0.0.1:8787/docs.

bourse serves markets data of the United States, Japan and Viet Nam over REST and MCP, with a console, users, tokens and quotas. Everything is in one program and one data folder.

## Commands

${FIRST.map(formatCommand).join("\n")}

\`bourse --help\` lists all commands, \`bourse COMMAND --help\` explains one. So does the manual page, where the package has one: \`man bourse\`.

## As a service

A package for Debian, Fedora or openSUSE has a unit of systemd, settings in \`/etc/bourse/bourse.toml\` and data in \`/var/lib/bourse\`. Its installation prints the two commands that start it. An archive for Linux has the unit in its program: \`bourse service install\`. \`bourse help operating\` explains both; \`bourse help maintenance\` has the commands to upgrade, back up, restore and move.

## More

- ${url} has the source and reports of faults. \`bourse help security\` says how to report a vulnerability in private.
- \`bourse help changes\` lists what is new. \`bourse licenses\` prints the licences of all packages in the program.
- bourse has the MIT licence.
`;
}

function formatCommand(name: string): string {
  const command = COMMANDS.find((one) => one.name === name);
  if (command === undefined) throw new Error(`The README of a release names no command ${name}.`);
  const call = ["bourse", name, command.operands].filter(Boolean).join(" ");
  return `- \`${call}\`: ${command.summary}`;
}
