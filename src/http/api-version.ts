/** A version of the interface. */
export interface ApiVersion {
  /** Its path segment: `v1`. */
  readonly name: string;
  /** Set once the version's end is announced. Every answer of the version then carries it as headers. */
  readonly deprecation?: {
    readonly since: Date;
    readonly sunset: Date;
    /** The page that describes how to migrate. */
    readonly link: string;
  };
}

/** The current version. */
export const V1: ApiVersion = { name: "v1" };

/** The prefix of a version's paths. */
export function versionPrefix(version: ApiVersion): string {
  return `/api/${version.name}/svc`;
}

/** `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and a link to the migration guide; empty unless the version is deprecated. */
export function deprecationHeaders({ deprecation }: ApiVersion): Record<string, string> {
  if (!deprecation) return {};
  return {
    Deprecation: `@${Math.floor(deprecation.since.getTime() / 1000)}`,
    Sunset: deprecation.sunset.toUTCString(),
    Link: `<${deprecation.link}>; rel="deprecation"; type="text/html"`,
  };
}
