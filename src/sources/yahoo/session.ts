import type { SourceAnswer, SourceClient, SourceRequest } from "#sources/source.ts";
import { throughDoors } from "#sources/doors.ts";
import { COOKIE_DOORS, YAHOO_API, YAHOO } from "./source.ts";

interface YahooSession {
  readonly cookie: string;
  /** The token that belongs to the cookie, a query parameter of protected requests. */
  readonly crumb: string;
}

/** Requests that need a session are refused apart from charts, dividends, splits and statements. */
const SESSION = "session";

/** What Yahoo's own pages send with a crumb. */
const PAGE_HEADERS = {
  Origin: "https://finance.yahoo.com",
  Referer: "https://finance.yahoo.com/",
  "Accept-Language": "en-US,en;q=0.9",
};

const SESSION_COOKIES: ReadonlySet<string> = new Set(["A1", "A3", "A1S"]);

/** The session of each client. The first request that needs it opens it; concurrent ones wait for it. */
const sessions = new WeakMap<SourceClient, Promise<YahooSession>>();

/**
 * Requests data that Yahoo gives to a browser session only. An expired session (401) is renewed
 * once. A 404 is an answer: its body names the reason.
 *
 * @throws SourceError
 */
export async function askWithSession(
  client: SourceClient,
  url: string,
  request: SourceRequest = {},
): Promise<SourceAnswer> {
  const session = findOrOpen(client);
  const answer = await ask(client, url, request, await session);
  if (answer.status !== 401) return answer;
  forget(client, session);
  const renewed = findOrOpen(client);
  const second = await ask(client, url, request, await renewed);
  if (second.status !== 401) return second;
  forget(client, renewed);
  throw YAHOO.error("unreachable", "it refuses a new session");
}

function ask(
  client: SourceClient,
  url: string,
  request: SourceRequest,
  { cookie, crumb }: YahooSession,
): Promise<SourceAnswer> {
  const mark = url.includes("?") ? "&" : "?";
  return client.request(`${url}${mark}crumb=${encodeURIComponent(crumb)}`, {
    ...request,
    part: SESSION,
    headers: { ...PAGE_HEADERS, ...request.headers, Cookie: cookie },
    accept: [401, 404],
  });
}

function findOrOpen(client: SourceClient): Promise<YahooSession> {
  const known = sessions.get(client);
  if (known) return known;
  const opened = open(client);
  sessions.set(client, opened);
  opened.catch(() => forget(client, opened));
  return opened;
}

function forget(client: SourceClient, session: Promise<YahooSession>): void {
  if (sessions.get(client) === session) sessions.delete(client);
}

async function open(client: SourceClient): Promise<YahooSession> {
  const cookie = await throughDoors(client, COOKIE_DOORS, {
    // The page does not exist, but its answer sets the cookie.
    "fc.yahoo.com": () => requestCookie(client, "https://fc.yahoo.com/"),
    "finance.yahoo.com": () => requestCookie(client, "https://finance.yahoo.com/quote/AAPL/"),
  });
  const answer = await client.request(`${YAHOO_API}/v1/test/getcrumb`, {
    part: SESSION,
    headers: { ...PAGE_HEADERS, Cookie: cookie },
    refusal: (one) => (crumbIn(one) === null ? "disguised" : null),
  });
  const crumb = crumbIn(answer);
  if (crumb === null) throw YAHOO.error("invalid_answer", "it gave no crumb");
  return { cookie, crumb };
}

async function requestCookie(client: SourceClient, address: string): Promise<string> {
  const answer = await client.request(address, {
    accept: [404],
    form: "page",
    refusal: (one) => (cookieIn(one) === "" ? "disguised" : null),
  });
  const cookie = cookieIn(answer);
  if (cookie === "") throw YAHOO.error("unreachable", "it gave no session cookie");
  return cookie;
}

function cookieIn({ headers }: SourceAnswer): string {
  return headers
    .getSetCookie()
    .map((line) => line.split(";", 1)[0] ?? "")
    .filter((pair) => SESSION_COOKIES.has(pair.split("=", 1)[0] ?? ""))
    .join("; ");
}

/** The token in an answer. A page or an error message instead of it contains blanks or brackets. */
function crumbIn(answer: SourceAnswer): string | null {
  const text = answer.text().trim();
  return /^[^\s<>{}]{4,64}$/.test(text) ? text : null;
}
