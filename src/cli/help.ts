import { type BourseError, invalidArgument } from "#domain/errors.ts";
import { helpMarkdown, loadPage } from "#docs/page.ts";
import { findTopic, TOPICS } from "#docs/topics.ts";
import { closest } from "#lib/closest.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { type Command, commandHelp, formatEntries } from "./command.ts";

const HELP = `${PROGRAM} help`;

/** The command that prints the documentation, or the help of a command. */
export function helpOf(listCommands: () => readonly Command[]): Command {
  return {
    name: "help",
    operands: "[TOPIC…]",
    summary: "List the topics of the documentation, or print one",
    examples: ["", "operating", "user add"],
    values: { TOPIC: TOPICS.map(({ name }) => name) },
    settings: [],
    async report({ io, operands }) {
      const written = operands.join(" ");
      if (written === "") {
        const json = TOPICS.map(({ name, summary }) => ({ name, summary }));
        return { json, text: listTopics(io.columns) };
      }
      const topic = findTopic(written);
      const command = listCommands().find(({ name }) => name === written);
      if (!topic && command) {
        const text = commandHelp(command, io.columns);
        return { json: { name: command.name, text }, text };
      }
      if (!topic) throw unknownTopic(written, listCommands());
      const page = await loadPage(topic);
      const markdown = helpMarkdown(page, HELP);
      // Another program reads Markdown better than boxes.
      const text =
        io.columns === undefined
          ? markdown
          : Bun.markdown.ansi(markdown, { columns: io.columns, colors: !io.env["NO_COLOR"] });
      return { json: { name: topic.name, title: topic.title, markdown }, text };
    },
  };
}

function listTopics(columns: number | undefined): string {
  return [
    `Usage: ${HELP} TOPIC`,
    "",
    ...formatEntries(
      TOPICS.map(({ name, summary }) => [name, summary] as const),
      columns,
    ),
    "",
    `A running service has the same pages at /docs. \`${PROGRAM} --help\` lists the commands.`,
    "",
  ].join("\n");
}

function unknownTopic(written: string, commands: readonly Command[]): BourseError {
  const names = [...TOPICS, ...commands].map(({ name }) => name);
  const near = closest(written, names);
  return invalidArgument(
    `There is no topic or command \`${written}\`${near ? `; did you mean \`${near}\`?` : ";"} \`${HELP}\` lists the topics.`,
  );
}
