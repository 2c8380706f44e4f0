import type { Finding, SeenRequest } from "#http/service-reports.ts";
import type { Trace } from "#http/trace.ts";
import { RESOURCE_PATH } from "#http/oauth-metadata.ts";
import { toVisibleLine } from "#lib/visible-line.ts";
import { pathWithoutSecrets } from "./access-log.ts";

/** How a check names itself, so that its requests differ from the ones of clients. */
export const CHECK_AGENT = "bourse-connection-check";

/** The newest requests that are kept. */
const MAX_SEEN = 50;
const MAX_AGENT = 80;
/** How long requests are remembered after the last look. */
const LOOKS_FOR_MS = 60_000;
/** After this time without a request, none will come. */
const SILENT_MS = 30_000;

/** What a client requests to connect, besides the page of consent: MCP, OAuth, and paths that do not exist. */
const OF_CLIENTS: ReadonlySet<Trace["via"]> = new Set(["mcp", "oauth", "other"]);
const CONSENT_PATH = "/console/connect";

/** Remembers the requests of clients that connect, without addresses, while someone looks. */
export class ConnectionWatch {
  readonly #clock: () => number;
  #looksUntil = 0;
  #startedAt = 0;
  #count = 0;
  #seen: SeenRequest[] = [];

  /** @param clock gives UTC milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock;
  }

  /** Forgets all requests. */
  start(): void {
    this.#seen = [];
    this.#startedAt = this.#clock();
  }

  /** Notes an answered request, if someone looks. Every call of the service passes here. */
  finished({ via, operation }: Trace, status: number, request: Request): void {
    if (this.#looksUntil === 0) return;
    const at = this.#clock();
    if (at > this.#looksUntil) return void (this.#looksUntil = 0);
    if (!OF_CLIENTS.has(via) && via !== "console") return;
    const path = pathWithoutSecrets(request.url);
    const agent = request.headers.get("user-agent") ?? "";
    if ((via === "console" && path !== CONSENT_PATH) || agent.includes(CHECK_AGENT)) return;
    const { method } = request;
    this.#seen.push({
      id: ++this.#count,
      at,
      method,
      path,
      operation,
      status,
      agent: toVisibleLine(agent.slice(0, MAX_AGENT)),
    });
    if (this.#seen.length > MAX_SEEN) this.#seen.shift();
  }

  /** The requests since the start, oldest first, and what they mean. Later ones are remembered for a minute. */
  look(): { requests: readonly SeenRequest[]; client: Finding | null } {
    const now = this.#clock();
    this.#looksUntil = now + LOOKS_FOR_MS;
    return { requests: [...this.#seen], client: explain(this.#seen, now - this.#startedAt) };
  }
}

const isMcp = ({ path }: SeenRequest) => path === RESOURCE_PATH;
const isPath =
  (end: string, ...statuses: readonly number[]) =>
  ({ path, status }: SeenRequest) =>
    path.endsWith(end) && (statuses.length === 0 || statuses.includes(status));

/** How far a client can come, the furthest step first, and what to do then. */
const STEPS: readonly (readonly [
  isReached: (request: SeenRequest) => boolean,
  level: Finding["level"],
  text: string,
])[] = [
  [(one) => isMcp(one) && one.status < 300, "ok", "A client is connected."],
  [
    isPath("/oauth/token", 200),
    "warning",
    "A client has a token, but its call of MCP has not arrived. A firewall can refuse it: in Cloudflare, switch off Block AI bots and look into AI Crawl Control.",
  ],
  [
    isPath("/oauth/token"),
    "warning",
    "The client's code for a token was refused. Start again in the client.",
  ],
  [
    isPath(CONSENT_PATH),
    "warning",
    "The page of consent was opened. Sign in there, and allow the client.",
  ],
  [
    isPath("/oauth/register", 201),
    "warning",
    "The client is registered. Look for the window of the browser that it opens.",
  ],
  [
    isPath("/oauth/register"),
    "warning",
    "The registration of the client was refused. Its answer and the log of the client say why.",
  ],
  [
    (one) => one.path.startsWith("/.well-known/") && one.status === 200,
    "warning",
    "The client read the metadata and stopped. Start again in the client; if it stops again, look into its log.",
  ],
  [
    (one) => isMcp(one) && one.status === 401,
    "warning",
    "A client came without a valid token and did not ask for one. Write one into its header Authorization, as `Bearer TOKEN`.",
  ],
  [
    (one) => one.status === 429,
    "warning",
    "The gate refuses the address of the client. Raise BOURSE_GATE_PER_MINUTE, or let the proxy send X-Forwarded-For and set BOURSE_TRUSTED_PROXIES.",
  ],
  [
    (one) => one.status === 404 && !isMcp(one),
    "warning",
    `A client calls a path that does not exist. Its address must end with ${RESOURCE_PATH}.`,
  ],
];

/** What the requests mean; null while nothing has come and may still come. */
function explain(requests: readonly SeenRequest[], waitedMs: number): Finding | null {
  for (const [isReached, level, text] of STEPS)
    if (requests.some(isReached)) return { check: "client", level, text };
  if (requests.length > 0)
    return warning("A client came, but its requests do not show how far it got.");
  if (waitedMs < SILENT_MS) return null;
  return warning(
    `Nothing arrived in ${SILENT_MS / 1_000} s: the client never left its network, or calls another address. claude.ai calls port 443 only.`,
  );
}

const warning = (text: string): Finding => ({ check: "client", level: "warning", text });
