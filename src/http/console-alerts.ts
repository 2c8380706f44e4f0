import { Type } from "@sinclair/typebox";
import type { MetricName } from "#analytics/metrics.ts";
import { chooseSecret } from "#alerts/channel.ts";
import type { ChannelTest } from "#alerts/channel-tests.ts";
import type { Session } from "#access/sessions.ts";
import { requireDocument } from "#access/user-data.ts";
import { type Channel, CHANNEL_KINDS, type DeliveryState } from "#domain/alert.ts";
import { invalidArgument } from "#domain/errors.ts";
import { StringEnum } from "#domain/schema.ts";
import type { AlertWithState, ShownChannel } from "#domain/user-alerts.ts";
import type { UserSettings } from "#domain/user-settings.ts";
import { dateIn } from "#lib/zone.ts";
import { NO_SPLITS, truthOf } from "#operations/alerts/condition.ts";
import type { AlertFacts } from "#operations/alerts/message.ts";
import { messageText, type MessageText } from "#operations/alerts/message-text.ts";
import { parseRule, type Rule } from "#operations/alerts/rule.ts";
import { farLimits } from "#operations/alerts/true-now.ts";
import { compareStocks } from "#operations/compare-stocks.ts";
import { decodeRequest, readPayload } from "#operations/execute.ts";
import type { PayloadOf } from "#operations/index.ts";
import {
  type AlertParts,
  type ConsoleCall,
  endpoint,
  marketEndpoint,
  type ReadMarket,
  wholeOf,
} from "./console-endpoint.ts";

/** Messages of a page. */
const MESSAGES = 30;
/** Messages among which the last one of each rule is looked for. */
const LOOKED_AT = 500;

/** A rule with what is known of it. */
type ShownAlert = AlertWithState & {
  /** When its last message was made, UTC milliseconds; null if none is among the newest. */
  readonly firedAt: number | null;
  /** True if it is paused because it fired too often. */
  readonly firedTooOften: boolean;
};

/** A message in the words of its reader. */
interface ShownMessage extends MessageText {
  readonly id: string;
  /** The name of its rule; `list:NAME` of a thesis. */
  readonly alert: string;
  /** UTC milliseconds. */
  readonly at: number;
  readonly deliveries: readonly {
    readonly channel: string;
    readonly state: DeliveryState;
    readonly error: string | null;
  }[];
}

/** What a condition is now, before it is saved. */
interface AlertCheck {
  /** The rule in its usual form. */
  readonly text: string;
  readonly kind: Rule["kind"];
  /** What was probably meant otherwise, and what can never or always hold. */
  readonly notes: readonly string[];
  /** The figures of the condition now; empty for a list, an event and a brief. */
  readonly now: readonly { readonly metric: string; readonly value: string | number | null }[];
  readonly currency: string | null;
  /** True if the condition holds now, null if that is not known. */
  readonly is: boolean | null;
}

const AlertBody = Type.Object({
  watch: Type.Optional(Type.String({ maxLength: 60, description: "It is US:AAPL or list:NAME." })),
  when: Type.Optional(Type.String({ maxLength: 1_200, description: "It is a rule: price<380." })),
  repeat: Type.Optional(StringEnum(["once", "again"], { description: "It is once or again." })),
  to: Type.Optional(Type.String({ maxLength: 500, description: "It names channels, or is none." })),
  title: Type.Optional(Type.String({ maxLength: 120, description: "It is a text." })),
  quiet: Type.Optional(Type.String({ maxLength: 20, description: "It is 22:00-07:00 or none." })),
  paused: Type.Optional(Type.Boolean({ description: "It is true or false." })),
});

const ChannelBody = Type.Object({
  kind: StringEnum(CHANNEL_KINDS, { description: `It is one of ${CHANNEL_KINDS.join(", ")}.` }),
  url: Type.Optional(Type.String({ maxLength: 500, description: "It is an address." })),
  address: Type.Optional(Type.String({ maxLength: 254, description: "It is a mailbox." })),
  secret: Type.Optional(Type.String({ maxLength: 200, description: "It is a secret or a token." })),
});

/** The endpoints of the alerts and channels of the user who is signed in. */
export const ALERT_ENDPOINTS = [
  endpoint({ route: "GET alerts", role: "user", handle: listAlerts }),
  endpoint({
    route: "PUT alerts/:name",
    role: "user",
    body: AlertBody,
    async handle(call): Promise<{ name: string; isNew: boolean; when: string }> {
      const written = { name: call.param("name"), ...call.body };
      const { alert, isNew } = await call.parts.alerts.save(written, dataOf(call));
      return { name: alert.name, isNew, when: alert.when };
    },
  }),
  endpoint({
    route: "DELETE alerts/:name",
    role: "user",
    handle: async (call) => void (await dataOf(call).remove("alert", call.param("name"))),
  }),
  endpoint({ route: "GET alert-messages", role: "user", handle: listMessages }),
  marketEndpoint({
    route: "GET alert-check",
    handle: ({ visit, parts }, read) => check(visit.query, parts.alerts, read),
  }),
  endpoint({
    route: "PUT channels/:name",
    role: "user",
    body: ChannelBody,
    handle: saveChannel,
  }),
  endpoint({
    route: "DELETE channels/:name",
    role: "user",
    handle: async (call) => void (await dataOf(call).remove("channel", call.param("name"))),
  }),
  endpoint({
    route: "POST channels/:name/test",
    role: "user",
    async handle(call): Promise<ChannelTest> {
      const { value } = await dataOf(call).get("channel", call.param("name"));
      return call.parts.alerts.test(call.session.user, value, await dataOf(call).settings());
    },
  }),
] as const;

type Call<Body = unknown> = Pick<
  ConsoleCall<Body, Session>,
  "parts" | "actor" | "session" | "param" | "visit" | "body"
>;

const dataOf = ({ parts, actor, session }: Call) => parts.userDataOf(session.user, actor);

async function listAlerts(
  call: Call,
): Promise<{ alerts: readonly ShownAlert[]; channels: readonly ShownChannel[] }> {
  const { alerts } = dataOf(call);
  const messages = await alerts.messages({ limit: LOOKED_AT });
  const list = await alerts.list();
  return {
    alerts: list.map((alert) => {
      const own = messages.filter((message) => message.alert === alert.name);
      const fired = own.find(({ kind }) => kind !== "paused");
      return {
        ...alert,
        firedAt: fired?.at ?? null,
        firedTooOften: alert.paused === true && own[0]?.kind === "paused",
      };
    }),
    channels: await alerts.channels(),
  };
}

/** The newest messages, in the language and the zone of the page if the user has not chosen one. */
async function listMessages(call: Call): Promise<readonly ShownMessage[]> {
  const { query } = call.visit;
  const most = Number.MAX_SAFE_INTEGER;
  const at = wholeOf(query, "before", { least: 0, most, fallback: most });
  const before = { at, id: query.get("id") ?? "" };
  const data = dataOf(call);
  const settings = { ...readerOf(query), ...(await data.settings()) };
  const messages = await data.alerts.messages({ before, limit: MESSAGES });
  return messages.map(({ id, alert, at: madeAt, facts, deliveries }) => ({
    id,
    alert,
    at: madeAt,
    ...messageText(facts as AlertFacts, settings),
    deliveries,
  }));
}

/** The language and the zone of a page. */
function readerOf(query: URLSearchParams): Pick<UserSettings, "language" | "timeZone"> {
  const [language, timeZone] = [query.get("language"), query.get("zone")];
  const known = (["en", "ja", "vi"] as const).find((one) => one === language);
  return { ...(known && { language: known }), ...(isZone(timeZone) && { timeZone }) };
}

function isZone(timeZone: string | null): timeZone is string {
  try {
    return timeZone !== null && dateIn(timeZone, 0) !== "";
  } catch {
    return false;
  }
}

/** Stores a channel. Its secret is in the answer if bourse made it now. */
async function saveChannel(
  call: Call<{ readonly kind: Channel["kind"]; readonly secret?: string }>,
): Promise<{ name: string; secret: string | null }> {
  const data = dataOf(call);
  const name = call.param("name");
  const isKnown = (await data.list("channel")).some((one) => one.name === name);
  const before = isKnown ? (await data.get("channel", name)).value : null;
  const { secret, isMade } = chooseSecret(call.body, before);
  const written = { ...call.body, name, ...(secret !== undefined && { secret }) };
  const channel = requireDocument("channel", written);
  const fault = call.parts.alerts.faultOf(channel);
  if (fault !== null) throw invalidArgument(fault, { param: "channel" });
  await data.save("channel", channel);
  return { name: channel.name, secret: isMade ? (secret ?? null) : null };
}

/** Reads a rule, and compares the figures of its instrument now. @throws BourseError that teaches the right form */
async function check(
  query: URLSearchParams,
  { notesOn }: AlertParts,
  read: ReadMarket,
): Promise<AlertCheck> {
  const rule = parseRule(query.get("when") ?? "");
  const watch = query.get("watch") ?? "";
  const { kind, text } = rule;
  const notes = notesOn(rule, watch);
  const unknown = { kind, text, notes, now: [], currency: null, is: null };
  if (rule.kind !== "condition" || watch === "" || watch.startsWith("list:")) return unknown;
  const { screen, currency } = rule;
  const metrics = screen
    .flat()
    .flatMap(({ metric, right }) => (right.kind === "metric" ? [metric, right.metric] : [metric]));
  const asked = {
    symbols: watch,
    metrics: [...new Set(metrics)].join(","),
    ...(currency && { currency }),
  };
  const payload = await readPayload<PayloadOf<"compare_stocks">>(
    await read(decodeRequest(compareStocks, asked)),
  );
  const [row = []] = payload.rows;
  const now = [...new Set(metrics)].map((metric) => {
    const value = row[payload.columns.indexOf(metric)] ?? null;
    return { metric, value: typeof value === "boolean" ? null : value };
  });
  const figures = new Map(now.map(({ metric, value }) => [metric, value]));
  const numberOf = (value: string | number | null | undefined) =>
    typeof value === "number" ? value : null;
  const known = {
    read: (metric: MetricName) => numberOf(figures.get(metric)),
    medianOf: () => null,
  };
  const is = truthOf(screen, known, NO_SPLITS);
  const far = farLimits(rule, known, payload.currency);
  return { kind, text, notes: [...notes, ...far], now, currency: payload.currency, is };
}
