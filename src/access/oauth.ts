import {
  type Grant,
  LISTS_SCOPE,
  listsOf,
  parseGrants,
  parseRights,
  scopeOf,
} from "#domain/rights.ts";
import { DAY_MS } from "#lib/date.ts";
import type { Log } from "#lib/log.ts";
import { copyBriefMarks } from "#store/brief-marks.ts";
import type { AccessStore } from "#store/index.ts";
import {
  addClient,
  addCode,
  countClientsOf,
  findClient,
  findCode,
  findGrant,
  findGrantOfToken,
  removeCode,
  removeOldCodes,
  setCodeToken,
  setGrant,
  type StoredCode,
} from "#store/oauth.ts";
import {
  countLiveTokens,
  findToken,
  listCandidates,
  type StoredToken,
  type TokenCandidate,
} from "#store/tokens.ts";
import { findUser, type StoredUser } from "#store/users.ts";
import type { Work } from "#store/work.ts";
import { Accounts } from "./accounts.ts";
import { type Actor, recordAudit } from "./audit.ts";
import { isDocumentUrl, type OAuthClient, parseRegistration } from "./oauth-client.ts";
import { OAuthError } from "./oauth-error.ts";
import { addParameters, isRegistered, redirectHost } from "./oauth-redirect.ts";
import {
  type AuthorizationRequest,
  findParameter,
  getParameter,
  parseAuthorizationRequest,
  requireResource,
} from "./oauth-request.ts";
import { isPlanName, type Plans } from "./plans.ts";
import { findCandidate } from "./principals.ts";
import { createSecret, hashSecret } from "./secret.ts";
import { fingerprintToken } from "./token-secret.ts";

/** How long a client may take to exchange a code. */
const CODE_MS = 60_000;
/** How long exchanged codes are kept, so that a replay ends their tokens. */
const REPLAY_MS = DAY_MS;
const TOKEN_MS = 90 * DAY_MS;
/**
 * Registered clients that are kept. The oldest without a live token is removed first, and among these clients
 * that no user ever allowed, so that a flood of registrations ends no connection.
 */
export const MAX_CLIENTS = 500;
/** Clients with a live token of one user: so no few users take all places. */
const MAX_CLIENTS_OF_USER = 20;

/** The dependencies of `OAuth`. */
export interface OAuthParts {
  readonly access: AccessStore;
  readonly plans: Plans;
  /** UTC milliseconds. */
  readonly clock: () => number;
  /** The address of this service without a slash at the end, which is the issuer: `https://data.example.com`. */
  readonly issuer: string;
  /** The URL of the MCP endpoint, which tokens are for. */
  readonly resource: string;
  /** Reads the metadata document of a client from its URL; throws OAuthError. */
  readonly readDocument: (url: string) => Promise<OAuthClient>;
  readonly log?: Log;
}

/** The fields of a token's answer (RFC 6749 section 5.1). */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly scope: string;
}

/** What the consent page shows about an authorization request. */
interface ConnectRequest {
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
  /** What the client asks for besides market data. The user may allow less, or also the reading of lists. */
  readonly rights: readonly Grant[];
  /** The client's live token, which a consent replaces; null if it has none. */
  readonly replaces: Pick<StoredToken, "id" | "prefix" | "label" | "createdAt"> | null;
  /** Why the user cannot consent, in one sentence (the plan's limit of live tokens); null if possible. */
  readonly refused: string | null;
}

/** What the user decided about an authorization request. */
interface Decision {
  readonly query: string;
  readonly allow: boolean;
  /** What the user allows besides market data; nothing if left out. */
  readonly rights?: readonly Grant[];
}

/** An authorization request whose client and redirect URI were checked. */
interface CheckedRequest extends AuthorizationRequest {
  readonly client: OAuthClient;
}

/**
 * The authorization server. A client asks for a token in a browser, the user allows it in the console, and
 * the client exchanges the code of that consent for a token of the user. Every method throws OAuthError.
 */
export class OAuth {
  readonly #parts: OAuthParts;

  constructor(parts: OAuthParts) {
    this.#parts = parts;
  }

  /** What the consent page shows about an authorization request. */
  async describe(query: string, userName: string): Promise<ConnectRequest> {
    const request = await this.#check(query);
    return this.#parts.access.run(this.#describe(request, userName));
  }

  *#describe(
    { client, redirectUri, rights }: CheckedRequest,
    userName: string,
  ): Work<ConnectRequest> {
    const user = yield* getUser(userName);
    const replaces = yield* this.#findLiveToken(user.id, client.id);
    return {
      client: client.name,
      verifiedHost: isDocumentUrl(client.id) ? new URL(client.id).host : null,
      redirectHost: redirectHost(redirectUri),
      user: userName,
      plan: user.plan,
      expiresAt: this.#parts.clock() + TOKEN_MS,
      rights,
      replaces: replaces && {
        id: replaces.id,
        prefix: replaces.prefix,
        label: replaces.label,
        createdAt: replaces.createdAt,
      },
      refused: yield* this.#findLimit(userName, replaces),
    };
  }

  /**
   * Records the decision of the signed-in user; returns the URL that leads back to the client. The client gets the
   * `rights` that it asked for and the user allows. It may read lists also if only the user asks for that (RFC 6749
   * section 3.3), because many clients ask for the scope of the challenge alone.
   */
  async decide({ query, allow, rights = [] }: Decision, actor: Actor): Promise<string> {
    const { access, issuer } = this.#parts;
    const request = await this.#check(query);
    const { redirectUri, state } = request;
    const answer = (parameters: Readonly<Record<string, string>>) =>
      addParameters(redirectUri, { ...parameters, ...(state !== null && { state }), iss: issuer });
    if (!allow) return answer({ error: "access_denied" });
    const allowed = [...new Set<Grant>([LISTS_SCOPE, ...request.rights])].filter((right) =>
      rights.includes(right),
    );
    return answer({ code: await access.transaction(() => this.#allow(request, allowed, actor)) });
  }

  /** Stores the consent of the user and returns its code. */
  *#allow(
    { client, redirectUri, challenge }: CheckedRequest,
    rights: readonly Grant[],
    actor: Actor,
  ): Work<string> {
    const now = this.#parts.clock();
    const { id: userId } = yield* getUser(actor.name);
    const limit = yield* this.#findLimit(actor.name, yield* this.#findLiveToken(userId, client.id));
    if (limit !== null) throw new OAuthError("invalid_request", limit);
    const code = createSecret();
    yield* removeOldCodes(now, now - REPLAY_MS);
    yield* addCode({
      hash: hashSecret(code),
      userId,
      clientId: client.id,
      clientName: client.name,
      redirectUri,
      challenge,
      rights: rights.join(" "),
      expiresAt: now + CODE_MS,
    });
    const place = redirectHost(redirectUri) ?? "a program on the user's computer";
    yield* recordAudit({
      at: now,
      actor,
      action: "client allowed",
      subject: `client ${client.name} (${place})`,
    });
    return code;
  }

  /**
   * Exchanges a code for a token, which replaces the client's earlier one. The first attempt uses up the code,
   * also a wrong one. A second attempt within a day revokes the token of the first.
   *
   * @param address of the client, for the audit log
   */
  async exchange(form: URLSearchParams, address: string): Promise<TokenAnswer> {
    if (getParameter(form, "grant_type") !== "authorization_code") {
      throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code.");
    }
    const hash = hashSecret(getParameter(form, "code"));
    const outcome = await this.#parts.access.transaction(() => this.#exchange(hash, form, address));
    if (outcome instanceof OAuthError) throw outcome;
    return outcome;
  }

  /** A refusal is returned, because an error would undo what it has to leave behind. */
  *#exchange(
    hash: Uint8Array,
    form: URLSearchParams,
    address: string,
  ): Work<TokenAnswer | OAuthError> {
    const code = yield* findCode(hash);
    if (!code) return new OAuthError("invalid_grant", "The code is unknown.");
    const accounts = this.#accountsOf({ name: code.user, address });
    if (code.tokenId !== null) {
      yield* accounts.tokenRevocation(code.tokenId);
      return new OAuthError("invalid_grant", "The code was used before, so its token was revoked.");
    }
    const fault = findFault(code, form, this.#parts) ?? (yield* this.#findCodeLimit(code));
    if (!fault) return yield* this.#issue(code, hash, accounts);
    yield* removeCode(hash);
    return fault;
  }

  /** Registers a client (RFC 7591) and returns it with the second of its registration. */
  async register(body: unknown): Promise<OAuthClient & { readonly issuedAt: number }> {
    const { clock, log } = this.#parts;
    const now = clock();
    const client = { id: createSecret(), ...parseRegistration(body) };
    const isAdded = await this.#parts.access.transaction(() =>
      addClient({ ...client, createdAt: now }, MAX_CLIENTS),
    );
    if (!isAdded) {
      log?.warn("a client could not register: every place has a client with a live token", {
        places: MAX_CLIENTS,
      });
      throw new OAuthError("temporarily_unavailable", "There are too many registered clients.");
    }
    return { ...client, issuedAt: Math.floor(now / 1000) };
  }

  /** Revokes a client's token (RFC 7009). Nothing happens if no client holds it. @param address of the client */
  async revoke(form: URLSearchParams, address: string): Promise<void> {
    const fingerprint = fingerprintToken(getParameter(form, "token"));
    const clientId = findParameter(form, "client_id");
    if (!fingerprint) return;
    const { access } = this.#parts;
    const token = findCandidate(fingerprint, await access.run(listCandidates(fingerprint.prefix)));
    if (token) await access.transaction(() => this.#revoke(token, clientId, address));
  }

  *#revoke(token: TokenCandidate, clientId: string | null, address: string): Work<void> {
    const grant = yield* findGrantOfToken(token.id);
    if (!grant) return;
    if (clientId !== null && clientId !== grant.clientId) {
      throw new OAuthError("invalid_request", "The token belongs to another client.");
    }
    yield* this.#accountsOf({ name: token.user, address }).tokenRevocation(token.id);
  }

  /** Reads a request and checks its client and redirect URI. */
  async #check(query: string): Promise<CheckedRequest> {
    const request = parseAuthorizationRequest(query, this.#parts.resource);
    const { clientId, redirectUri } = request;
    const client = isDocumentUrl(clientId)
      ? await this.#parts.readDocument(clientId)
      : await this.#parts.access.run(findClient(clientId));
    if (!client) {
      throw new OAuthError(
        "invalid_request",
        "The client is not registered here. Remove this service in the client and add it again.",
      );
    }
    if (!isRegistered(client.redirectUris, redirectUri)) {
      throw new OAuthError(
        "invalid_request",
        "redirect_uri is not one that the client registered.",
      );
    }
    return { ...request, client };
  }

  /** The refusal of a code whose user may hold no more tokens; null if the user may. */
  *#findCodeLimit({ user, userId, clientId }: StoredCode): Work<OAuthError | null> {
    const limit = yield* this.#findLimit(user, yield* this.#findLiveToken(userId, clientId));
    return limit === null ? null : new OAuthError("invalid_grant", limit);
  }

  *#issue(code: StoredCode, hash: Uint8Array, accounts: Accounts): Work<TokenAnswer> {
    const { userId, clientId } = code;
    const before = yield* findGrant(userId, clientId);
    const replaced = yield* this.#findLiveToken(userId, clientId);
    if (replaced) yield* accounts.tokenRevocation(replaced.id);
    const grants = parseGrants(code.rights);
    const { id, token } = yield* accounts.tokenCreation(
      code.user,
      code.clientName,
      TOKEN_MS,
      "api",
      parseRights(code.rights),
      listsOf(grants),
    );
    if (before) yield* copyBriefMarks(before.tokenId, id);
    yield* setGrant(userId, clientId, id);
    yield* setCodeToken(hash, id);
    return {
      access_token: token,
      token_type: "Bearer",
      expires_in: TOKEN_MS / 1000,
      scope: scopeOf(grants),
    };
  }

  /** The live token that a client holds for a user, or null. */
  *#findLiveToken(userId: number, clientId: string): Work<StoredToken | null> {
    const grant = yield* findGrant(userId, clientId);
    const token = grant && (yield* findToken(grant.tokenId));
    if (!token || token.revokedAt !== null) return null;
    return token.expiresAt === null || token.expiresAt > this.#parts.clock() ? token : null;
  }

  /** Why the user cannot hold the client's token, in one sentence; null if it is possible. */
  *#findLimit(userName: string, replaced: StoredToken | null): Work<string | null> {
    const { plans, clock } = this.#parts;
    const user = yield* findUser(userName);
    if (!user || !isPlanName(user.plan)) return "The user was removed.";
    const { tokens: most } = plans[user.plan];
    const now = clock();
    if (!replaced && (yield* countClientsOf(user.id, now)) >= MAX_CLIENTS_OF_USER) {
      return `${userName} has connected ${MAX_CLIENTS_OF_USER} clients, the most that are possible. Revoke the token of one in the console and connect again.`;
    }
    const live = yield* countLiveTokens(user.id, "api", now);
    if (live - (replaced ? 1 : 0) < most) return null;
    return `${userName} holds ${most} live ${most === 1 ? "token" : "tokens"}, as many as plan ${user.plan} allows. Revoke one in the console and connect again.`;
  }

  #accountsOf(actor: Actor): Accounts {
    const { access, plans, clock } = this.#parts;
    return new Accounts({ access, plans, clock, actor });
  }
}

/** Why a code cannot be exchanged by this request; null if the request fits. */
function findFault(
  code: StoredCode,
  form: URLSearchParams,
  { resource, clock }: Pick<OAuthParts, "resource" | "clock">,
): OAuthError | null {
  const refused = (message: string) => new OAuthError("invalid_grant", message);
  try {
    requireResource(form, resource);
    if (getParameter(form, "client_id") !== code.clientId) {
      return refused("The code was issued to another client.");
    }
    if (getParameter(form, "redirect_uri") !== code.redirectUri) {
      return refused("redirect_uri differs from the authorization request.");
    }
    const verifier = getParameter(form, "code_verifier");
    const challenge = Buffer.from(hashSecret(verifier)).toString("base64url");
    if (!/^[\w.~-]{43,128}$/.test(verifier) || challenge !== code.challenge) {
      return refused("code_verifier does not match code_challenge.");
    }
  } catch (error) {
    if (error instanceof OAuthError) return error;
    throw error;
  }
  return code.expiresAt <= clock() ? refused("The code has expired.") : null;
}

function* getUser(name: string): Work<StoredUser> {
  const user = yield* findUser(name);
  if (user) return user;
  throw new OAuthError("invalid_request", "The user was removed.");
}
