import { type Static, type TLiteral, type TObject, type TUnion, Type } from "@sinclair/typebox";
import type { ChannelTest } from "#alerts/channel-tests.ts";
import type { Accounts } from "#access/accounts.ts";
import type { Role } from "#access/roles.ts";
import type { Actor } from "#access/audit.ts";
import type { IpGate } from "#access/ip-gate.ts";
import type { PlanName } from "#access/plans.ts";
import type { RefusedCalls } from "#access/refused-calls.ts";
import type { OAuth } from "#access/oauth.ts";
import type { Session } from "#access/sessions.ts";
import type { SignIn } from "#access/sign-in.ts";
import type { UserData } from "#access/user-data.ts";
import type { Channel } from "#domain/alert.ts";
import { invalidArgument } from "#domain/errors.ts";
import type { OwnDocuments } from "#domain/user-documents.ts";
import type { ListItem } from "#domain/user-list.ts";
import type { UserSettings } from "#domain/user-settings.ts";
import type { Rule } from "#operations/alerts/rule.ts";
import type { SavedAlert, WrittenAlert } from "#operations/alerts/written-alert.ts";
import type { ListedItem } from "#feeds/list-files.ts";
import type { Log } from "#lib/log.ts";
import type { ListAnswers } from "#domain/list-file.ts";
import type { CachedAnswer, Client, DecodedRequest } from "#operations/execute.ts";
import type { ListPreview } from "#operations/portfolio/list-preview.ts";
import type { BoundedAnswers } from "./bounded-answers.ts";
import type { CallLog } from "./call-log.ts";
import type { ChangeStreams } from "./change-streams.ts";
import type { BodyLimits } from "./json-body.ts";
import type { Provider } from "./provider.ts";
import type { ServiceReports } from "./service-reports.ts";
import type { Visit, VisitSettings } from "./visit.ts";

/** A file of another program as a page sends it. */
export interface UploadedFile {
  readonly name: string;
  /** What the user decided where the file can be read in several ways. */
  readonly answers: ListAnswers;
  readonly bytes: Uint8Array;
  /** The page that waits for the answer. */
  readonly client?: Client;
}

/** What alerts and channels of a user need besides their documents. */
export interface AlertParts {
  /** Stores an alert among the documents of its user. @throws BourseError about the first argument that is wrong */
  readonly save: (written: WrittenAlert, own: OwnDocuments) => Promise<SavedAlert>;
  /** Why a channel cannot be used, in one sentence; null if it can. */
  readonly faultOf: (channel: Channel) => string | null;
  /** Why a rule sends nothing, or never stops: sentences. @throws BourseError for an unknown series */
  readonly notesOn: (rule: Rule, watch: string) => readonly string[];
  /** Sends a test to a channel of a user. @throws BourseError `rate_limited` */
  readonly test: (user: string, channel: Channel, settings: UserSettings) => Promise<ChannelTest>;
}

/** Sign-ins without a password or a link of this service. */
export interface OtherSignIns {
  /** The OpenID provider; null if none is set. */
  readonly provider: {
    readonly issuer: string;
    readonly load: () => Promise<Provider>;
  } | null;
  /** The plan of a user who signs in by a proxy or provider for the first time; null if no user is made. */
  readonly newUsers: PlanName | null;
  /** The page that follows a sign-out; null for the console's own. */
  readonly signOutUrl: string | null;
}

/** The dependencies of the console. */
export interface ConsoleParts {
  readonly reports: ServiceReports;
  readonly signIn: SignIn;
  readonly changes: ChangeStreams;
  /** The calls that this process has answered. */
  readonly calls: CallLog;
  /** The refused calls of the last 30 days, on all nodes. */
  readonly refused: RefusedCalls;
  /** Accounts whose changes are recorded as that person's. */
  readonly accountsOf: (actor: Actor) => Accounts;
  /** The lists, screens and settings of a user, whose changes are recorded as that person's. */
  readonly userDataOf: (user: string, actor: Actor) => UserData;
  /** Checks the items of a list. @throws BourseError for those that the market does not know, and for prices paid that cannot be */
  readonly checkItems: (items: readonly ListItem[]) => void;
  readonly alerts: AlertParts;
  /** Reads a file of another program as a list, and stores nothing. @throws BourseError `invalid_argument`, `unavailable` */
  readonly readList: (file: UploadedFile) => Promise<ListPreview>;
  /** The items of a list with what the market knows of their instruments. */
  readonly describeItems: (items: readonly ListItem[]) => readonly ListedItem[];
  /** The names of instruments in a language, by `JP:7203`; none in a language without them. */
  readonly namesIn: (language: string) => Readonly<Record<string, string>>;
  readonly bounded: BoundedAnswers;
  /** How long an answer may take, in milliseconds. */
  readonly answerMs: number;
  /** The authorization server; null if clients cannot connect by OAuth. */
  readonly oauth: (() => Promise<OAuth>) | null;
  readonly others: OtherSignIns;
  /** Null if requests are not limited by address. */
  readonly gate: IpGate | null;
  /** How many requests a user may send in a minute, over all sessions; 600 if absent. */
  readonly perUser?: number | undefined;
  readonly settings: VisitSettings;
  readonly market: "sample" | "live";
  /** True on a node of a cluster. */
  readonly isNode: boolean;
  readonly version: string;
  /** UTC milliseconds. */
  readonly clock: () => number;
  readonly log: Log;
}

/**
 * Runs an operation for the user of a session, and counts it as one of the answers with data of this hour.
 *
 * @throws BourseError `rate_limited` where the plan allows no more of them
 */
export type ReadMarket = (request: DecodedRequest) => Promise<CachedAnswer>;

/** A request to an endpoint, checked as the endpoint declares. */
export interface ConsoleCall<Body, Who extends Session | null> {
  /** Without `bounded`, because `marketEndpoint` alone runs operations: it counts them. */
  readonly parts: Omit<ConsoleParts, "bounded">;
  readonly visit: Visit;
  /** The session of the request; null without one, only if the endpoint is for anyone. */
  readonly session: Who;
  /** The address by which attempts are counted. */
  readonly group: string;
  /** The person behind the request, for the audit log; without a session the name is empty. */
  readonly actor: Actor;
  /** A parameter of the path, decoded: `param("id")` of `tokens/:id`. */
  readonly param: (name: string) => string;
  /** A number in the path. @throws BourseError `not_found` if it is not a whole number */
  readonly id: () => number;
  readonly body: Body;
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
type Route = `${Method} ${string}`;

/** An endpoint below `/console/api/`. The dispatcher makes all checks that follow from it. */
export interface Endpoint<
  R extends Route = Route,
  Body extends TObject = TObject,
  Answer = unknown,
> {
  /** The method and the path: `DELETE tokens/:id`. */
  readonly route: R;
  readonly method: Method;
  readonly path: string;
  /** Who may call it: `user` is every signed-in user. */
  readonly role: Role | "anyone";
  /** The schema of the JSON body; without it, a body is ignored. */
  readonly body?: Body;
  /** A small object's if left out. */
  readonly limits?: BodyLimits;
  /** True if it runs operations. The service counts and bounds each one. */
  readonly readsMarket?: true;
  /** Returns the JSON value of the answer, undefined for 204, or a whole response. Throws BourseError. */
  handle(call: ConsoleCall<unknown, Session | null>, read: ReadMarket): Answer;
}

/**
 * A whole number in the query of a URL, or `fallback` if it is left out.
 *
 * @throws BourseError `invalid_argument` if it is not a number from `least` to `most`
 */
export function wholeOf(
  query: URLSearchParams,
  name: string,
  { least, most, fallback }: { least: number; most: number; fallback: number },
): number {
  const text = query.get(name);
  if (text === null) return fallback;
  const number = /^\d{1,16}$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw invalidArgument(`${name} must be a whole number from ${least} to ${most}.`, {
    param: name,
  });
}

type Declared<
  E extends Endpoint,
  Body,
  Who extends Session | null,
  Answer,
  Reads extends readonly ReadMarket[] = [],
> = Pick<E, "route" | "body" | "limits"> & {
  handle(call: ConsoleCall<Body, Who>, ...reads: Reads): Answer;
};

/** The endpoint with what its route says. */
function complete<E extends Endpoint>(declared: object & Pick<E, "route">, more: object = {}): E {
  const [method, path] = declared.route.split(" ");
  return { ...declared, method, path, ...more } as unknown as E;
}

/** Declares an endpoint for every signed-in user, or for admins only. */
export const endpoint = <const R extends Route, Body extends TObject, Answer>(
  declared: Declared<Endpoint<R, Body>, Static<Body>, Session, Answer> & { readonly role: Role },
) => complete<Endpoint<R, Body, Answer>>(declared);

/** Declares an endpoint for every signed-in user that answers with figures of the market. */
export const marketEndpoint = <const R extends Route, Answer>(
  declared: Declared<Endpoint<R>, unknown, Session, Answer, [read: ReadMarket]>,
) => complete<Endpoint<R, TObject, Answer>>(declared, { role: "user", readsMarket: true });

/** Declares an endpoint that needs no session. */
export const publicEndpoint = <const R extends Route, Body extends TObject, Answer>(
  declared: Declared<Endpoint<R, Body>, Static<Body>, Session | null, Answer>,
) => complete<Endpoint<R, Body, Answer>>(declared, { role: "anyone" });

/** A schema of names, with an error that lists them. */
export function oneOf<Name extends string>(names: readonly Name[]): TUnion<TLiteral<Name>[]> {
  return Type.Union(
    names.map((name) => Type.Literal(name)),
    { description: `It is one of ${names.join(", ")}.` },
  );
}
