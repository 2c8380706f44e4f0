import type { Channel } from "#domain/alert.ts";
import { withDeadline } from "#lib/deadline.ts";
import { type OutsideNetwork, readAtMost, requestOutside } from "#lib/outside-network.ts";
import { toVisibleLine } from "#lib/visible-line.ts";
import {
  type AlertPlaces,
  createAddressCheck,
  findChannelFault,
  refuseAddress,
} from "./channel.ts";
import { createNtfyRequest } from "./ntfy.ts";
import { failed, type Outcome, type OutgoingMessage } from "./outgoing.ts";
import { createWebhookRequest } from "./webhook.ts";

/** How long an attempt may take, as Standard Webhooks recommends. */
const TIMEOUT_MS = 15_000;
/** Bytes of an answer that are read, to show what the receiver said. */
const MOST_READ = 1_024;
/** Characters of it that are shown. */
const MOST_SHOWN = 200;
/** The longest wait that a receiver can ask for. */
const MOST_WAIT_MS = 86_400_000;

const BAD_GATEWAY = 502;
const GONE = 410;

/** What sending needs. */
export interface SendParts {
  readonly places: AlertPlaces;
  readonly network: OutsideNetwork;
  /** UTC milliseconds. */
  readonly clock: () => number;
  /** How long an attempt may take; 15 s if left out. */
  readonly timeoutMs?: number | undefined;
  /** A certificate that mail trusts besides the usual ones. */
  readonly mailCa?: string | undefined;
}

/** Sends a message to a channel once. It never throws. */
export async function send(
  parts: SendParts,
  channel: Channel,
  message: OutgoingMessage,
): Promise<Outcome> {
  const fault = findChannelFault(channel, parts.places);
  if (fault !== null) return failed(fault);
  try {
    return channel.kind === "mail"
      ? await mail(parts, channel, message)
      : await post(parts, channel, message);
  } catch (error) {
    return failed(explain(error));
  }
}

async function mail(
  { places, clock, timeoutMs = TIMEOUT_MS, mailCa }: SendParts,
  { address = "" }: Channel,
  message: OutgoingMessage,
): Promise<Outcome> {
  const { sendMail } = await import("./mail.ts");
  const { mail: server } = places;
  if (server === null) throw new Error("checked before");
  const work = sendMail({ server, to: address, now: clock(), timeoutMs, ca: mailCa }, message);
  return withDeadline(work, timeoutMs, () => new DOMException("", "TimeoutError"));
}

async function post(
  { places, network, clock, timeoutMs = TIMEOUT_MS }: SendParts,
  channel: Channel,
  message: OutgoingMessage,
): Promise<Outcome> {
  const url = new URL(channel.url ?? "");
  const { headers, body } =
    channel.kind === "ntfy"
      ? createNtfyRequest(channel, message)
      : createWebhookRequest(channel, message, clock());
  const signal = AbortSignal.timeout(timeoutMs);
  const request = {
    method: "POST",
    headers: { ...headers, "User-Agent": "bourse" },
    body,
    signal,
  } as const;
  const isAllowed = createAddressCheck(url, places.networks);
  const response = await requestOutside(network, url, request, isAllowed);
  if (response === null) return failed(refuseAddress(url));
  const said = await readStart(response, signal);
  const shown = toVisibleLine(hideChannel(said, channel).slice(0, MOST_SHOWN));
  return judge(response, shown, clock());
}

/** The beginning of an answer on one line; empty if it is no text or does not come in time. */
async function readStart(response: Response, signal: AbortSignal): Promise<string> {
  const type = response.headers.get("content-type") ?? "";
  const isText = /^(text\/plain|application\/([\w.-]+\+)?json)\b/i.test(type);
  const bytes = isText ? await readAtMost(response, MOST_READ, signal) : null;
  // A server that keeps sending must not keep the connection.
  if (!response.bodyUsed) response.body?.cancel().catch(() => {});
  const text = new TextDecoder().decode(bytes ?? new Uint8Array());
  return text.replaceAll(/\s+/g, " ").trim();
}

/** Shorter parts of an address are no secrets. */
const LEAST_SECRET = 4;

/** A receiver can repeat what it got: its address, also in parts or decoded, and the secret. */
function hideChannel(said: string, { url = "", secret = "" }: Channel): string {
  const { href, pathname, search, hash, searchParams } = new URL(url);
  // A value without a name is read as a name.
  const values = [...searchParams].map(([name, value]) => value || name);
  const raw = search
    .slice(1)
    .split("&")
    .flatMap((part) => part.split(/=(.*)/).at(1) ?? part);
  const parts = [...pathname.split("/"), ...raw, hash.slice(1)];
  const texts = [url, href, pathname + search, ...parts, secret];
  const known = [...texts, ...texts.map(decode), ...values];
  const escaped = known.map((one) => one.replaceAll("/", "\\/"));
  const words = [...known, ...escaped]
    .filter((one) => one.length >= LEAST_SECRET)
    .toSorted((one, other) => other.length - one.length)
    .map((one) => RegExp.escape(one));
  return said.replaceAll(new RegExp(words.join("|"), "g"), "…");
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** What the answer of a receiver means by Standard Webhooks. */
function judge({ status, headers, ok }: Response, said: string, now: number): Outcome {
  const words = said === "" ? "" : `: ${said}`;
  if (ok) return { is: "sent", said: `The receiver answers ${status}${words}` };
  if (status === GONE) {
    const error = "The receiver answers 410: it wants no more messages.";
    return { is: "gone", error, waitMs: 0 };
  }
  const waitMs = readRetryAfter(headers.get("retry-after"), now);
  if (status >= 300 && status < 400)
    return failed(
      `The receiver answers ${status}, a redirect, which is not followed. Write the url to which it leads.`,
      waitMs,
    );
  const advice = ADVICE[status] ?? (status >= BAD_GATEWAY ? "It is overloaded or down." : "");
  return failed(
    [`The receiver answers ${status}${words || "."}`, advice].filter(Boolean).join(" "),
    waitMs,
  );
}

const ADVICE: Readonly<Record<number, string>> = {
  401: "Check the secret of the channel.",
  403: "Check the secret of the channel, and if its user may write there.",
  404: "Check the url of the channel.",
  429: "It gets too many messages.",
};

/** The header `Retry-After`, seconds or a date, in milliseconds from now; 0 without a usable one. */
function readRetryAfter(text: string | null, now: number): number {
  if (text === null) return 0;
  const ms = /^\s*\d{1,9}(\.\d+)?\s*$/.test(text) ? Number(text) * 1_000 : Date.parse(text) - now;
  return Number.isNaN(ms) ? 0 : Math.min(Math.max(0, ms), MOST_WAIT_MS);
}

/** Why no answer came, without an address of our network. */
function explain(thrown: unknown): string {
  const { name = "", message = "" } = thrown as Partial<Error>;
  // The code of a timeout is a number.
  const code =
    thrown instanceof Error && "code" in thrown ? `${thrown.code as string | number}` : "";
  if (name === "TimeoutError" || message === "timed out")
    return "The receiver does not answer in time.";
  if (/CERT|SIGNATURE|ALTNAME/.test(code))
    return `The receiver does not prove by its certificate that it is the host (${code}).`;
  if (/ENOTFOUND|ENODATA/.test(code)) return "The host of the url is unknown.";
  return "The receiver cannot be reached.";
}
