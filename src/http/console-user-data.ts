import { Type } from "@sinclair/typebox";
import type { Session } from "#access/sessions.ts";
import { requireDocument, type UserData } from "#access/user-data.ts";
import type { NamedKind, StoredDocument, UserDocuments } from "#domain/user-documents.ts";
import { type ListItem, MAX_LIST_ITEMS } from "#domain/user-list.ts";
import { UserScreen } from "#domain/user-screen.ts";
import { UserSettings } from "#domain/user-settings.ts";
import { readTheses } from "#operations/alerts/rule.ts";
import { decodeRequest } from "#operations/execute.ts";
import { readScreen, screenStocks } from "#operations/screen-stocks.ts";
import { type ConsoleCall, endpoint } from "./console-endpoint.ts";
import type { BodyLimits } from "./json-body.ts";

/** Enough for the longest notes, whose characters can have three bytes. */
const LIST_LIMITS: BodyLimits = { maxBytes: 2 ** 20, maxContainers: MAX_LIST_ITEMS + 10 };

/** A new title. Without one the title stays; empty text removes it. */
const TITLE = Type.Optional(Type.String({ maxLength: 60, description: "It is a title." }));

const withTitle = <Value extends object>(value: Value, title = "") =>
  title === "" ? value : { ...value, title };

/** The endpoints of the lists, screens and settings of the user who is signed in. */
export const USER_DATA_ENDPOINTS = [
  endpoint({ route: "GET lists", role: "user", handle: (call) => dataOf(call).list("list") }),
  endpoint({ route: "GET lists/:name", role: "user", handle: one("list") }),
  endpoint({
    route: "PUT lists/:name",
    role: "user",
    body: Type.Object({
      // `requireDocument` checks the items, because its error names the wrong one.
      items: Type.Unsafe<ListItem[]>(
        Type.Array(Type.Unknown(), { description: "It is a list of items." }),
      ),
      title: TITLE,
    }),
    limits: LIST_LIMITS,
    handle(call) {
      const list = requireDocument("list", { name: call.param("name"), items: call.body.items });
      call.parts.checkItems(list.items);
      const items = readTheses(list.items);
      return dataOf(call).replace("list", list.name, (before) =>
        withTitle({ ...list, items }, call.body.title ?? before?.title),
      );
    },
  }),
  endpoint({ route: "DELETE lists/:name", role: "user", handle: remove("list") }),
  endpoint({ route: "GET screens", role: "user", handle: (call) => dataOf(call).list("screen") }),
  endpoint({ route: "GET screens/:name", role: "user", handle: one("screen") }),
  endpoint({
    route: "PUT screens/:name",
    role: "user",
    body: Type.Object(
      { ...Type.Omit(UserScreen, ["name"]).properties, title: TITLE },
      { additionalProperties: false },
    ),
    handle(call) {
      const { title, ...body } = call.body;
      const screen = requireDocument("screen", { ...body, name: call.param("name") });
      refuseUnreadable(screen);
      return dataOf(call).replace("screen", screen.name, (before) =>
        withTitle(screen, title ?? before?.title),
      );
    },
  }),
  endpoint({ route: "DELETE screens/:name", role: "user", handle: remove("screen") }),
  endpoint({
    route: "GET user-data",
    role: "user",
    /** What every page of the console needs: the settings and the names of the lists. */
    async handle(call) {
      const data = dataOf(call);
      return { settings: await data.settings(), lists: await data.list("list") };
    },
  }),
  endpoint({
    route: "PUT settings",
    role: "user",
    body: UserSettings,
    handle: (call) => dataOf(call).saveSettings(call.body),
  }),
] as const;

type Call = Pick<ConsoleCall<unknown, Session>, "parts" | "actor" | "session" | "param">;

const dataOf = ({ parts, actor, session }: Call): UserData => parts.userDataOf(session.user, actor);

/** The handler of a request for the list or screen that the path names. */
function one<K extends NamedKind>(kind: K) {
  return async (call: Call): Promise<UserDocuments[K] & Pick<StoredDocument<K>, "changedAt">> => {
    const { value, changedAt } = await dataOf(call).get(kind, call.param("name"));
    return { ...value, changedAt };
  };
}

function remove(kind: NamedKind) {
  return async (call: Call): Promise<void> => {
    await dataOf(call).remove(kind, call.param("name"));
  };
}

/** @throws BourseError `invalid_argument` if the screener does not read it */
function refuseUnreadable(screen: UserScreen): void {
  const { countries, where, sector, industry, exchange, sort, columns } = screen;
  const { input } = decodeRequest(screenStocks, {
    country: countries.join(","),
    ...(where !== "" && { where }),
    ...(sector !== undefined && { sector }),
    ...(industry !== undefined && { industry }),
    ...(exchange !== undefined && { exchange }),
    ...(sort !== undefined && { sort }),
    ...(columns && { metrics: columns.join(",") }),
  });
  readScreen(input);
}
