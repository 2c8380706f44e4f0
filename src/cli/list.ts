import { COMMAND_LINE } from "#access/audit.ts";
import { UserData } from "#access/user-data.ts";
import { readItems } from "#operations/portfolio/list-items.ts";
import { dateOf } from "#lib/date.ts";
import { listHead } from "#operations/save-list.ts";
import { inTurns } from "#lib/next-turn.ts";
import { formatCount, formatMoment, formatTable } from "#lib/table.ts";
import type { Command, Flag, Invocation } from "./command.ts";
import { getFirstUser } from "./console.ts";
import { readyMarket } from "./market.ts";
import { withAccess, withMarket } from "./stores.ts";

/** The flag of every command for lists. */
export const USER_FLAG: Readonly<Record<"user", Flag>> = {
  user: { value: "USER", description: "whose lists (default: the oldest admin)" },
};

/** Opens the lists of the user that `--user` names while `work` runs. */
export function withUserData<T>(
  { io, config, flags }: Pick<Invocation, "io" | "config" | "flags">,
  work: (data: UserData, user: string) => T,
): Promise<Awaited<T>> {
  return withAccess({ io, config }, async (access) => {
    const user = String(flags["user"] ?? (await getFirstUser(access)).name);
    return work(new UserData({ access, clock: io.clock, user, actor: COMMAND_LINE }), user);
  });
}

export const listShow: Command = {
  name: "list show",
  operands: "[NAME]",
  summary: "Show the lists of a user, or the items of one",
  flags: USER_FLAG,
  examples: ["", "semis", "semis --user anna --json"],
  settings: ["data", "cluster"],
  report: (invocation) =>
    withUserData(invocation, (data, user) => {
      const [name] = invocation.operands;
      return name === undefined ? showAll(data, user) : showOne(data, name);
    }),
};

async function showAll(data: UserData, user: string) {
  const listed = await data.list("list");
  const hasTitles = listed.some(({ title }) => title !== undefined);
  const lists = listed.map(({ name, items, changedAt, title = null }) => ({
    name,
    items,
    changed: formatMoment(changedAt),
    ...(hasTitles && { title }),
  }));
  const table = formatTable(
    ["LIST", "ITEMS", "CHANGED", ...(hasTitles ? ["TITLE"] : [])],
    lists.map((list) => Object.values(list)),
  );
  const none = `${user} has no list yet; \`list save\` and \`list import\` make one.\n`;
  return { json: lists, text: lists.length > 0 ? table : none };
}

async function showOne(data: UserData, name: string) {
  const { value, changedAt } = await data.get("list", name);
  const hasTheses = value.items.some(({ thesis }) => thesis !== undefined);
  const hasCosts = value.items.some(({ cost }) => cost !== undefined);
  const rows = value.items.map(({ country, symbol, shares, weight, note, thesis, cost }) => [
    country,
    symbol,
    shares ?? null,
    weight ?? null,
    note ?? null,
    ...(hasTheses ? [thesis?.text ?? null, thesis?.while ?? null] : []),
    ...(hasCosts ? [cost ? `${cost.price} ${cost.currency}` : null, cost?.date ?? null] : []),
  ]);
  const columns = ["COUNTRY", "SYMBOL", "SHARES", "WEIGHT", "NOTE"];
  return {
    json: { ...value, changed: formatMoment(changedAt) },
    text: formatTable(
      [
        ...columns,
        ...(hasTheses ? ["THESIS", "WHILE"] : []),
        ...(hasCosts ? ["COST", "BOUGHT"] : []),
      ],
      rows,
    ),
    note: `${value.title === undefined ? "" : `${value.title}: `}${value.name} has ${formatCount(rows.length, "item")}.\n`,
  };
}

export const listSave: Command = {
  name: "list save",
  operands: "NAME ITEM…",
  operandHint:
    "An item is a symbol or a name, alone, with shares (and the price paid) or with a weight in percent",
  summary: "Save a list of a user, in place of one of that name",
  flags: USER_FLAG,
  examples: [
    "semis NVDA 8035.T",
    "mine US:AAPL=10@150USD@2024-05-01 JP:7203=300 --user anna",
    "mix VN:FPT=40%",
  ],
  settings: ["data", "cluster"],
  report: (invocation) =>
    withUserData(invocation, async (data, user) => {
      const { io, config, operands } = invocation;
      const [written = "", ...texts] = operands;
      // An unknown user is named before a market is opened.
      await data.list("list");
      const { items, understood } = await withMarket(config, (market) => {
        const now = io.clock();
        readyMarket(market, config.market, now);
        return inTurns(readItems(market, texts.join(",").split(","), dateOf(now)));
      });
      const { name, isNew } = await data.replace("list", written, (before) => ({
        ...listHead(written, before),
        items: [...items],
      }));
      const what = `the list ${name} of ${user} with ${formatCount(items.length, "item")}`;
      const why = understood.map((one) => `${one.replace(/\.$/, "")}.\n`).join("");
      return {
        json: { user, name, items, isNew, understood },
        note: `${why}${isNew ? "Saved" : "Replaced"} ${what}.\n`,
      };
    }),
};

/** `KIND delete`: deletes a document of a user. */
export function deleteCommand(
  kind: "list" | "alert" | "channel",
  flags: Readonly<Record<string, Flag>>,
  example: string,
): Command {
  return {
    name: `${kind} delete`,
    operands: "NAME",
    summary: `Delete ${kind === "alert" ? "an" : "a"} ${kind} of a user`,
    flags,
    examples: [example, `${example} --user anna`],
    settings: ["data", "cluster"],
    report: (invocation) =>
      withUserData(invocation, async (data, user) => {
        const name = await data.remove(kind, invocation.operands[0] ?? "");
        return { json: { user, name }, note: `Deleted the ${kind} ${name} of ${user}.\n` };
      }),
  };
}

export const listDelete = deleteCommand("list", USER_FLAG, "semis");
