import type { UserData } from "#access/user-data.ts";
import { invalidArgument } from "#domain/errors.ts";
import {
  LIST_CHOICE_NAMES,
  LIST_CHOICES,
  type ListAnswers,
  MAX_LIST_FILE_BYTES,
  type Remark,
} from "#domain/list-file.ts";
import { slugOf } from "#domain/user-list.ts";
import { LIST_FORMATS, writeList } from "#feeds/list-files.ts";
import { readListFile } from "#imports/lists/read.ts";
import { latestDateOf } from "#lib/date.ts";
import { inTurns } from "#lib/next-turn.ts";
import { plainText } from "#lib/plain-text.ts";
import { formatCount, formatTable } from "#lib/table.ts";
import { readTheses } from "#operations/alerts/rule.ts";
import { listHead } from "#operations/save-list.ts";
import { describeItems } from "#operations/portfolio/list-items.ts";
import { type ListPreview, previewList } from "#operations/portfolio/list-preview.ts";
import { formatKey } from "#operations/reading/symbols.ts";
import { type Command, type Invocation, parseChoice, type Result } from "./command.ts";
import { withFiles } from "./import/files.ts";
import { USER_FLAG, withUserData } from "./list.ts";
import { readAnswer } from "./secret-prompt.ts";
import { withMarket } from "./stores.ts";

/** Lines of what is not understood, and of what is left out; --json has all. */
const MAX_LINES = 50;

export const listImport: Command = {
  name: "list import",
  operands: "FILE",
  operandHint:
    "FILE is of Portfolio Performance, Ghostfolio, Wealthfolio, beancount, TradingView, Yahoo, a CSV or symbols",
  summary: "Make a list of a file of another program, after showing what is understood",
  flags: {
    name: { value: "NAME", description: "the list's name (default: the file's name)" },
    ...USER_FLAG,
    yes: { description: "save without asking" },
    "dry-run": { description: "show what is understood, but store nothing" },
    decimal: {
      value: LIST_CHOICES.decimal.join("|"),
      description: "the decimal mark, if the file does not show it",
    },
    "date-order": {
      value: LIST_CHOICES["date-order"].join("|"),
      description: "the order of day, month and year, if the file does not show it",
    },
    count: {
      value: LIST_CHOICES.count.join("|"),
      description: "what counts where a total and the rows of its lots differ",
    },
  },
  examples: ["portfolio.xml", "semis.txt --name semis --yes", "holdings.csv --dry-run --json"],
  settings: ["data", "cluster"],
  report: (invocation) =>
    withUserData(invocation, async (data, user) => {
      // An unknown user is named before the file is read.
      const before = await data.list("list");
      const preview = await readPreview(invocation);
      const name = nameOf(invocation, preview);
      const known = before.find((one) => one.name === name);
      if (invocation.flags["dry-run"] === true) return resultOf(preview, name, false);
      if (preview.items.length === 0) {
        const failure = invalidArgument(
          "No instrument is understood, so there is no list to store.",
        );
        return { ...resultOf(preview, name, false), failure };
      }
      const question = known
        ? `Replace the list ${name} of ${user}, which has ${formatCount(known.items, "item")}`
        : `Save ${formatCount(preview.items.length, "item")} as the list ${name} of ${user}`;
      return confirmAndSave(invocation, {
        data,
        preview,
        name,
        question,
        isKnown: known !== undefined,
      });
    }),
};

/** The list's name: `--name`, or the file's. */
function nameOf({ flags }: Invocation, preview: ListPreview): string {
  const given = flags["name"];
  if (given === undefined) return preview.name;
  const name = slugOf(String(given));
  if (name !== "") return name;
  throw invalidArgument("--name must have letters a-z or digits, such as my-list.");
}

function readPreview({
  io,
  config,
  operands: [path = ""],
  flags,
}: Invocation): Promise<ListPreview> {
  const answers = Object.fromEntries(
    LIST_CHOICE_NAMES.flatMap((name) => {
      const given = flags[name];
      return given === undefined ? [] : [[name, parseChoice(name, given, LIST_CHOICES[name])]];
    }),
  ) as ListAnswers;
  return withFiles(io, [path], async ([file]) => {
    const { name = path, pieces = [] } = file ?? {};
    const today = latestDateOf(io.clock());
    const read = await inTurns(readListFile(name, joinPieces(pieces), { today, ...answers }));
    return withMarket(config, (market) =>
      inTurns(previewList(market, read, { fileName: name, today })),
    );
  });
}

/** The bytes of a file; one too many pieces if it is too large, which the reader refuses. */
function joinPieces(pieces: Iterable<Uint8Array>): Uint8Array {
  const all: Uint8Array[] = [];
  let length = 0;
  for (const piece of pieces) {
    all.push(piece);
    length += piece.length;
    if (length > MAX_LIST_FILE_BYTES) break;
  }
  return Buffer.concat(all);
}

/** A list that is ready to be saved. */
interface Ready {
  readonly data: UserData;
  readonly preview: ListPreview;
  readonly name: string;
  readonly question: string;
  /** True if a list of this name is replaced. */
  readonly isKnown: boolean;
}

async function confirmAndSave(invocation: Invocation, ready: Ready): Promise<Result> {
  const { io, flags } = invocation;
  const { data, preview, name, question, isKnown } = ready;
  const result = resultOf(preview, name, false);
  const terminal = flags["json"] === true ? null : (io.openTerminal?.() ?? null);
  let shown = false;
  if (flags["yes"] !== true) {
    if (!terminal) {
      const failure = invalidArgument(`Nothing was stored. ${question}? Give --yes.`);
      return { ...result, failure };
    }
    io.stdout(result.text ?? "");
    shown = true;
    const answer = await readAnswer(`${question}? [y/N] `, terminal, io.stderr);
    if (!/^y(es)?$/i.test(answer)) return { json: result.json, note: "Nothing was stored.\n" };
  } else if (isKnown && flags["name"] === undefined) {
    const failure = invalidArgument(`${question}? Give --name ${name} to do so, or another name.`);
    return { ...result, failure };
  }
  const items = readTheses(preview.items.map(({ item }) => item));
  await data.replace("list", name, (before) => ({ ...listHead(name, before), items }));
  const note = `${isKnown ? "Replaced" : "Saved"} the list ${name}: ${formatCount(items.length, "item")}.\n`;
  const saved = resultOf(preview, name, true);
  return { json: saved.json, note, ...(!shown && { text: saved.text ?? "" }) };
}

function resultOf(preview: ListPreview, name: string, saved: boolean): Result {
  const { program, items, notUnderstood, remarks, notRead } = preview;
  const rows = items.map(({ place, item, name: instrument, why }) => [
    formatKey(item),
    instrument.slice(0, 40),
    item.shares ?? null,
    item.weight ?? null,
    why === null ? place : `${place}: ${why}`,
  ]);
  const unknown = notUnderstood.map(({ closest, ...one }) => ({
    ...one,
    reason: closest
      ? `${one.reason}; the nearest is ${formatKey(closest.item)} ${closest.name}`
      : one.reason,
  }));
  const count = items.length + unknown.length;
  const text = [
    `Form: ${program}. Understood: ${items.length} of ${formatCount(count, "instrument")}.\n`,
    rows.length > 0 ? `\n${formatTable(["SYMBOL", "NAME", "SHARES", "WEIGHT", "FROM"], rows)}` : "",
    linesOf("Not understood", unknown),
    linesOf("Left out, or taken in part", remarks),
    notRead.length > 0 ? `\nNot read: ${plainText(notRead.join(", "), 400)}.\n` : "",
  ].join("");
  return { json: { ...preview, name, saved }, text };
}

function linesOf(title: string, remarks: readonly Remark[]): string {
  if (remarks.length === 0) return "";
  const lines = remarks
    .slice(0, MAX_LINES)
    .map(({ place, written, reason }) => plainText(`${place}, ${written}: ${reason}`, 400));
  const more = remarks.length - lines.length;
  if (more > 0) lines.push(`and ${more} more, which --json names`);
  return `\n${title}:\n${lines.map((line) => `  ${line}\n`).join("")}`;
}

export const listExport: Command = {
  name: "list export",
  operands: "NAME",
  summary: "Print a list as a file: CSV, or for another program",
  flags: {
    ...USER_FLAG,
    format: {
      value: LIST_FORMATS.join("|"),
      description: "csv has everything (default); tradingview has symbols only, yahoo no weights",
    },
  },
  examples: ["semis", "semis --format tradingview"],
  settings: ["data", "cluster"],
  report: (invocation) =>
    withUserData(invocation, async (data) => {
      const { config, operands, flags } = invocation;
      const format = parseChoice("format", flags["format"] ?? "csv", LIST_FORMATS);
      const { value } = await data.get("list", operands[0] ?? "");
      const { text, leftOut } = await withMarket(config, (market) =>
        writeList(format, describeItems(market, value.items)),
      );
      const note = `Not in this form: ${leftOut.join(", ")}.\n`;
      return {
        json: { name: value.name, format, text, leftOut },
        text,
        ...(leftOut.length > 0 && { note }),
      };
    }),
};
