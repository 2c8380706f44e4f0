import type { Channel } from "#domain/alert.ts";
import { isMailAddress, type MailServer } from "#lib/mail-server.ts";
import { hostOf } from "#lib/outside-network.ts";
import { AddressRanges, isAddressRange, isPublicAddress } from "#lib/public-address.ts";

/** Where the operator lets alerts go. */
export interface AlertPlaces {
  /** Null if there is no mail. */
  readonly mail: (MailServer & { readonly from: string }) | null;
  /** Addresses and CIDR ranges that may be reached besides public addresses. */
  readonly networks: readonly string[];
}

/** Bytes of a new secret of a webhook. Standard Webhooks allows 24 to 64. */
const SECRET_BYTES = 32;
const LEAST_SECRET_BYTES = 24;
const MOST_SECRET_BYTES = 64;
const SECRET_PREFIX = "whsec_";

/** A new secret of a webhook: `whsec_` and base64. */
export function createWebhookSecret(): string {
  return SECRET_PREFIX + crypto.getRandomValues(new Uint8Array(SECRET_BYTES)).toBase64();
}

/** The secret of a channel that is saved, and whether it was made now. */
export interface ChosenSecret {
  /** Undefined for a channel without a secret. */
  readonly secret: string | undefined;
  readonly isMade: boolean;
}

/**
 * The secret of a channel that is saved: the written one, else the stored one of the same kind. A webhook without one
 * gets a new one.
 *
 * @param before the stored channel of that name; null if it is new
 */
export function chooseSecret(
  { kind, secret }: Pick<Channel, "kind" | "secret">,
  before: Channel | null,
): ChosenSecret {
  const known = secret ?? (before?.kind === kind ? before.secret : undefined);
  return known === undefined && kind === "webhook"
    ? { secret: createWebhookSecret(), isMade: true }
    : { secret: known, isMade: false };
}

/** The key of a secret `whsec_…`; null if it is none. */
export function readWebhookSecret(secret: string): Uint8Array | null {
  if (!secret.startsWith(SECRET_PREFIX)) return null;
  try {
    const key = Uint8Array.fromBase64(secret.slice(SECRET_PREFIX.length));
    return key.length >= LEAST_SECRET_BYTES && key.length <= MOST_SECRET_BYTES ? key : null;
  } catch {
    return null;
  }
}

/**
 * Why nothing could be sent to a channel, as a sentence; null if nothing is wrong with it. A name of a host is resolved
 * when a message is sent.
 */
export function findChannelFault(channel: Channel, { mail, networks }: AlertPlaces): string | null {
  if (channel.kind === "mail") {
    if (mail === null)
      return "This service sends no mail. Its operator must set BOURSE_MAIL first; a webhook or ntfy needs no such setting.";
    return isMailAddress(channel.address ?? "")
      ? null
      : "Give the address of one mailbox, such as anna@example.com.";
  }
  return findFaultOfUrl(channel, networks) ?? findFaultOfSecret(channel);
}

function findFaultOfUrl({ kind, url: text = "" }: Channel, networks: readonly string[]) {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol))
    return "Give a url that begins with https://, or with http:// in a private network.";
  if (url.username !== "" || url.password !== "")
    return "The url has a user and a password. Leave them out: a token of ntfy goes into the secret.";
  const host = hostOf(url);
  if (isAddressRange(host) && !createAddressCheck(url, networks)(host)) return refuseAddress(url);
  if (url.protocol === "http:" && networks.length === 0)
    return "Over plain http, everyone on the way could read the messages. Give a url that begins with https://.";
  if (kind === "ntfy" && !/^\/.*[^/]$/.test(url.pathname))
    return "Give the url with the topic at its end, such as https://ntfy.sh/my-topic.";
  return null;
}

function findFaultOfSecret({ kind, secret }: Channel): string | null {
  if (kind !== "webhook" || secret === undefined || readWebhookSecret(secret)) return null;
  return `The secret of a webhook is ${SECRET_PREFIX} and base64 of ${LEAST_SECRET_BYTES} to ${MOST_SECRET_BYTES} bytes. Leave it out, and bourse makes one.`;
}

/** Why an address is refused, with what is allowed. */
export function refuseAddress({ protocol }: URL): string {
  return protocol === "http:"
    ? "The host is not in a network that BOURSE_ALERT_NETWORKS allows. Outside of them the url must begin with https://."
    : "The host has no public address. The operator can allow private ones with BOURSE_ALERT_NETWORKS.";
}

/** True for an address that a channel may be at. Over plain http, only the operator's networks are allowed. */
export function createAddressCheck(
  { protocol }: URL,
  networks: readonly string[],
): (address: string) => boolean {
  const ranges = new AddressRanges(networks);
  return (address) =>
    ranges.includes(address) || (protocol === "https:" && isPublicAddress(address));
}
