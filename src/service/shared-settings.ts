import type { Config } from "#config.ts";

/** A short hash, which nodes compare. It does not show the setting. */
function hash(value: unknown): string {
  const text = JSON.stringify(value);
  return new Bun.CryptoHasher("sha256").update(text).digest("hex").slice(0, 16);
}

/** A hash of each setting that all nodes of a cluster must share, by the name of the setting. */
export function hashSharedSettings({
  plans,
  gatePerMinute,
  sources,
  publicUrl,
  signIn,
  alerts: { mail, networks },
}: Pick<Config, "plans" | "gatePerMinute" | "sources" | "publicUrl" | "signIn" | "alerts">): Record<
  string,
  string
> {
  const { free, pro, max } = plans;
  // Without the password: a short one can be found by its hash.
  const server = mail && { ...mail, password: mail.password !== null };
  return {
    "plan-free": hash(free),
    "plan-pro": hash(pro),
    "plan-max": hash(max),
    "gate-per-minute": hash(gatePerMinute),
    sources: hash(sources?.toSorted() ?? null),
    "public-url": hash(publicUrl),
    "oidc-issuer": hash([signIn.provider?.issuer, signIn.provider?.clientId]),
    "oidc-allow": hash(signIn.provider?.allow.toSorted() ?? null),
    "new-users": hash(signIn.newUsers),
    mail: hash(server && Object.entries(server).toSorted(([a], [b]) => (a < b ? -1 : 1))),
    "alert-networks": hash(networks.toSorted()),
  };
}
