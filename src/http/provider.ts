import * as oidc from "oauth4webapi";
import type { Person, ProviderSettings } from "#access/people.ts";
import { hashSecret } from "#access/secret.ts";
import { BourseError, unavailable } from "#domain/errors.ts";
import type { Log } from "#lib/log.ts";
import { createTtlCache, type TtlCache } from "#lib/ttl-cache.ts";

/** How long one request to the provider may take. */
const TIMEOUT_MS = 5_000;
/** How long the description of the provider is used. */
const METADATA_MS = 3_600_000;
const SECRET = "[\\w-]{43}";
/**
 * What a browser keeps between the beginning and the end of a sign-in: state, nonce, verifier, and the hash of the
 * session whose user connects an account; nothing of the last one for a sign-in.
 */
const PENDING = new RegExp(`^(${SECRET})\\.(${SECRET})\\.(${SECRET})\\.(${SECRET})?$`);

/** The dependencies of a provider. */
export interface ProviderParts {
  readonly settings: ProviderSettings;
  /** Where the provider sends browsers back to. */
  readonly redirectUri: string;
  /** UTC milliseconds. The times in ID tokens are checked by the clock of the machine. */
  readonly clock: () => number;
  readonly log: Log;
}

/**
 * Signs people in by an OpenID provider: authorization code with PKCE. State, nonce and verifier are in a cookie of
 * the browser that begins, so another browser cannot end it, and each node of a cluster can.
 */
export class Provider {
  readonly #parts: ProviderParts;
  readonly #client: oidc.Client;
  readonly #options;
  readonly #metadata: TtlCache<oidc.AuthorizationServer>;

  constructor(parts: ProviderParts) {
    this.#parts = parts;
    this.#client = { client_id: parts.settings.clientId };
    this.#options = {
      signal: () => AbortSignal.timeout(TIMEOUT_MS),
      // The settings allow plain http on this machine only.
      [oidc.allowInsecureRequests]: parts.settings.issuer.startsWith("http:"),
    };
    this.#metadata = createTtlCache({
      ttlMs: METADATA_MS,
      maxEntries: 1,
      maxWeight: 1,
      weigh: () => 1,
      clock: parts.clock,
    });
  }

  /**
   * Begins a sign-in: the address to open, and the text that the browser keeps in a cookie meanwhile.
   *
   * @param session the secret of the session whose user connects an account; null to sign in
   * @throws BourseError `unavailable` if the provider does not answer as one
   */
  async start(session: string | null): Promise<{ url: string; pending: string }> {
    const server = await this.#find();
    const state = oidc.generateRandomState();
    const nonce = oidc.generateRandomNonce();
    const verifier = oidc.generateRandomCodeVerifier();
    const url = new URL(server.authorization_endpoint ?? "");
    const hasGroups = server.scopes_supported?.includes("groups") === true;
    const query = {
      client_id: this.#client.client_id,
      redirect_uri: this.#parts.redirectUri,
      response_type: "code",
      scope: `openid profile email${hasGroups ? " groups" : ""}`,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
    };
    for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
    return { url: url.href, pending: [state, nonce, verifier, tieOf(session)].join(".") };
  }

  /**
   * Ends a sign-in: the person, and whether the user of the session connects this account.
   *
   * @param query of the address to which the provider sent the browser back
   * @param pending the cookie of the browser; null without one
   * @param session the secret of the session of now; null without one
   * @throws BourseError `forbidden` if the provider or the settings refuse the person; `unavailable`
   */
  async finish(
    query: string,
    pending: string | null,
    session: string | null,
  ): Promise<{ person: Person; isConnecting: boolean }> {
    const [whole, state = "", nonce = "", verifier = "", tie = ""] =
      PENDING.exec(pending ?? "") ?? [];
    if (whole === undefined) throw startAgain();
    // Another user may have signed in in this browser meanwhile, who does not want the account of the first one.
    if (tie !== "" && tie !== tieOf(session)) {
      throw new BourseError(
        "forbidden",
        "Your session ended meanwhile. Sign in and connect again.",
      );
    }
    const server = await this.#find();
    const answer = this.#readAnswer(server, query, state);
    const claims = await this.#fetchClaims(server, answer, { nonce, verifier }).catch((error) =>
      this.#refuse("sign-in by the provider failed", error),
    );
    return { person: this.#toPerson(server.issuer, claims), isConnecting: tie !== "" };
  }

  /** The parameters of the provider's answer, whose state and issuer are right. */
  #readAnswer(server: oidc.AuthorizationServer, query: string, state: string): URLSearchParams {
    try {
      return oidc.validateAuthResponse(server, this.#client, new URLSearchParams(query), state);
    } catch (error) {
      if (!(error instanceof oidc.AuthorizationResponseError)) throw startAgain();
      const reason = /^[\w-]{1,60}$/.exec(error.error)?.[0] ?? "no reason given";
      throw new BourseError(
        "forbidden",
        `${this.#host} did not sign you in: ${reason}. Sign in again, or ask its administrator whether you may use this service.`,
      );
    }
  }

  /** What the provider says of the person: the checked ID token, and the answer about the user if it gives one. */
  async #fetchClaims(
    server: oidc.AuthorizationServer,
    answer: URLSearchParams,
    { nonce, verifier }: { readonly nonce: string; readonly verifier: string },
  ): Promise<oidc.UserInfoResponse> {
    const client = this.#client;
    const response = await oidc.authorizationCodeGrantRequest(
      server,
      client,
      await this.#authenticate(server),
      answer,
      this.#parts.redirectUri,
      verifier,
      this.#options,
    );
    const tokens = await oidc.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
    });
    await oidc.validateApplicationLevelSignature(server, response, this.#options);
    const claims = oidc.getValidatedIdTokenClaims(tokens);
    if (!claims) throw new Error("the provider sent no ID token");
    if (server.userinfo_endpoint === undefined) return claims;
    const token = tokens.access_token;
    const info = await oidc.userInfoRequest(server, client, token, this.#options);
    const more = await oidc.processUserInfoResponse(server, client, claims.sub, info);
    // What the provider says about another address proves nothing about this one.
    const isOther = claims.email !== undefined && claims.email !== more.email;
    return { ...more, ...(isOther && { email_verified: false }), ...claims };
  }

  /** How the service proves at the provider who it is. The file is read again, so a new secret needs no restart. */
  async #authenticate(server: oidc.AuthorizationServer): Promise<oidc.ClientAuth> {
    const { secret: given, secretFile } = this.#parts.settings;
    const secret = secretFile === null ? given : (await Bun.file(secretFile).text()).trim();
    if (secret === null) return oidc.None();
    const ways = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return ways.includes("client_secret_basic")
      ? oidc.ClientSecretBasic(secret)
      : oidc.ClientSecretPost(secret);
  }

  /** @throws BourseError `forbidden` if the settings do not allow the person */
  #toPerson(issuer: string, claims: oidc.UserInfoResponse): Person {
    const { allow } = this.#parts.settings;
    // Some providers write the claim as a text. Without it, the address may be anyone's.
    const isVerified = String(claims.email_verified) === "true";
    const mail = isVerified ? textOf(claims.email) : null;
    const domain = mail?.slice(mail.lastIndexOf("@")).toLowerCase() ?? "";
    const named = claims["groups"];
    const groups: unknown[] = Array.isArray(named) ? named : [named];
    const isOfDomain = allow.some((one) => one.startsWith("@") && one.toLowerCase() === domain);
    const isOfGroup = allow.some((one) => !one.startsWith("@") && groups.includes(one));
    if (allow.length > 0 && !isOfDomain && !isOfGroup) {
      throw new BourseError(
        "forbidden",
        `Your account at ${this.#host} may not use this service: it is in no allowed group, and has no verified mail address of an allowed domain. The setting BOURSE_OIDC_ALLOW names them.`,
      );
    }
    return {
      issuer,
      subject: claims.sub,
      name: textOf(claims.preferred_username) ?? mail,
      mail: isOfDomain ? mail : null,
    };
  }

  #find(): oidc.AuthorizationServer | Promise<oidc.AuthorizationServer> {
    return this.#metadata.get("", async () => {
      try {
        return await this.#discover();
      } catch (error) {
        return this.#refuse("the description of the provider cannot be read", error);
      }
    });
  }

  async #discover(): Promise<oidc.AuthorizationServer> {
    const issuer = new URL(this.#parts.settings.issuer);
    const response = await oidc.discoveryRequest(issuer, this.#options);
    const server = await oidc.processDiscoveryResponse(issuer, response);
    const protocol = URL.parse(server.authorization_endpoint ?? "")?.protocol;
    if (protocol === "https:" || (protocol === "http:" && issuer.protocol === "http:"))
      return server;
    throw new Error("it names no address where people sign in");
  }

  /** Logs what went wrong, without what the provider sent. @throws BourseError `unavailable` */
  #refuse(what: string, error: unknown): never {
    const code = error instanceof Error && "code" in error ? String(error.code) : undefined;
    const reason = reasonOf(error);
    const answer = error instanceof oidc.ResponseBodyError ? error.error : undefined;
    this.#parts.log.warn("OpenID provider", { what, reason, code, answer });
    throw unavailable(
      `The sign-in by ${this.#host} failed. The log of the service says why; BOURSE_OIDC_ISSUER, BOURSE_OIDC_CLIENT and the secret must be as the provider has them, with the redirect address ${this.#parts.redirectUri}.`,
      { retryAfterSeconds: 10 },
    );
  }

  get #host(): string {
    return new URL(this.#parts.settings.issuer).host;
  }
}

/** What ties a connection to a session without its secret. */
function tieOf(session: string | null): string {
  return session === null ? "" : Buffer.from(hashSecret(session)).toString("base64url");
}

function textOf(value: unknown): string | null {
  return typeof value === "string" && value !== "" ? value : null;
}

/** What went wrong. The message about `WWW-Authenticate` does not say that the secret is wrong, the usual cause. */
function reasonOf(error: unknown): string {
  if (error instanceof oidc.WWWAuthenticateChallengeError) {
    const { pathname } = new URL(error.response.url);
    return `${pathname} answers ${error.status}, as it does if the id or the secret of the client is wrong`;
  }
  return error instanceof Error ? error.message : String(error);
}

function startAgain(): BourseError {
  return new BourseError(
    "forbidden",
    "This sign-in was not begun in this browser within ten minutes, or was ended already. Begin it again.",
  );
}
