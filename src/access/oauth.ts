import type { Consent, ConnectRequest } from "#domain/console.ts";
import type { AccessFile } from "#store/index.ts";
import type { StoredCode } from "#store/oauth.ts";
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
  SCOPE,
} from "./oauth-request.ts";
import { isPlanName, type Plans } from "./plans.ts";
import { createSecret, hashSecret } from "./secret.ts";
import { fingerprintToken } from "./token-secret.ts";

/** How long a client may take to exchange a code. */
const CODE_MS = 60_000;
/** How long exchanged codes are kept, so that a replay ends their tokens. */
const REPLAY_MS = 86_400_000;
const TOKEN_MS = 90 * 86_400_000;
/** Registered clients that are kept. */
const MAX_CLIENTS = 500;

/** The dependencies of `OAuth`. */
export interface OAuthParts {
  readonly access: AccessFile;
  readonly plans: Plans;
  /** UTC milliseconds. */
  readonly clock: () => number;
  /** The address of this service without a slash at the end, which is the issuer: `https://data.example.com`. */
  readonly issuer: string;
  /** The URL of the MCP endpoint, which tokens are for. */
  readonly resource: string;
  /** Reads the metadata document of a client from its URL; throws OAuthError. */
  readonly readDocument: (url: string) => Promise<OAuthClient>;
}

/** The fields of a token's answer (RFC 6749 section 5.1). */
export interface TokenAnswer {
  readonly access_token: string;
  readonly token_type: "Bearer";
  readonly expires_in: number;
  readonly scope: string;
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
    const { access, clock } = this.#parts;
    const { client, redirectUri } = await this.#check(query);
    const user = this.#getUser(userName);
    const replaces = this.#findLiveToken(user.id, client.id);
    const held = access.tokens.list(userName).find(({ id }) => id === replaces);
    return {
      client: client.name,
      verifiedHost: isDocumentUrl(client.id) ? new URL(client.id).host : null,
      redirectHost: redirectHost(redirectUri),
      user: userName,
      plan: user.plan,
      expiresAt: clock() + TOKEN_MS,
      replaces: held
        ? { id: held.id, prefix: held.prefix, label: held.label, createdAt: held.createdAt }
        : null,
      refused: this.#findLimit(userName, replaces),
    };
  }

  /** Records the decision of the signed-in user; returns the URL that leads back to the client. */
  async decide({ query, allow }: Consent, actor: Actor): Promise<string> {
    const { access, clock, issuer } = this.#parts;
    const { client, redirectUri, challenge, state } = await this.#check(query);
    const answer = (parameters: Readonly<Record<string, string>>) =>
      addParameters(redirectUri, {
        ...parameters,
        ...(state !== null && { state }),
        iss: issuer,
      });
    if (!allow) return answer({ error: "access_denied" });
    const { id: userId } = this.#getUser(actor.name);
    const limit = this.#findLimit(actor.name, this.#findLiveToken(userId, client.id));
    if (limit !== null) throw new OAuthError("invalid_request", limit);
    const code = createSecret();
    access.transaction(() => {
      const now = clock();
      access.oauth.removeOldCodes(now, now - REPLAY_MS);
      access.oauth.addCode({
        hash: hashSecret(code),
        userId,
        clientId: client.id,
        clientName: client.name,
        redirectUri,
        challenge,
        expiresAt: now + CODE_MS,
      });
      const place = redirectHost(redirectUri) ?? "a program on the user's computer";
      recordAudit(access, {
        at: now,
        actor,
        action: "client allowed",
        subject: `client ${client.name} (${place})`,
      });
    });
    return answer({ code });
  }

  /** Exchanges a code for a token. @param address of the client, for the audit log */
  exchange(form: URLSearchParams, address: string): TokenAnswer {
    if (getParameter(form, "grant_type") !== "authorization_code") {
      throw new OAuthError("unsupported_grant_type", "grant_type must be authorization_code.");
    }
    const hash = hashSecret(getParameter(form, "code"));
    const { access } = this.#parts;
    // A refusal is returned, because an error would undo what it has to leave behind.
    const outcome = access.transaction((): TokenAnswer | OAuthError => {
      const code = access.oauth.findCode(hash);
      if (!code) return new OAuthError("invalid_grant", "The code is unknown.");
      const accounts = this.#accountsOf({ name: code.user, address });
      if (code.tokenId !== null) {
        accounts.revokeToken(code.tokenId);
        return new OAuthError(
          "invalid_grant",
          "The code was used before, so its token was revoked.",
        );
      }
      const fault = this.#findFault(code, form);
      if (!fault) return this.#issue(code, hash, accounts);
      access.oauth.removeCode(hash);
      return fault;
    });
    if (outcome instanceof OAuthError) throw outcome;
    return outcome;
  }

  /** Registers a client (RFC 7591) and returns it with the second of its registration. */
  register(body: unknown): OAuthClient & { readonly issuedAt: number } {
    const now = this.#parts.clock();
    const client = { id: createSecret(), ...parseRegistration(body) };
    if (!this.#parts.access.oauth.addClient({ ...client, createdAt: now }, MAX_CLIENTS)) {
      throw new OAuthError("temporarily_unavailable", "There are too many registered clients.");
    }
    return { ...client, issuedAt: Math.floor(now / 1000) };
  }

  /** Revokes a client's token (RFC 7009). Nothing happens if no client holds it. @param address of the client */
  revoke(form: URLSearchParams, address: string): void {
    const { access } = this.#parts;
    const fingerprint = fingerprintToken(getParameter(form, "token"));
    const clientId = findParameter(form, "client_id");
    if (!fingerprint) return;
    const token = access.tokens
      .listCandidates(fingerprint.prefix)
      .find(({ hash }) => crypto.timingSafeEqual(hash, fingerprint.hash));
    const grant = token && access.oauth.findGrantOfToken(token.id);
    if (!grant) return;
    if (clientId !== null && clientId !== grant.clientId) {
      throw new OAuthError("invalid_request", "The token belongs to another client.");
    }
    this.#accountsOf({ name: token.user, address }).revokeToken(token.id);
  }

  /** Reads a request and checks its client and redirect URI. */
  async #check(query: string): Promise<AuthorizationRequest & { readonly client: OAuthClient }> {
    const request = parseAuthorizationRequest(query, this.#parts.resource);
    const { clientId, redirectUri } = request;
    const client = isDocumentUrl(clientId)
      ? await this.#parts.readDocument(clientId)
      : this.#parts.access.oauth.findClient(clientId);
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

  /** Why a code cannot be exchanged by this request; null if it can. */
  #findFault(code: StoredCode, form: URLSearchParams): OAuthError | null {
    const refused = (message: string) => new OAuthError("invalid_grant", message);
    try {
      requireResource(form, this.#parts.resource);
      if (getParameter(form, "client_id") !== code.clientId) {
        return refused("The code was issued to another client.");
      }
      if (getParameter(form, "redirect_uri") !== code.redirectUri) {
        return refused("redirect_uri is not that of the authorization request.");
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
    if (code.expiresAt <= this.#parts.clock()) return refused("The code has expired.");
    const limit = this.#findLimit(code.user, this.#findLiveToken(code.userId, code.clientId));
    return limit === null ? null : refused(limit);
  }

  #issue(code: StoredCode, hash: Uint8Array, accounts: Accounts): TokenAnswer {
    const { oauth } = this.#parts.access;
    const { userId, clientId } = code;
    const replaced = this.#findLiveToken(userId, clientId);
    if (replaced !== null) accounts.revokeToken(replaced);
    const { id, token } = accounts.createToken(code.user, code.clientName, TOKEN_MS);
    oauth.setGrant(userId, clientId, id);
    oauth.setCodeToken(hash, id);
    return {
      access_token: token,
      token_type: "Bearer",
      expires_in: TOKEN_MS / 1000,
      scope: SCOPE,
    };
  }

  #findLiveToken(userId: number, clientId: string): number | null {
    const { access, clock } = this.#parts;
    const tokenId = access.oauth.findGrant(userId, clientId)?.tokenId ?? null;
    return tokenId !== null && access.tokens.isLive(tokenId, clock()) ? tokenId : null;
  }

  /** Why the user cannot hold the client's token, in one sentence; null if it is possible. */
  #findLimit(userName: string, replaced: number | null): string | null {
    const { access, plans, clock } = this.#parts;
    const user = access.users.list(clock()).find(({ name }) => name === userName);
    if (!user || !isPlanName(user.plan)) return "The user was removed.";
    const { tokens: most } = plans[user.plan];
    if (user.liveTokens - (replaced === null ? 0 : 1) < most) return null;
    return `${userName} holds ${most} live ${most === 1 ? "token" : "tokens"}, as many as plan ${user.plan} allows. Revoke one in the console and connect again.`;
  }

  #getUser(name: string) {
    const user = this.#parts.access.users.find(name);
    if (user) return user;
    throw new OAuthError("invalid_request", "The user was removed.");
  }

  #accountsOf(actor: Actor): Accounts {
    const { access, plans, clock } = this.#parts;
    return new Accounts({ access, plans, clock, actor });
  }
}
