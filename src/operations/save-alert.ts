import { Type } from "@sinclair/typebox";
import { MAX_CONDITION } from "#domain/user-list.ts";
import { StringEnum } from "#domain/schema.ts";
import { AlertNameInput } from "./get-alerts.ts";
import { defineOperation, type OwnContext } from "./operation.ts";
import type { InputKeywords } from "./reading/decode.ts";

const text = (maxLength: number, description: string, example: string) =>
  Type.String({
    maxLength,
    description,
    example,
    expected: `text of at most ${maxLength} characters, such as ${example}`,
  } satisfies InputKeywords & Parameters<typeof Type.String>[0]);

/** A list of names as text. What is no list of texts stays. */
function namesText(value: unknown): unknown {
  if (!Array.isArray(value) || !value.every((one) => typeof one === "string")) return value;
  return value.length === 0 ? "none" : value.join(",");
}

/** Symbols in an answer. */
const MAX_NAMED = 20;

/** Saves a rule of the caller. */
export const saveAlert = defineOperation({
  name: "save_alert",
  set: "alerts",
  title: "Save an alert",
  description:
    "Tells the user once a condition of screen_stocks or an event comes true, or sends a brief. What is left out stays.",
  path: "/data/alerts/{name}",
  input: Type.Object({
    name: AlertNameInput,
    watch: Type.Optional(text(60, "Symbol or list:NAME.", "US:AAPL")),
    when: Type.Optional(
      text(
        MAX_CONDITION,
        "price<380, earnings in 1d, ex_date in 2d, statement, rating_change, release CPI JP, brief daily 07:30.",
        "price<380",
      ),
    ),
    repeat: Type.Optional(
      StringEnum(["once", "again"], { description: "New: once, events again." }),
    ),
    to: Type.Optional({
      ...text(500, "Channels, or none. All if new.", "none"),
      expected: "names of channels, such as phone,mail, or none",
      read: namesText,
    }),
    title: Type.Optional(text(120, "Words of the user.", "Apple is cheap")),
    quiet: Type.Optional(text(20, "Silent hours: 22:00-07:00.", "22:00-07:00")),
    paused: Type.Optional(Type.Boolean({ description: "true pauses." })),
  }),
  method: "PUT",
  own: true,
  right: "alerts:write",
  output: Type.Object({
    name: Type.String({ description: "Name of the alert: cheap-apple." }),
    is_new: Type.Boolean({ description: "False if there was one." }),
    when: Type.String({ description: "Its condition in the usual form: price<380." }),
    to: Type.Array(Type.String(), { description: "Its channels." }),
    true_now: Type.Array(Type.String(), {
      description: "Symbols that meet the condition already: US:AAPL. At most 20.",
    }),
    note: Type.Optional(Type.String({ description: "What the user should know." })),
  }),
  async handle(written, context) {
    // A start needs no language of rules.
    const { saveWrittenAlert } = await import("./alerts/written-alert.ts");
    const { describeTrueNow, findTrueNow } = await import("./alerts/true-now.ts");
    const {
      alert,
      rule,
      isNew,
      notes: said,
    } = await saveWrittenAlert(written, context as OwnContext);
    const { name, when, to, watch = "" } = alert;
    const now =
      rule.kind === "condition" ? await findTrueNow(rule, watch, context as OwnContext) : null;
    const notes = [...(now ? [describeTrueNow(now)] : []), ...said];
    const note = notes.filter((text) => text !== "").join(" ");
    return {
      data: {
        name,
        is_new: isNew,
        when,
        to,
        true_now: now?.keys.slice(0, MAX_NAMED) ?? [],
        ...(note !== "" && { note }),
      },
      from: [],
      why: () => null,
    };
  },
});
