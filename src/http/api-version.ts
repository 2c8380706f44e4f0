/** A version of the interface. */
export interface ApiVersion {
  /** Its path segment: `v1`. */
  readonly name: string;
  /** Set once the version's end is announced; every answer of it then says so. */
  readonly deprecation?: {
    readonly since: Date;
    readonly sunset: Date;
    /** The page that tells its users how to move on. */
    readonly link: string;
  };
}

/** The version in force. */
export const V1: ApiVersion = { name: "v1" };

/** Where a version's paths begin. */
export function versionPrefix(version: ApiVersion): string {
  return `/api/${version.name}/svc`;
}

/** `Deprecation` (RFC 9745), `Sunset` (RFC 8594) and where to read on; nothing for a version in force. */
export function deprecationHeaders({ deprecation }: ApiVersion): Record<string, string> {
  if (!deprecation) return {};
  return {
    Deprecation: `@${Math.floor(deprecation.since.getTime() / 1000)}`,
    Sunset: deprecation.sunset.toUTCString(),
    Link: `<${deprecation.link}>; rel="deprecation"; type="text/html"`,
  };
}
