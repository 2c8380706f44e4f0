import { Type } from "@sinclair/typebox";
import { StringEnum, TableOutput } from "#domain/schema.ts";
import type { AlertMessage, AlertWithState, OwnAlerts } from "#domain/user-alerts.ts";
import { instrumentOfWatch } from "#domain/alert.ts";
import { BourseError, invalidArgument, notFound } from "#domain/errors.ts";
import { listNameOf, slugOf } from "#domain/user-list.ts";
import { closestHint } from "#lib/closest.ts";
import type { AlertFacts } from "./alerts/message.ts";
import { defineOperation, type OwnContext } from "./operation.ts";
import { CursorInput, NextCursorOutput, pageOf } from "./reading/cursor.ts";
import type { InputKeywords } from "./reading/decode.ts";
import { followRename } from "./reading/symbol-meaning.ts";

/** Rows of a page. */
const PAGE = 30;

const ALERT_COLUMNS = "name watch when repeat to state title quiet".split(" ");
const MESSAGE_COLUMNS = "at alert title text sent".split(" ");

/** The name of an alert of the caller. */
export const AlertNameInput = Type.String({
  minLength: 1,
  maxLength: 60,
  description: "cheap-apple.",
  expected: "the name of an alert of at most 60 characters, such as cheap-apple",
  example: "cheap-apple",
} satisfies InputKeywords & Parameters<typeof Type.String>[0]);

const input = Type.Object({
  name: Type.Optional(AlertNameInput),
  show: Type.Optional(
    StringEnum(["alerts", "messages"], { description: "messages, newest first." }),
  ),
  cursor: Type.Optional(CursorInput),
});

/** Alerts of the caller, or the messages that they made. */
export const getAlerts = defineOperation({
  name: "get_alerts",
  set: "alerts",
  title: "Alerts of the user",
  description:
    "The user's alerts, and with show=messages what they said. save_alert changes one; only the user makes channels, in the console.",
  path: "/data/alerts",
  withoutExample: ["name"],
  input,
  routes: [
    { name: "get_alerts", title: "Alerts of the user", path: "/data/alerts", input },
    {
      name: "get_alert",
      title: "One alert of the user",
      path: "/data/alerts/{name}",
      input: Type.Object({ ...input.properties, name: AlertNameInput }),
    },
  ],
  own: true,
  output: Type.Object({
    ...TableOutput,
    total: Type.Optional(Type.Integer({ description: "Number of alerts on all pages." })),
    channels: Type.Array(Type.String(), { description: "phone (ntfy, ntfy.sh)" }),
    next_cursor: NextCursorOutput,
  }),
  table: ({ columns, rows, total, next_cursor: cursor }) => ({
    columns,
    rows,
    total,
    next: cursor === undefined ? null : { cursor },
  }),
  async handle({ name, show = "alerts", cursor }, context) {
    const alerts = (context as OwnContext).alerts();
    const all = await alerts.list();
    const wanted = name === undefined ? null : requireAlert(all, name);
    const channels = (await alerts.channels()).map(
      ({ name: own, kind, where, stopped }) =>
        `${own} (${kind}, ${where}${stopped === undefined ? "" : `, stopped: ${stopped}`})`,
    );
    const page =
      show === "messages"
        ? await messagesPage(alerts, wanted?.name ?? null, cursor)
        : await alertsPage(wanted === null ? all : [wanted], cursor, context as OwnContext);
    return { data: { ...page, channels }, from: [], why: () => null };
  },
});

/** @throws BourseError `not_found` with the closest name */
function requireAlert(all: readonly AlertWithState[], written: string): AlertWithState {
  const name = slugOf(written);
  const found = all.find((one) => one.name === name);
  if (found) return found;
  const names = all.map((one) => one.name);
  throw notFound(`There is no alert ${name || written}${closestHint(name, names)}.`, {
    allowed: names.slice(0, 20),
    hint: "get_alerts names all.",
  });
}

async function alertsPage(
  alerts: readonly AlertWithState[],
  cursor: string | undefined,
  context: OwnContext,
) {
  const { items, next } = pageOf(alerts, ({ name }) => name, { cursor, limit: PAGE });
  const lists = new Set((await context.own.list("list")).map(({ name }) => name));
  const rows = [];
  for (const one of items) {
    rows.push([
      one.name,
      one.watch ?? null,
      one.when,
      one.repeat,
      one.to.join(","),
      (await whyIdle(one, lists, context)) ?? stateOf(one),
      one.title ?? null,
      one.quiet ?? null,
    ]);
  }
  return { columns: ALERT_COLUMNS, rows, total: alerts.length, ...next };
}

/** Why a rule watches nothing, such as a list that was renamed; null if it watches something. */
async function whyIdle(
  { watch = "" }: AlertWithState,
  lists: ReadonlySet<string>,
  { market, own }: OwnContext,
): Promise<string | null> {
  const instrument = watch === "" ? null : instrumentOfWatch(watch);
  if (instrument) {
    const found = market.instruments.find(followRename(market, instrument));
    return found && found.delistedAt === undefined ? null : `${watch} is not listed`;
  }
  const name = listNameOf(watch);
  if (name === null || lists.has(name)) return null;
  try {
    // The members of an index.
    await own.get("list", name);
    return null;
  } catch (error) {
    if (!(error instanceof BourseError) || error.code !== "not_found") throw error;
    return `there is no ${watch}`;
  }
}

/**
 * `true now`, `true now for 2 of 12`, `paused`; `not judged yet` before its first judgement, `waiting` of an event. A rule
 * that fires once has `fired` when nothing more comes, `fired for 2 of 12` until then.
 */
function stateOf(alert: AlertWithState): string {
  const { paused, states, done } = alert;
  const count = states.true + states.false + states.unknown;
  const fired = done === 0 ? [] : [done === count ? "fired" : `fired for ${done} of ${count}`];
  return [...(paused ? ["paused"] : []), ...fired, ...truthOf(alert, count, fired.length > 0)].join(
    ", ",
  );
}

/** What is known of a condition; of an event, which is neither true nor false, that it is awaited. */
function truthOf(
  { paused, states, watch, when }: AlertWithState,
  count: number,
  hasFired: boolean,
): string[] {
  if (!/[<>=]/.test(when)) return paused || hasFired ? [] : ["waiting"];
  const { true: held, unknown } = states;
  if (count === 0) return ["not judged yet"];
  if (watch?.startsWith("list:"))
    return [`true now for ${held} of ${count}${unknown > 0 ? `, ${unknown} unknown` : ""}`];
  return [held > 0 ? "true now" : unknown > 0 ? "unknown" : "not true now"];
}

async function messagesPage(alerts: OwnAlerts, alert: string | null, cursor: string | undefined) {
  const before = cursor === undefined ? null : readCursor(cursor);
  const found = await alerts.messages({ alert, before, limit: PAGE + 1 });
  const shown = found.slice(0, PAGE);
  const last = shown.at(-1);
  // A start needs none of their words.
  const { messageText } = await import("./alerts/message-text.ts");
  const rows = shown.map(({ at, alert, facts, deliveries }) => {
    const { title, body } = messageText(facts as AlertFacts, {});
    const sent = deliveries
      .map(({ channel, state, error }) => `${channel} ${state}${error ? `: ${error}` : ""}`)
      .join("; ");
    return [new Date(at).toISOString(), alert, title, body, sent];
  });
  return {
    columns: MESSAGE_COLUMNS,
    rows,
    ...(last && found.length > PAGE && { next_cursor: writeCursor(last) }),
  };
}

const writeCursor = ({ at, id }: AlertMessage) => Buffer.from(`${at} ${id}`).toString("base64url");

/** @throws BourseError `invalid_argument` for a text that is no cursor of messages */
function readCursor(cursor: string): Pick<AlertMessage, "at" | "id"> {
  const [, at, id] =
    /^(\d{1,15}) (msg_\w+)$/.exec(Buffer.from(cursor, "base64url").toString()) ?? [];
  if (at !== undefined && id !== undefined) return { at: Number(at), id };
  throw invalidArgument(
    "cursor must be the next_cursor of a previous answer with show=messages; omit it for the first page.",
    { param: "cursor" },
  );
}
