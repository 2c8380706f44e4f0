/**
 * The bodies of the console's own interface, `/console/api/…`: what the server sends and the browser
 * reads. Times are UTC milliseconds. An error is the envelope of REST.
 */

/** The rights of a signed-in user: an admin may do everything, a user manages only their own account. */
export type Role = "admin" | "user";

/** `GET service`, which needs no session. */
export interface ServiceInfo {
  readonly version: string;
  /** `sample` figures are generated. */
  readonly market: "sample" | "live";
  /** Where clients reach the service, without a slash at the end: `http://127.0.0.1:8787`. */
  readonly url: string;
  /** True if MCP clients can connect by OAuth. */
  readonly oauth: boolean;
  /** Why sign-in is refused over this connection, in one sentence; null if it is allowed. */
  readonly signInRefused: string | null;
}

/** `GET me`: the signed-in user. Also the answer of `POST session`. */
export interface Me {
  readonly user: string;
  readonly role: Role;
  readonly plan: string;
  readonly hasPassword: boolean;
}

/** The body of `POST session`: the key of a sign-in link, or a name with a password. */
export type SignIn =
  { readonly key: string } | { readonly user: string; readonly password: string };

/** An entry of `GET sessions`: the user's own sessions, newest first. `DELETE sessions/:id` ends one. */
export interface SessionInfo {
  readonly id: number;
  readonly createdAt: number;
  readonly lastUsedAt: number;
  readonly address: string;
  /** The User-Agent header of the sign-in. */
  readonly browser: string;
  /** True for the session of this request. */
  readonly current: boolean;
}

/** The body of `POST password`. All other sessions of the user end. */
export interface PasswordChange {
  /** Left out if the user has no password. */
  readonly current?: string;
  readonly password: string;
}

/** An entry of `GET tokens`: the user's own tokens, or for an admin those of `?user=`. */
export interface TokenInfo {
  readonly id: number;
  readonly user: string;
  /** The first characters of the token. */
  readonly prefix: string;
  readonly label: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
  readonly revokedAt: number | null;
  readonly lastUsedAt: number | null;
  readonly callsToday: number;
  readonly callsThisHour: number;
}

/** The body of `POST tokens`. `expires` is as in `token create --expires`: `90d`, `1y`, `2027-01-31`. */
export interface NewToken {
  readonly label: string;
  readonly expires: string | null;
}

/** The answer of `POST tokens`. Only this answer has the token. */
export interface CreatedToken {
  readonly id: number;
  readonly token: string;
}

/**
 * `GET usage?days=30`: the calls of the user's tokens, or for an admin of those of `?user=`, on the last 1
 * to 400 UTC days, today included.
 */
export interface UsageHistory {
  /** The ceilings of each token; null in plan unlimited. */
  readonly daily: number | null;
  readonly hourly: number | null;
  /** The running windows end at these instants. */
  readonly dayEndsAt: number;
  readonly hourEndsAt: number;
  /** What an entry of `hours` covers: an hour up to 31 days, else a UTC day. */
  readonly unit: "hour" | "day";
  /** Tokens and hours with calls, oldest first, the running hour included; days if `unit` says so. */
  readonly hours: readonly UsageHour[];
}

/** The calls of one token in one UTC hour or day. */
export interface UsageHour {
  readonly tokenId: number;
  /** The start of the hour or day. */
  readonly at: number;
  readonly calls: number;
  /** Calls that were refused because a window was full. */
  readonly denied: number;
}

/** An entry of `GET plans`, smallest first: what a plan allows. */
export interface PlanInfo {
  readonly plan: string;
  /** Calls of each token; null if unlimited. */
  readonly daily: number | null;
  readonly hourly: number | null;
  /** Live tokens of a user. */
  readonly tokens: number;
}

/** The body of `POST users`; the answer is the new user. */
export interface NewUser {
  /** 1 to 64 letters, digits or any of `. _ @ -`. */
  readonly name: string;
  readonly plan: string;
  readonly role: Role;
}

/** The body of `PATCH users/:name`: at least one of them. The answer is the changed user. */
export interface UserChange {
  readonly plan?: string;
  readonly role?: Role;
}

/** An entry of `GET users`, by name. `DELETE users/:name` removes one with all tokens. */
export interface UserInfo {
  readonly name: string;
  readonly role: Role;
  readonly plan: string;
  readonly createdAt: number;
  readonly hasPassword: boolean;
  readonly liveTokens: number;
  readonly callsToday: number;
  readonly callsThisHour: number;
}

/** The answer of `POST users/:name/link`: a link that signs that user in once. */
export interface SignInLink {
  readonly url: string;
  readonly expiresAt: number;
}

/** An entry of `GET sources`: a live source. The list is empty while the market is the sample. */
export interface SourceInfo {
  readonly source: string;
  /** False if no licence offers the data. */
  readonly official: boolean;
  /** `ready`, `ready, with key`, `ready, without key`, `switched off`, or `needs BOURSE_CONTACT`. */
  readonly state: string;
  /** What it provides, in one line. */
  readonly fills: string;
  /** Its terms, in one line. */
  readonly terms: string;
  readonly lastSuccessAt: number | null;
  readonly lastErrorAt: number | null;
  readonly lastError: string | null;
  /** The number of fetches whose last answer was stored without its faulty records. */
  readonly faulty: number;
  /** The source is not called until then, because it failed repeatedly; null if it may be called. */
  readonly blockedUntil: number | null;
  /** The kinds of records that were ever fetched from it. */
  readonly kinds: readonly SourceKind[];
}

/** An entry of `GET terms`, which needs no session: what a live source provides, and its terms. */
export type SourceTerms = Pick<SourceInfo, "source" | "official" | "fills" | "terms">;

/** The fetches of one kind of records from one source for one country. */
export interface SourceKind {
  readonly kind: string;
  readonly country: string;
  /** Null for the whole country at once, else the number of companies that were fetched. */
  readonly companies: number | null;
  /** How many of these fetches failed at their last attempt. */
  readonly failed: number;
  /** Records that the last successful fetches gave: a whole list, or for prices only the newest. */
  readonly records: number;
  readonly succeededAt: number | null;
  /** Of the last failure; null if no fetch failed. */
  readonly error: string | null;
  /** When the background refresh fetches it again; null for companies, whose times differ. */
  readonly nextDueAt: number | null;
}

/** `GET status`: the service that answers. */
export interface ServiceStatus {
  readonly version: string;
  readonly startedAt: number;
  readonly memoryBytes: number;
  /** Requests a second in the last minute. */
  readonly requestsPerSecond: number;
  readonly files: readonly {
    readonly name: string;
    readonly bytes: number;
    readonly schema: number;
  }[];
  /** Also the answer of `POST backup`, which writes one now; null before the first attempt. */
  readonly lastBackup: { readonly at: number; readonly error: string | null } | null;
  /** What the background refresh has done, by country and kind; empty for the sample. */
  readonly progress: readonly {
    readonly kind: string;
    readonly country: string;
    /** The lists and companies whose records are up to date. */
    readonly done: number;
    readonly total: number;
    /** At the pace of the last minutes; null without a pace, 0 if nothing is left. */
    readonly secondsLeft: number | null;
  }[];
  /** Null on one machine. */
  readonly cluster: {
    /** By machine and start; null while the cluster's database does not answer. */
    readonly nodes: readonly NodeInfo[] | null;
  } | null;
}

/** A node of the cluster that was seen in the last minute. */
export interface NodeInfo {
  /** A UUID; a new one at each start. */
  readonly id: string;
  /** The name of its machine. */
  readonly host: string;
  readonly url: string;
  readonly version: string;
  /** Milliseconds since its first report, by the database's clock as all times here. */
  readonly upMs: number;
  /** Milliseconds since its last report, which is due every second. */
  readonly seenMs: number;
  /** The number of the last change of the market that it applied. */
  readonly applied: number;
  /** Changes that it did not apply yet. */
  readonly lag: number;
  /** The tokens whose calls it has counted in advance. */
  readonly leases: number;
  /** True for the node that refreshes the market. */
  readonly isLeader: boolean;
  /** True if it has not reported for longer than the term of a leader. */
  readonly isGone: boolean;
  /** What keeps it from following the log, such as `replaces its market`; null if nothing does. */
  readonly fault: string | null;
  /** The settings that all nodes share and that are other ones than the leader's; `build` for its program. */
  readonly differs: readonly string[];
}

/** An entry of `GET audit?before=ID`: newest first, at most 100. */
export interface AuditEntry {
  readonly id: number;
  readonly at: number;
  /** The user, or `command line`. */
  readonly actor: string;
  /** `sign-in`, `sign-in refused`, `token created`, … */
  readonly action: string;
  /** What was changed: `token 3 of alice (laptop)`. Never a secret. */
  readonly subject: string;
  /** The client's address; null for the command line. */
  readonly address: string | null;
}

/**
 * `GET oauth/request`, with the query of the page `/console/connect` as its own query: what the consent
 * page shows. The query is that of the client's authorization request. 400 if that request is invalid:
 * the page shows the message and sends the browser nowhere.
 */
export interface ConnectRequest {
  /** The name that the client gives itself; at most 64 printable characters. */
  readonly client: string;
  /**
   * `claude.ai` if the client's description was read from that host over https. Null if the client
   * registered itself: then its name is only a claim.
   */
  readonly verifiedHost: string | null;
  /** The host that gets the access, `claude.ai`; null for a program on this computer. Show it prominently. */
  readonly redirectHost: string | null;
  /** The signed-in user, whose token the client gets. */
  readonly user: string;
  readonly plan: string;
  /** When the client's token will expire. */
  readonly expiresAt: number;
  /** The client's live token, which a consent replaces; null if it has none. */
  readonly replaces: Pick<TokenInfo, "id" | "prefix" | "label" | "createdAt"> | null;
  /** Why the user cannot consent, in one sentence (the plan's limit of live tokens); null if possible. */
  readonly refused: string | null;
}

/** The body of `POST oauth/consent`: the query of the page, and the user's decision. */
export interface Consent {
  readonly query: string;
  readonly allow: boolean;
}

/** The answer of `POST oauth/consent`: the page sends the browser there, also after a refusal. */
export interface ConsentAnswer {
  readonly redirect: string;
}
