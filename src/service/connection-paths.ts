import { addBase, basePathOf, originOf } from "#http/service-address.ts";
import {
  type OAuthName,
  OAUTH_PATHS,
  RESOURCE_PATH,
  resourceMetadata,
  serverMetadata,
} from "#http/oauth-metadata.ts";
import { STREAM_PIECES } from "#http/change-streams.ts";
import type { Finding } from "#http/service-reports.ts";
import { formatCount } from "#lib/table.ts";
import { isObject, PROTOCOL_VERSION } from "#mcp/json-rpc.ts";
import { headersFor, STATELESS_META } from "#mcp/revision.ts";
import { describeStranger, type ProbeAnswer, quote, textIn } from "./connection-answer.ts";
import type { ConnectionRequest } from "./connection-network.ts";
import { CHECK_AGENT } from "./connection-watch.ts";
import { failed, ok, warning } from "./finding.ts";

/** A token that never exists. */
const WRONG_TOKEN = "bourse_connection_check";
const FORM = { "Content-Type": "application/x-www-form-urlencoded" };
const JSON_BODY = {
  "Content-Type": "application/json",
  Accept: "application/json, text/event-stream",
};

/** A live token, or why the check has none, as a sentence. */
export type TokenOrReason = { readonly token: string } | { readonly reason: string };

/** Runs a function with a token that ends with it, or with the reason why there is none. */
export type WithToken = (use: (given: TokenOrReason) => Promise<Finding>) => Promise<Finding>;

/** A service that accepts connections at a public address. */
export interface ReachedService {
  /** The address that clients call, without a slash at the end. */
  readonly url: string;
  /** True if the address has a valid certificate, so that a token may be sent there. */
  readonly isSafe: boolean;
  readonly withToken: WithToken;
  /** Called with each finding, in order. */
  readonly found: (finding: Finding) => void;
  /** Sends a request, a GET if left out, to a path of the service. With `pieces` it reads the answer's first ones only. */
  readonly ask: (
    path: string,
    request?: Partial<ConnectionRequest>,
    pieces?: number,
  ) => Promise<ProbeAnswer>;
}

/** Checks the paths that clients call: whether bourse answers them unchanged, OAuth, and MCP with a token. */
export async function checkPaths(service: ReachedService): Promise<void> {
  const { url, found, ask } = service;
  const answer = await ask("/console/api/service", {
    headers: { Origin: originOf(url), "Sec-Fetch-Site": "same-origin" },
  });
  const isRefused = answer.status === 403 && textIn(answer.json, "error", "message") !== "";
  if (!isRefused && textIn(answer.json, "version") === "")
    return found(failed("service", describeStranger(answer, `${url}/console`)));
  if (!isRefused) found(ok("service", `bourse ${quote(textIn(answer.json, "version"))} answers.`));
  found(checkHost(answer, isRefused));
  const own = textIn(answer.json, "url");
  if (own !== "" && basePathOf(own) !== basePathOf(url))
    found(
      failed(
        "path",
        `bourse answers here, but its pages and links are at ${quote(own)}. Set BOURSE_PUBLIC_URL=${url} and restart the service.`,
      ),
    );
  for (const finding of await checkStream(service)) found(finding);
  const isSecure = url.startsWith("https:");
  // The warning of plain http says that OAuth is off.
  if (isSecure) for (const finding of await checkOAuth(service)) found(finding);
  const challenge = await checkChallenge(service, isSecure && answer.json["oauth"] !== false);
  found(challenge);
  if (challenge.level === "ok") found(await checkAgents(service));
  const passes = await checkAuthorization(service);
  // Another program gives the same answer to both.
  if (passes.text !== challenge.text) found(passes);
  if (passes.level === "ok") found(await checkHandshake(service));
}

/** Whether the proxy passes on the name of the service, and says that the connection is https. */
function checkHost({ json }: ProbeAnswer, isRefused: boolean): Finding {
  if (isRefused)
    return failed(
      "host",
      "The proxy changes the header Host, so bourse refuses sign-in and consent. In nginx: proxy_set_header Host $http_host; Or BOURSE_PUBLIC_URL has another name: set it to this address, and restart.",
    );
  const refused = textIn(json, "signInRefused");
  return refused === ""
    ? ok("host", "The header Host arrives unchanged, and a person can sign in.")
    : failed("host", quote(refused));
}

/** Whether the proxy passes on the parts of an answer as they come. An older version has no such answer. */
async function checkStream({ ask }: ReachedService): Promise<Finding[]> {
  const { status, text } = await ask("/console/api/stream", {}, 1);
  if (status !== 200) return [];
  if (text === STREAM_PIECES[0]) return [ok("stream", "Answers arrive as they are written.")];
  return [
    warning(
      "stream",
      "The proxy holds answers back until they end, so pages of the console do not follow the market. Switch its buffering off for /console, in nginx: proxy_buffering off;",
    ),
  ];
}

/** The metadata by which clients find OAuth, and the addresses in it. */
async function checkOAuth(service: ReachedService): Promise<Finding[]> {
  const { url, ask } = service;
  const base = basePathOf(url);
  const resource = await ask(OAUTH_PATHS.mcpResource);
  if (textIn(resource.json, "error", "code") !== "")
    return [
      failed(
        "oauth",
        `OAuth is off, so claude.ai and ChatGPT cannot connect. Set BOURSE_PUBLIC_URL=${url} and restart the service.`,
      ),
    ];
  const server = await ask(OAUTH_PATHS.server);
  const faults = [
    findFault(url, addBase(OAUTH_PATHS.mcpResource, base), resource, resourceMetadata(url)),
    findFault(url, addBase(OAUTH_PATHS.server, base), server, serverMetadata(url, true)),
  ].filter((fault) => fault !== null);
  if (faults.length > 0) return [failed("oauth", [...new Set(faults)].join(" "))];
  return [
    ok("oauth", "The metadata of OAuth names this address everywhere."),
    await checkEndpoints(service),
  ];
}

/** What is wrong with a metadata document, in sentences; null for nothing. */
function findFault(
  url: string,
  path: string,
  answer: ProbeAnswer,
  expected: Readonly<Record<string, unknown>>,
): string | null {
  const addressed = Object.entries(expected).filter(([, value]) => String(value).includes(url));
  const wrong = addressed.find(
    ([name, value]) => JSON.stringify(answer.json[name]) !== JSON.stringify(value),
  );
  if (!wrong) return null;
  const [name] = wrong;
  const written = answer.json[name];
  if (answer.status !== 200 || written === undefined) return describeStranger(answer, path);
  return `${path} has ${name} ${quote(JSON.stringify(written))}, but clients call ${url}. Set BOURSE_PUBLIC_URL=${url} and restart the service, or check this address: clients must call the one in BOURSE_PUBLIC_URL.`;
}

/** A request to each endpoint of OAuth that bourse refuses, and that changes nothing. */
const ENDPOINTS: Readonly<Partial<Record<OAuthName, Partial<ConnectionRequest>>>> = {
  register: { method: "POST", headers: JSON_BODY, body: "{}" },
  authorize: {},
  token: { method: "POST", headers: FORM, body: "grant_type=none" },
  revoke: { method: "POST", headers: FORM, body: "" },
};

/** Whether the endpoints answer for themselves. */
async function checkEndpoints({ url, ask }: ReachedService): Promise<Finding> {
  const faults: string[] = [];
  for (const [name, request] of Object.entries(ENDPOINTS)) {
    const path = OAUTH_PATHS[name as OAuthName];
    const answer = await ask(path, request);
    const location = answer.headers.get("location") ?? "";
    const isOwn =
      name === "authorize"
        ? location.replace(originOf(url), "").split(/[?#]/)[0] ===
          `${basePathOf(url)}/console/connect`
        : textIn(answer.json, "error") !== "" && textIn(answer.json, "error_description") !== "";
    if (!isOwn) faults.push(describeStranger(answer, path));
  }
  if (faults.length > 0) return failed("registration", faults.join(" "));
  return ok("registration", "The endpoints for registration, consent and tokens answer.");
}

const PING = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping" });

/** Whether a client without a token learns how to get one. */
async function checkChallenge({ url, ask }: ReachedService, hasOAuth: boolean): Promise<Finding> {
  const check = "challenge";
  const answer = await ask(RESOURCE_PATH, { method: "POST", headers: JSON_BODY, body: PING });
  if (answer.status === 200)
    return failed(
      check,
      "MCP answers without a token. The proxy adds one, so anyone can read; remove the header Authorization from its settings.",
    );
  if (textIn(answer.json, "error", "code") === "")
    return failed(check, describeStranger(answer, RESOURCE_PATH));
  const challenge = answer.headers.get("www-authenticate");
  if (challenge === null)
    return failed(
      check,
      "The proxy removes the header WWW-Authenticate, so clients do not learn that they need a token. Let it pass.",
    );
  const metadata = /resource_metadata="([^"]*)"/.exec(challenge)?.[1];
  const expected = url + OAUTH_PATHS.mcpResource;
  if (!hasOAuth || metadata === expected)
    return ok(check, "A client without a token gets 401 with the header WWW-Authenticate.");
  return failed(
    check,
    `The header WWW-Authenticate names ${metadata === undefined ? "no metadata" : quote(metadata)} instead of ${expected}. Let the proxy pass it unchanged.`,
  );
}

/** How hosts name themselves when they call MCP. Firewalls against robots refuse some of them. */
const HOST_AGENTS = ["Claude-User", "openai-mcp"];

/** Whether requests of hosts arrive, by their names. */
async function checkAgents({ ask }: ReachedService): Promise<Finding> {
  const check = "agents";
  const refused: string[] = [];
  for (const agent of HOST_AGENTS) {
    const headers = { ...JSON_BODY, "User-Agent": `${agent} (${CHECK_AGENT})` };
    const answer = await ask(RESOURCE_PATH, { method: "POST", headers, body: PING });
    if (textIn(answer.json, "error", "code") === "") refused.push(`${agent} (${answer.status})`);
  }
  if (refused.length === 0)
    return ok(check, "Requests arrive under the names of claude.ai and ChatGPT.");
  return failed(
    check,
    `A firewall in front refuses ${refused.join(" and ")}, as claude.ai and ChatGPT name themselves. Allow both; in Cloudflare, switch off Block AI bots and look into AI Crawl Control.`,
  );
}

/** Whether the header with the token arrives. */
async function checkAuthorization({ ask }: ReachedService): Promise<Finding> {
  const check = "authorization";
  const headers = { ...JSON_BODY, Authorization: `Bearer ${WRONG_TOKEN}` };
  const answer = await ask(RESOURCE_PATH, { method: "POST", headers, body: PING });
  const code = textIn(answer.json, "error", "code");
  if (code === "INVALID_TOKEN") return ok(check, "The header Authorization arrives.");
  if (code === "MISSING_AUTH")
    return failed(
      check,
      "The proxy removes the header Authorization, so every token is missing. Let it pass, in nginx: proxy_set_header Authorization $http_authorization; A password that the proxy itself asks for takes its place.",
    );
  if (answer.status === 200)
    return failed(check, "The proxy replaces the header Authorization. Let it pass unchanged.");
  return failed(check, describeStranger(answer, RESOURCE_PATH));
}

/** The handshake of MCP and the list of tools. The token goes only where a valid certificate is. */
function checkHandshake({ isSafe, withToken, ask }: ReachedService): Promise<Finding> {
  const check = "mcp";
  if (!isSafe)
    return Promise.resolve(
      warning(check, "The handshake was not tried: no token is sent without a valid certificate."),
    );
  return withToken(async (given) => {
    if ("reason" in given) return warning(check, `The handshake was not tried. ${given.reason}`);
    const call = (id: number, method: string, params: object) =>
      ask(RESOURCE_PATH, {
        method: "POST",
        headers: {
          ...JSON_BODY,
          ...headersFor({ id: String(id), method, params }),
          Authorization: `Bearer ${given.token}`,
        },
        body: JSON.stringify({ jsonrpc: "2.0", id, method, params }),
        isSecret: true,
      });
    const clientInfo = { name: "bourse doctor", version: "1" };
    const params = { protocolVersion: PROTOCOL_VERSION, capabilities: {}, clientInfo };
    const opened = await call(1, "initialize", params);
    const listed = await call(2, "tools/list", {});
    const fault = [opened, listed].find(({ json }) => !isObject(json["result"]));
    if (fault) {
      const words = textIn(fault.json, "error", "message");
      return failed(check, words === "" ? describeStranger(fault, RESOURCE_PATH) : quote(words));
    }
    const discovered = await call(3, "server/discover", { _meta: STATELESS_META });
    if (!isObject(discovered.json["result"]))
      return failed(
        check,
        "The proxy removes the header MCP-Protocol-Version or Mcp-Method, so newer clients cannot connect. Let both pass.",
      );
    const { tools } = listed.json["result"] as { tools?: unknown };
    const count = Array.isArray(tools) ? tools.length : 0;
    return ok(check, `A client connects and sees ${formatCount(count, "tool")}.`);
  });
}
