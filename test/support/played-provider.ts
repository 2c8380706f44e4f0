/** What a played provider says of the person who signs in, and what is wrong with its answers. */
export interface PlayedPerson {
  readonly sub: string;
  readonly [claim: string]: unknown;
}

/** Parts of the next ID token that replace the right ones. */
interface PlayedFaults {
  readonly claims?: Readonly<Record<string, unknown>>;
  /** Signs with a key that the provider does not publish. */
  readonly foreignKey?: true;
  /** Refuses the person instead of giving a code. */
  readonly error?: string;
  /** Names another provider in the answer. */
  readonly iss?: string;
}

const ALGORITHM = { name: "RSASSA-PKCS1-v1_5", hash: "SHA-256" } as const;
const newKeys = () =>
  crypto.subtle.generateKey(
    { ...ALGORITHM, modulusLength: 2048, publicExponent: new Uint8Array([1, 0, 1]) },
    true,
    ["sign", "verify"],
  );
const toText = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** An OpenID provider on this machine (OpenID Connect Core 1.0, RFC 7636) where one person is signed in already. */
export class PlayedProvider {
  readonly clientId = "bourse";
  readonly secret = "a secret of the played provider";
  /** The person in front of the browser. */
  person: PlayedPerson = { sub: "1" };
  /** What only the answer about the user has, as with Authelia. */
  userInfo: Readonly<Record<string, unknown>> = {};
  faults: PlayedFaults = {};
  /** The requests so far: the path, and for `/token` the form. */
  readonly seen: { readonly path: string; readonly form: URLSearchParams }[] = [];
  readonly #codes = new Map<string, URLSearchParams>();
  readonly #keys = newKeys();
  readonly #foreign = newKeys();
  readonly #server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch: (request) => this.#answer(request),
  });

  get issuer(): string {
    return `http://127.0.0.1:${this.#server.port}`;
  }

  /** The settings of a service that this provider signs users in to. */
  get env(): Record<string, string> {
    return {
      BOURSE_OIDC_ISSUER: this.issuer,
      BOURSE_OIDC_CLIENT: this.clientId,
      BOURSE_OIDC_SECRET: this.secret,
    };
  }

  async stop(): Promise<void> {
    await this.#server.stop(true);
  }

  async #answer(request: Request): Promise<Response> {
    const { pathname: path, searchParams } = new URL(request.url);
    const form = new URLSearchParams(request.method === "POST" ? await request.text() : "");
    this.seen.push({ path, form });
    const { issuer } = this;
    if (path === "/.well-known/openid-configuration") {
      return Response.json({
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        userinfo_endpoint: `${issuer}/userinfo`,
        jwks_uri: `${issuer}/jwks`,
        scopes_supported: ["openid", "profile", "email", "groups"],
        response_types_supported: ["code"],
        subject_types_supported: ["public"],
        id_token_signing_alg_values_supported: ["RS256"],
        authorization_response_iss_parameter_supported: true,
      });
    }
    if (path === "/jwks") {
      const { publicKey } = await this.#keys;
      const key = await crypto.subtle.exportKey("jwk", publicKey);
      return Response.json({ keys: [{ ...key, kid: "1", use: "sig", alg: "RS256" }] });
    }
    if (path === "/authorize") return this.#authorize(searchParams);
    if (path === "/token") return this.#exchange(request, form);
    if (path === "/userinfo") return Response.json({ sub: this.person.sub, ...this.userInfo });
    return new Response(null, { status: 404 });
  }

  /** Sends the browser back at once. */
  #authorize(query: URLSearchParams): Response {
    const back = new URL(query.get("redirect_uri") ?? "");
    const { error, iss = this.issuer } = this.faults;
    if (error === undefined) {
      const code = crypto.randomUUID();
      this.#codes.set(code, query);
      back.searchParams.set("code", code);
    } else back.searchParams.set("error", error);
    back.searchParams.set("state", query.get("state") ?? "");
    back.searchParams.set("iss", iss);
    return Response.redirect(back.href, 303);
  }

  async #exchange(request: Request, form: URLSearchParams): Promise<Response> {
    const code = form.get("code") ?? "";
    const asked = this.#codes.get(code);
    this.#codes.delete(code);
    const verifier = new Bun.CryptoHasher("sha256").update(form.get("code_verifier") ?? "");
    const credentials = encodeURIComponent(this.secret).replaceAll("%20", "+");
    const authorization = `Basic ${btoa(`${this.clientId}:${credentials}`)}`;
    if (request.headers.get("authorization") !== authorization) {
      // RFC 6749, 5.2: a client that used Authorization gets WWW-Authenticate.
      const headers = { "www-authenticate": 'Basic realm="provider"' };
      return Response.json({ error: "invalid_client" }, { status: 401, headers });
    }
    if (
      asked?.get("code_challenge") !== verifier.digest("base64url") ||
      asked.get("redirect_uri") !== form.get("redirect_uri")
    ) {
      return Response.json({ error: "invalid_grant" }, { status: 400 });
    }
    return Response.json({
      access_token: "an-access-token",
      token_type: "Bearer",
      id_token: await this.#sign(asked.get("nonce")),
    });
  }

  async #sign(nonce: string | null): Promise<string> {
    const seconds = Math.floor(Date.now() / 1000);
    const claims = {
      iss: this.issuer,
      aud: this.clientId,
      iat: seconds,
      exp: seconds + 300,
      nonce,
      ...this.person,
      ...this.faults.claims,
    };
    const text = `${toText({ alg: "RS256", kid: "1" })}.${toText(claims)}`;
    const { privateKey } = await (this.faults.foreignKey ? this.#foreign : this.#keys);
    const signature = await crypto.subtle.sign(ALGORITHM, privateKey, Buffer.from(text));
    return `${text}.${Buffer.from(signature).toString("base64url")}`;
  }
}
