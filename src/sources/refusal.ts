import { formatCount } from "#lib/table.ts";
import type { ConnectionFault } from "./connection-error.ts";

/** How a host refused a request: a status, no content, other content, a part, no answer in time, or no connection. */
export type RefusalCause =
  number | "empty" | "hangs" | "disguised" | "cut" | "elsewhere" | ConnectionFault;

/** The last refusal of a host. It has no address, key or text of the host. */
export interface Refusal {
  /** The name of the host, and a part of it that refuses alone: `www.sec.gov`, `query1.finance.yahoo.com (session)`. */
  readonly host: string;
  readonly cause: RefusalCause;
  /** The host to which it redirects. */
  readonly to?: string;
  /** True if it named the time of the next call, so that it counts calls and refuses no identity. */
  readonly isTimed?: boolean;
  /** True if the host was not called now, because it refused before. */
  readonly isPast?: true;
}

/** The likely reason of a refusal, and what to do. */
type Advice = readonly [why: string, toDo: string];

/** What happened, for every cause that is no status. */
const HAPPENED: Readonly<Record<Exclude<RefusalCause, number>, string>> = {
  empty: "answers nothing to this network",
  hangs: "does not answer",
  disguised: "answers with something else",
  cut: "sends only a part of its answer",
  elsewhere: "redirects to another host",
  unresolved: "does not resolve",
  refused: "refuses the connection",
  closed: "closes the connection before an answer",
  no_route: "cannot be reached",
  timed_out: "does not accept the connection in time",
  tls: "does not speak TLS",
  proxy: "is not reached, because the proxy refuses the connection",
  certificate: "has a TLS certificate that is not trusted",
  no_http: "does not speak HTTP",
  failed: "cannot be connected",
};

/** What is likely and what to do, where the host says nothing more. */
const GENERAL: Readonly<Record<Exclude<RefusalCause, number>, Advice>> = {
  empty: [
    "it ignores some cloud addresses",
    "call it from another network, or through HTTPS_PROXY",
  ],
  hangs: ["it is slow, or ignores this address", "retry later, or check firewall and proxy"],
  disguised: [
    "it shows a page for people instead, or this network wants a sign-in",
    "sign in to this network, call it from another one, or upgrade bourse",
  ],
  cut: ["the connection or a proxy cut it", "retry later, or check the proxy"],
  elsewhere: [
    "this network wants a sign-in, or the source has moved",
    "sign in to this network, or upgrade bourse",
  ],
  unresolved: [
    "its host name cannot be resolved",
    "check DNS, ad blockers and the internet connection",
  ],
  refused: [
    "a firewall, a proxy or the host itself refuses it",
    "check firewall and proxy (HTTPS_PROXY)",
  ],
  closed: ["the host or a proxy ended it", "retry later, or check the proxy"],
  no_route: ["there is no route to it", "check the internet connection"],
  timed_out: ["a firewall may drop the packets", "check firewall and proxy (HTTPS_PROXY)"],
  tls: ["a proxy may intercept TLS", "check for a proxy that intercepts TLS"],
  proxy: ["its settings are wrong", "check HTTPS_PROXY and its credentials"],
  certificate: [
    "the clock is wrong, or a proxy intercepts TLS",
    "check the system clock and proxies that intercept TLS",
  ],
  no_http: ["another program answers in its place", "check firewall and proxy"],
  failed: ["the network failed", "check the internet connection"],
};

/** The same by status; `null` for a fault of the host itself. */
const STATUSES: ReadonlyMap<number | null, Advice> = new Map([
  [203, ["a proxy changed its answer", "check the proxy (HTTPS_PROXY)"]],
  [204, GENERAL.empty],
  [205, GENERAL.empty],
  [206, GENERAL.cut],
  [304, ["a proxy changed its answer", "check the proxy (HTTPS_PROXY)"]],
  [401, ["it does not accept the key or session", "check the key of the source"]],
  [403, ["it refuses this program or this network", "call it from another network"]],
  [404, ["it has nothing at this address", "upgrade bourse, or report it"]],
  [407, ["a proxy wants a name and a password", "write them in HTTPS_PROXY"]],
  [408, ["it received the request too slowly", "retry later"]],
  [410, ["it gives these records no more", "upgrade bourse, or report it"]],
  [429, ["it has too many calls from this address", "wait; it is called again by itself"]],
  [451, ["it refuses this country", "call it from another network"]],
  [511, ["this network wants a sign-in", "sign in to the network"]],
  [null, ["it has a fault", "wait; it is called again by itself"]],
]);

/** What is known of single hosts and their subdomains. The first row that fits is used. */
const HOSTS: readonly (readonly [host: string, causes: readonly RefusalCause[], ...Advice])[] = [
  [
    "fc.yahoo.com",
    ["unresolved", "refused", "no_route", "hangs"],
    "an ad blocker may block it",
    "allow it, or let finance.yahoo.com give the cookie, as bourse tries next",
  ],
  [
    "yahoo.com",
    ["unresolved", "refused", "no_route"],
    "an ad blocker or firewall may block it",
    "allow it",
  ],
  [
    "yahoo.com",
    [401, 403, 429, "hangs", "empty", "disguised"],
    "it refuses this User-Agent or this address for a while",
    "wait, or set BOURSE_USER_AGENT to one that it accepts",
  ],
  [
    "finance.yahoo.com",
    ["elsewhere"],
    "it wants consent to cookies in this country",
    "allow fc.yahoo.com, which gives the cookie without it",
  ],
  [
    "sec.gov",
    [403],
    "it wants a contact with an email address",
    "set BOURSE_CONTACT to yours; if it is, wait ten minutes",
  ],
  ["sec.gov", [429], "it allows 10 requests a second", "wait; it is called again by itself"],
  [
    "fred.stlouisfed.org",
    ["hangs", "timed_out", "closed", 403, 429, 504],
    "it often ignores cloud addresses",
    "set FRED_API_KEY (free)",
  ],
  ["api.stlouisfed.org", [400, 401, 403], "it does not accept the key", "check FRED_API_KEY"],
  ["edinet-fsa.go.jp", [400, 401, 403], "it does not accept the key", "check EDINET_API_KEY"],
  ["www.imf.org", [403], "it refuses programs", "bourse reads the same figures at api.imf.org"],
  [
    "sbv.gov.vn",
    [403, "hangs", "timed_out", "closed", "refused", "no_route"],
    "it often answers only within Viet Nam",
    "bourse reads some of the figures at api.imf.org",
  ],
  [
    "nasdaq.com",
    [403, "hangs", "closed", "empty"],
    "it ignores some cloud addresses",
    "call it from another network, or through HTTPS_PROXY",
  ],
  [
    "ssi.com.vn",
    [403, "disguised"],
    "it refuses some cloud addresses",
    "call it from another network, or through HTTPS_PROXY",
  ],
  [
    "vietcap.com.vn",
    [403, "hangs"],
    "it refuses some cloud addresses",
    "call it from another network, or through HTTPS_PROXY",
  ],
  [
    "githubusercontent.com",
    [429],
    "others share this address and its limit",
    "wait; it is called again slowly",
  ],
];

/**
 * Describes a refusal: the host, what happened, the likely reason and what to do, without a full stop.
 * `www.sec.gov 403: it wants a contact with an email address; set BOURSE_CONTACT to yours; …`.
 */
export function describeRefusal(refusal: Refusal): string {
  const { happened, why, toDo } = explainRefusal(refusal);
  return `${refusal.host} ${happened}: ${why}; ${toDo}`;
}

/** How an error begins while its host is not called; the refusal follows. */
export const NOT_CALLED = "it is not called for a while after failures";

/**
 * Describes refusals. If several hosts refuse for the same reason, it names the first:
 * `fc.yahoo.com 403: it refuses …; wait (2 more hosts do the same)`.
 */
export function groupRefusals<T extends Refusal>(refusals: readonly T[]) {
  const reasonOf = (one: T) => describeRefusal(one).slice(one.host.length);
  return [...Map.groupBy(refusals, reasonOf)].map(([reason, own]) => {
    const [first = "", ...others] = new Set(own.map(({ host }) => host));
    const count = formatCount(others.length, "more host does", "more hosts do");
    const start = own.every(({ isPast }) => isPast) ? `${NOT_CALLED}: ` : "";
    const end = others.length === 0 ? "" : ` (${count} the same)`;
    return { own, words: start + first + reason + end };
  });
}

/** The parts of that description, without the host. Only `toDo` names settings. */
export function explainRefusal({ host, cause, to }: Refusal) {
  const [why, toDo] = adviceOf(host, cause);
  const happened = typeof cause === "number" ? String(cause) : HAPPENED[cause];
  return { happened: to === undefined ? happened : `${happened}, ${to}`, why, toDo };
}

function adviceOf(host: string, cause: RefusalCause): Advice {
  const [name = ""] = host.split(" ");
  const known = HOSTS.find(
    ([one, causes]) => (name === one || name.endsWith(`.${one}`)) && causes.includes(cause),
  );
  if (known) return [known[2], known[3]];
  if (typeof cause !== "number") return GENERAL[cause];
  const unknown: Advice = ["it refuses this request", "upgrade bourse, or report it"];
  const usual = cause < 400 ? GENERAL.elsewhere : cause >= 500 ? STATUSES.get(null) : unknown;
  return STATUSES.get(cause) ?? usual ?? unknown;
}

/** A cause as one word for the store: `403`, `hangs`. */
export function formatCause(cause: RefusalCause): string {
  return String(cause);
}

/** The cause that `formatCause` wrote; null for any other text. */
export function parseCause(text: string): RefusalCause | null {
  if (/^\d{3}$/.test(text)) return Number(text);
  return Object.hasOwn(HAPPENED, text) ? (text as RefusalCause) : null;
}

/** True if another identity or another host may pass where this one was refused. */
export function isRefusal(cause: RefusalCause): boolean {
  if (typeof cause === "string") return cause !== "cut";
  return cause === 401 || cause === 403 || cause === 429;
}
