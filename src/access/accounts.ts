import {
  BourseError,
  type ErrorCode,
  type ErrorDetails,
  invalidArgument,
  notFound,
} from "#domain/errors.ts";
import {
  ALERTS_OF_LINK,
  parseLists,
  parseRights,
  type ReadableLists,
  type Right,
} from "#domain/rights.ts";
import { foldTitle, slugOf } from "#domain/user-list.ts";
import type { Awaitable } from "#lib/awaitable.ts";
import { closestHint } from "#lib/closest.ts";
import { addMonths, DAY_MS, dateOf, isDate } from "#lib/date.ts";
import { nextTurn } from "#lib/next-turn.ts";
import { formatCount, formatMoment } from "#lib/table.ts";
import {
  type AuditEntry,
  type AuditPage,
  countAuditEntries,
  listAuditEntries,
} from "#store/audit.ts";
import { copyBriefMarks, removeMarksOfToken, removeMarksOfUser } from "#store/brief-marks.ts";
import { removeMessagesOfUser, removeStatesOfUser } from "#store/alerts.ts";
import type { AccessStore } from "#store/index.ts";
import {
  addToken,
  countCreatedTokens,
  countLiveTokens,
  findToken,
  listTokens,
  endToken,
  renameToken,
  revokeToken,
  type StoredToken,
  type TokenKind,
  tokenKindOf,
} from "#store/tokens.ts";
import { removeRefusalsOfUser } from "#store/refused-calls.ts";
import { removeHours, usageAt, usageWithout } from "#store/usage.ts";
import { listDocuments, removeDocuments } from "#store/user-documents.ts";
import {
  addUser,
  countAdmins,
  findUser,
  isUserName,
  type ListedUser,
  listUsers,
  removeUser,
  type Role,
  USER_NAME_RULE,
  setPlan,
  setRole,
  type StoredUser,
} from "#store/users.ts";
import type { Work } from "#store/work.ts";
import { type Actor, type AuditAction, COMMAND_LINE, recordAudit } from "./audit.ts";
import { isPlanName, PLAN_NAMES, type PlanName, PLANS, type Plans } from "./plans.ts";
import { parseRole } from "./roles.ts";
import {
  freeLabel,
  nameToken,
  refuseLabel,
  refuseTakenLabel,
  TOKEN_WORDS,
  withEnd,
} from "./token-label.ts";
import type { Guard } from "./guard.ts";
import { createTokenSecret, fingerprintToken } from "./token-secret.ts";
import { readUsageHistory, type UsageHistory } from "./usage-history.ts";
import { readUserDays, type UserDay } from "./user-days.ts";

/** The dependencies of `Accounts`. */
interface AccountsParts {
  readonly access: AccessStore;
  /** The contract's if left out. */
  readonly plans?: Plans;
  /** UTC milliseconds. */
  readonly clock: () => number;
  /** The person behind every change, for the audit log. */
  readonly actor: Actor;
  /**
   * Calls that this process has counted in advance. They are subtracted, so that a person sees only served calls.
   * Left out if the process serves no calls.
   */
  readonly unused?: Guard["unused"];
}

/** Calls on this UTC day and in this UTC hour. */
interface Calls {
  readonly callsToday: number;
  readonly callsThisHour: number;
}

/** A token with the calls on this UTC day and in this UTC hour. */
export type CountedToken = Omit<StoredToken, "usage" | "rights" | "lists"> & {
  readonly kind: TokenKind;
  readonly rights: readonly Right[];
  readonly lists: ReadableLists;
} & Calls;

/** A user with the calls of all tokens on this UTC day and in this UTC hour. */
export type CountedUser = ListedUser & Calls;

/** Calls that a plan allows a token; null if unlimited. */
interface Ceilings {
  readonly daily: number | null;
  readonly hourly: number | null;
}

/** A new user. */
interface AddedUser {
  readonly name: string;
  readonly plan: PlanName;
  readonly role: Role;
}

/** The errors of an argument, not of the database. */
const REFUSALS: ReadonlySet<ErrorCode> = new Set(["invalid_argument", "not_found"]);

/** A new token, with its secret, which is not stored. */
export interface SecretToken {
  readonly token: string;
  readonly id: number;
  /** The label, with a number if another live token of the user has the wanted one. */
  readonly label: string;
}

/** Refuses a name that no user can have. @throws BourseError `invalid_argument` */
export function checkUserName(name: string, details: ErrorDetails = {}): void {
  if (!isUserName(name)) throw invalidArgument(`A user's name has ${USER_NAME_RULE}.`, details);
}

/**
 * Creates and changes users and tokens. Each change and its entry in the audit log are one transaction.
 * Every method throws a `BourseError` that names the fault.
 */
export class Accounts {
  readonly #access: AccessStore;
  readonly #plans: Plans;
  readonly #clock: () => number;
  readonly #actor: Actor;
  readonly #unused: Guard["unused"];

  constructor({ access, plans = PLANS, clock, actor, unused = () => null }: AccountsParts) {
    this.#access = access;
    this.#plans = plans;
    this.#clock = clock;
    this.#actor = actor;
    this.#unused = unused;
  }

  /**
   * Adds a user and returns the plan. The letter case of `planText` does not matter. While there is no
   * admin, as in a new file, the new user becomes one.
   */
  addUser(name: string, planText: string, role: Role = "user"): Awaitable<PlanName> {
    return this.#access.transaction(this.#addUser.bind(this, name, planText, role));
  }

  *#addUser(name: string, planText: string, role: Role): Work<PlanName> {
    return (yield* this.userAddition(name, planText, role)).plan;
  }

  /** The work of `addUser`, for a larger transaction. */
  *userAddition(name: string, planText: string, roleText: string): Work<AddedUser> {
    const plan = parsePlan(planText);
    const role = parseRole(roleText);
    checkUserName(name);
    const given = (yield* countAdmins()) === 0 ? "admin" : role;
    if (!(yield* addUser({ name, plan, role: given, createdAt: this.#clock() }))) {
      throw invalidArgument(
        `The user ${name} exists already${this.#advice(`\`user plan ${name} ${plan}\` changes the plan`)}.`,
      );
    }
    yield* this.#record("user added", `user ${name} (${given}, plan ${plan})`);
    return { name, plan, role: given };
  }

  /**
   * Does the work of every row in one transaction, and returns the results in order. The line of a row that is
   * not in a file is null.
   *
   * @throws BourseError that names every refused row by its line; then nothing is changed
   */
  changeAll<R extends { readonly line: number | null }, T>(
    rows: readonly R[],
    work: (row: R) => Work<T>,
  ): Awaitable<T[]> {
    return this.#access.transaction(function* () {
      const done: T[] = [];
      const refused: string[] = [];
      for (const row of rows) {
        try {
          done.push(yield* work(row));
        } catch (error) {
          // A statement that failed ends the transaction.
          const isRefused = error instanceof BourseError && REFUSALS.has(error.code);
          if (!isRefused || row.line === null) throw error;
          refused.push(`\n  line ${row.line}: ${error.message}`);
        }
      }
      if (refused.length === 0) return done;
      throw invalidArgument(
        `Nothing was changed, because ${refused.length} of ${formatCount(rows.length, "row")} ${refused.length === 1 ? "is" : "are"} refused:${refused.join("")}`,
      );
    });
  }

  /** Changes what the user may do in the console, from the next request on. */
  setRole(name: string, role: Role): Awaitable<void> {
    return this.#access.transaction(() => this.#setRole(name, role));
  }

  *#setRole(name: string, role: Role): Work<void> {
    const user = yield* this.#getUser(name);
    if (user.role === role) return;
    if (role !== "admin") yield* this.#refuseLastAdmin(user);
    yield* setRole(name, role);
    yield* this.#record("role changed", `user ${name}: ${user.role} to ${role}`);
  }

  /** Changes the plan from the next call on; returns how many live tokens exceed the new plan. */
  setPlan(name: string, planText: string): Awaitable<{ plan: PlanName; excess: number }> {
    const plan = parsePlan(planText);
    return this.#access.transaction(() => this.#setPlan(name, plan));
  }

  *#setPlan(name: string, plan: PlanName): Work<{ plan: PlanName; excess: number }> {
    const user = yield* this.#getUser(name);
    if (user.plan !== plan) {
      yield* setPlan(name, plan);
      yield* this.#record("plan changed", `user ${name}: ${user.plan} to ${plan}`);
    }
    let excess = 0;
    for (const kind of ["api", "feed"] as const) {
      const live = yield* countLiveTokens(user.id, kind, this.#clock());
      excess += Math.max(0, live - this.#plans[plan].tokens);
    }
    return { plan, excess };
  }

  /** Removes the user with all that is stored of the user: tokens, counters, lists. */
  removeUser(name: string): Awaitable<void> {
    return this.#access.transaction(() => this.#removeUser(name));
  }

  *#removeUser(name: string): Work<void> {
    const user = yield* this.#getRemovable(name);
    yield* removeUser(name);
    yield* this.#record("user removed", `user ${name} (${user.role}, plan ${user.plan})`);
  }

  /**
   * Like `removeUser`, but first removes lists, screens, alerts, marks of briefs, refused calls and the history of usage in slices, because removing 400
   * days of many tokens at once blocks the thread for some tenths of a second. If it stops halfway, the user
   * remains with fewer of them.
   */
  async removeUserInSlices(name: string): Promise<void> {
    await this.#access.run(this.#getRemovable(name));
    while ((await this.#access.run(removeDocuments(name, DOCUMENTS_PER_SLICE))) > 0)
      await nextTurn();
    for (const remove of [removeMarksOfUser, removeMessagesOfUser, removeStatesOfUser])
      while ((await this.#access.run(remove(name, DOCUMENTS_PER_SLICE))) > 0) await nextTurn();
    for (const remove of [removeHours, removeRefusalsOfUser])
      while ((await this.#access.run(remove(name, HOURS_PER_SLICE))) > 0) await nextTurn();
    await this.removeUser(name);
  }

  /** All users by name, with the calls of their tokens today and this hour (UTC). */
  listUsers(): Awaitable<CountedUser[]> {
    return this.#access.run(this.#listUsers());
  }

  *#listUsers(): Work<CountedUser[]> {
    const tokens = Map.groupBy(yield* this.#listTokens(null), ({ user }) => user);
    return (yield* listUsers(this.#clock())).map((user) => {
      const own = tokens.get(user.name) ?? [];
      const sum = (counted: keyof Calls) => own.reduce((total, token) => total + token[counted], 0);
      return { ...user, callsToday: sum("callsToday"), callsThisHour: sum("callsThisHour") };
    });
  }

  /** What every plan allows, smallest first: calls of each token, and live tokens of a user. */
  listPlans(): (Ceilings & { readonly plan: PlanName; readonly tokens: number })[] {
    return PLAN_NAMES.map((plan) => ({
      plan,
      ...this.#ceilings(plan),
      tokens: this.#plans[plan].tokens,
    }));
  }

  /** The ceilings of a user's tokens and their calls on the last UTC days; see `readUsageHistory`. */
  async listUsage(userName: string, days: number): Promise<Ceilings & UsageHistory> {
    const { plan } = await this.#access.run(this.#getUser(userName));
    const history = await readUsageHistory(
      this.#access,
      userName,
      days,
      this.#clock(),
      this.#unused,
    );
    return { ...this.#ceilings(parsePlan(plan)), ...history };
  }

  /** The calls of all users on the last seven UTC days; see `readUserDays`. */
  listUserDays(): Promise<UserDay[]> {
    return readUserDays(this.#access, this.#clock(), this.#unused);
  }

  #ceilings(plan: PlanName): Ceilings {
    if (plan === "unlimited") return { daily: null, hourly: null };
    const { daily, hourly } = this.#plans[plan];
    return { daily, hourly };
  }

  /**
   * Creates a token, or a feed link. A token reads every list of its user, and a feed link those that are named. It does
   * not read one that is removed or renamed later, also if another list gets the name. With `asOf`, a UTC date,
   * calls with the token have nothing that became known after that day, and no lists.
   */
  createToken(
    userName: string,
    label: string,
    lifetimeMs: number | null,
    kind: TokenKind = "api",
    rights: readonly Right[] = [],
    lists: ReadableLists = kind === "feed" ? [] : null,
    asOf: string | null = null,
  ): Awaitable<SecretToken> {
    return this.#access.transaction(() =>
      this.tokenCreation(userName, label, lifetimeMs, kind, rights, lists, asOf),
    );
  }

  /** The work of `createToken`, for a larger transaction. */
  *tokenCreation(
    userName: string,
    wantedLabel: string,
    lifetimeMs: number | null,
    kind: TokenKind = "api",
    rights: readonly Right[] = [],
    wantedLists: ReadableLists = kind === "feed" ? [] : null,
    asOf: string | null = null,
  ): Work<SecretToken> {
    refuseLabel(wantedLabel);
    refuseRights(kind, rights);
    refuseLists(kind, wantedLists);
    if (asOf !== null) refuseDay(asOf, rights, wantedLists, dateOf(this.#clock()));
    const token = createTokenSecret(kind);
    const fingerprint = fingerprintToken(token);
    if (!fingerprint) throw new Error("a new token does not pass its own check");
    const createdAt = this.#clock();
    const expiresAt = lifetimeMs === null ? null : createdAt + lifetimeMs;
    const user = yield* this.#getUser(userName);
    yield* this.#refuseFlood(user.id, createdAt);
    const plan = parsePlan(user.plan);
    const { tokens: most } = this.#plans[plan];
    const label = yield* freeLabel(user.id, wantedLabel, createdAt);
    const lists = wantedLists && (yield* this.#getLists(userName, wantedLists));
    const row = {
      userId: user.id,
      ...fingerprint,
      label,
      rights: rights.join(" "),
      lists: lists && lists.join(" "),
      asOf,
      createdAt,
      expiresAt,
    };
    const id = yield* addToken(row, most);
    if (id === null) {
      throw invalidArgument(
        `${userName} holds ${most} live ${TOKEN_WORDS[kind]}${most === 1 ? "" : "s"}, as many as plan ${plan} allows${this.#advice("revoke one with `token revoke ID` or choose a larger plan with `user plan`", "revoke one or ask for a larger plan")}.`,
      );
    }
    const end = expiresAt === null ? "" : `, expires ${formatMoment(expiresAt)}`;
    const name = nameToken({ id, user: userName, prefix: fingerprint.prefix, label });
    const allowed = rights.length === 0 ? "" : `, with ${rights.join(", ")}`;
    const read = (lists ?? []).filter((one) => one !== ALERTS_OF_LINK).length;
    const reads = [
      ...(read > 0 ? [formatCount(read, "list")] : []),
      ...(lists?.includes(ALERTS_OF_LINK) ? ["alerts"] : []),
    ];
    const shown = reads.length > 0 ? `, reads ${reads.join(" and ")}` : "";
    const day = asOf === null ? "" : `, as of ${asOf}`;
    yield* this.#record("token created", name + end + day + allowed + shown);
    return { token, id, label };
  }

  /** The names of these lists of a user, each once. @throws BourseError `invalid_argument` for an unknown one */
  *#getLists(userName: string, written: readonly string[]): Work<string[]> {
    const all = yield* listDocuments(userName, "list");
    const known = new Set(all.map(({ name }) => name));
    const nameOf = (one: string) =>
      all.find(({ title }) => title !== undefined && foldTitle(title) === foldTitle(one))?.name ??
      slugOf(one);
    const names = [...new Set(written.map((one) => (one === ALERTS_OF_LINK ? one : nameOf(one))))];
    const unknown = names.findIndex((name) => !known.has(name) && name !== ALERTS_OF_LINK);
    if (unknown < 0) return names;
    throw invalidArgument(
      `${userName} has no list ${names[unknown] || '""'}${closestHint(names[unknown] ?? "", [...known])}.`,
      { param: "lists", allowed: [...known].slice(0, 20) },
    );
  }

  /** The tokens of one user, or of all, with their calls today and this hour (UTC). */
  listTokens(userName: string | null): Awaitable<CountedToken[]> {
    return this.#access.run(this.#listTokens(userName));
  }

  *#listTokens(userName: string | null): Work<CountedToken[]> {
    if (userName !== null) yield* this.#getUser(userName);
    return (yield* listTokens(userName)).map(({ usage, rights, lists, ...token }) => {
      const counted = usageAt(usage, this.#clock());
      const { dayUsed, hourUsed } = usageWithout(counted, this.#unused(token.id));
      const kind = tokenKindOf(token.prefix);
      return {
        ...token,
        kind,
        rights: parseRights(rights),
        lists: parseLists(lists),
        callsToday: dayUsed,
        callsThisHour: hourUsed,
      };
    });
  }

  /** Revokes a token from the next call on. With `owner`, tokens of other users do not exist. */
  revokeToken(id: number, owner: string | null = null): Awaitable<void> {
    return this.#access.transaction(() => this.#revocation(id, owner));
  }

  *#revocation(id: number, owner: string | null): Work<void> {
    yield* this.tokenRevocation(id, owner);
    yield* removeMarksOfToken(id);
  }

  /** Revokes a token whose marks of briefs another one may take over, for a larger transaction. */
  *tokenRevocation(id: number, owner: string | null = null): Work<void> {
    const token = yield* this.#getToken(id, owner);
    if (token.revokedAt !== null) return;
    yield* revokeToken(id, this.#clock());
    yield* this.#record("token revoked", nameToken(token));
  }

  /** Changes the label of a token. With `owner`, tokens of other users do not exist. */
  renameToken(id: number, label: string, owner: string | null = null): Awaitable<void> {
    return this.#access.transaction(() => this.#renaming(id, label, owner));
  }

  *#renaming(id: number, label: string, owner: string | null): Work<void> {
    refuseLabel(label);
    const token = yield* this.#getToken(id, owner);
    if (token.label === label) return;
    const user = yield* this.#getUser(token.user);
    yield* this.#refuseRenames();
    yield* refuseTakenLabel(user.id, label, this.#clock(), id);
    yield* renameToken(id, label);
    yield* this.#record("token renamed", `${nameToken(token)} to ${label}`);
  }

  /**
   * Makes a token with the label, rights and lifetime of another one, which ends after `keepMs`; 0 revokes it now.
   * Until then the other one is `laptop (old)`. With `owner`, tokens of other users do not exist.
   *
   * @throws BourseError `invalid_argument` if the token has ended, or if the plan allows no further one meanwhile
   */
  replaceToken(
    id: number,
    keepMs: number,
    owner: string | null = null,
  ): Awaitable<SecretToken & { readonly kind: TokenKind }> {
    return this.#access.transaction(() => this.#replacing(id, keepMs, owner));
  }

  *#replacing(id: number, keepMs: number, owner: string | null) {
    const now = this.#clock();
    const token = yield* this.#getToken(id, owner);
    const { user, label, prefix, asOf, createdAt, expiresAt, revokedAt } = token;
    if (revokedAt !== null || (expiresAt !== null && expiresAt <= now)) {
      throw invalidArgument(`Token ${id} has ended and cannot be replaced. Make a new one.`);
    }
    if (keepMs === 0) yield* revokeToken(id, now);
    else yield* this.#endOld(token, now + keepMs);
    const kind = tokenKindOf(prefix);
    const lifetimeMs = expiresAt === null ? null : expiresAt - createdAt;
    const rights = parseRights(token.rights);
    const lists = parseLists(token.lists);
    const created = yield* this.tokenCreation(user, label, lifetimeMs, kind, rights, lists, asOf);
    yield* copyBriefMarks(id, created.id);
    const end = keepMs === 0 ? "revoked" : `ends ${formatMoment(now + keepMs)}`;
    yield* this.#record("token replaced", `${nameToken(token)} by token ${created.id}, ${end}`);
    return { ...created, kind };
  }

  /** Ends a replaced token later, and leaves its label to the new one. */
  *#endOld({ id, user, label }: StoredToken, at: number): Work<void> {
    yield* endToken(id, at);
    if (label === "") return;
    const owner = yield* this.#getUser(user);
    yield* renameToken(id, yield* freeLabel(owner.id, withEnd(label, " (old)"), this.#clock()));
  }

  *#getToken(id: number, owner: string | null): Work<StoredToken> {
    const token = yield* findToken(id);
    if (token && (owner === null || token.user === owner)) return token;
    const advice = this.#advice("`token list` shows all");
    throw notFound(`There is no token ${id}${advice}.`);
  }

  /** A part of the audit log, the newest entries first. */
  listAudit(page: AuditPage): Awaitable<AuditEntry[]> {
    return this.#access.run(listAuditEntries(page));
  }

  #record(action: AuditAction, subject: string): Work<void> {
    return recordAudit({ at: this.#clock(), actor: this.#actor, action, subject });
  }

  /** Tokens that are created and revoked in a loop would fill the disk. */
  *#refuseFlood(userId: number, now: number): Work<void> {
    if (this.#actor === COMMAND_LINE) return;
    if ((yield* countCreatedTokens(userId, now - DAY_MS)) < MAX_CREATED_A_DAY) return;
    throw new BourseError(
      "rate_limited",
      `A user can create ${MAX_CREATED_A_DAY} tokens in 24 hours. Wait, or let the operator create it with \`token create\`.`,
      { retryAfterSeconds: 3_600 },
    );
  }

  /** Labels that are changed in a loop would fill the audit log. */
  *#refuseRenames(): Work<void> {
    if (this.#actor === COMMAND_LINE) return;
    const since = this.#clock() - DAY_MS;
    const renamed = yield* countAuditEntries(this.#actor.name, "token renamed", since);
    if (renamed < MAX_RENAMED_A_DAY) return;
    throw new BourseError(
      "rate_limited",
      `A user can rename ${MAX_RENAMED_A_DAY} tokens in 24 hours. Wait, or let the operator rename it with \`token rename\`.`,
      { retryAfterSeconds: 3_600 },
    );
  }

  *#getRemovable(name: string): Work<StoredUser> {
    const user = yield* this.#getUser(name);
    yield* this.#refuseLastAdmin(user);
    return user;
  }

  /** True if that user is the only admin. */
  isOnlyAdmin(name: string): Awaitable<boolean> {
    return this.#access.run(this.#isOnlyAdmin(name));
  }

  *#isOnlyAdmin(name: string): Work<boolean> {
    return (yield* this.#getUser(name)).role === "admin" && (yield* countAdmins()) === 1;
  }

  /** The command line may leave no admin, because it can appoint one at any time. */
  *#refuseLastAdmin({ name, role }: StoredUser): Work<void> {
    if (role !== "admin" || this.#actor === COMMAND_LINE) return;
    if ((yield* countAdmins()) > 1) return;
    throw invalidArgument(`${name} is the only admin. Make another user an admin first.`);
  }

  /** The end of an error's sentence: what to do next, with commands only for the command line. */
  #advice(commands: string, console?: string): string {
    const text = this.#actor === COMMAND_LINE ? commands : console;
    return text === undefined ? "" : `; ${text}`;
  }

  *#getUser(name: string): Work<StoredUser> {
    const user = yield* findUser(name);
    if (user) return user;
    const advice = this.#advice(`\`user list\` shows all, \`user add ${name}\` adds one`);
    throw notFound(`There is no user ${name}${advice}.`);
  }
}

/** Lists of 1,000 items with the longest notes that are removed at once, in a few milliseconds. */
const DOCUMENTS_PER_SLICE = 10;
/** Rows of a small table that are removed at once, in a few milliseconds. */
const HOURS_PER_SLICE = 1_000;
/** Tokens of one user, without tokens of the command line. */
const MAX_CREATED_A_DAY = 100;
const MAX_RENAMED_A_DAY = 100;

function parsePlan(text: string): PlanName {
  const plan = text.toLowerCase();
  if (isPlanName(plan)) return plan;
  throw invalidArgument(`The plan must be one of ${PLAN_NAMES.join(", ")}, not ${text}.`);
}

/** @throws BourseError `invalid_argument` if lists are chosen for a token, or all lists for a feed link */
function refuseLists(kind: TokenKind, lists: ReadableLists): void {
  if (kind === "feed" ? lists !== null : lists === null || lists.length === 0) return;
  throw invalidArgument(
    kind === "feed"
      ? "Name the lists that the feed link reads. It is in URLs, so it does not read all."
      : "A token reads every list of its user. Make a feed link to choose lists.",
    { param: "lists" },
  );
}

/** @throws BourseError `invalid_argument` for a day that is no date or in the future, or with lists or rights */
function refuseDay(
  asOf: string,
  rights: readonly Right[],
  lists: ReadableLists,
  today: string,
): void {
  const param = "asOf";
  if (!isDate(asOf) || asOf > today) {
    throw invalidArgument(
      `The day of a token must be today, ${today}, or an earlier date such as ${addMonths(today, -12)}; not ${asOf || "empty"}.`,
      { param },
    );
  }
  if (rights.length === 0 && (lists?.length ?? 0) === 0) return;
  throw invalidArgument(
    "A token in a past day neither reads nor changes lists, because they are as of today.",
    { param },
  );
}

/** @throws BourseError `invalid_argument` if a feed link should get a right: its secret is in URLs */
function refuseRights(kind: TokenKind, rights: readonly Right[]): void {
  if (kind === "api" || rights.length === 0) return;
  throw invalidArgument(
    "A feed link only reads, because it is in URLs. Make a token for what changes lists.",
    { param: "rights" },
  );
}
