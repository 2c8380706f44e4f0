import { parseArgs } from "node:util";

/** Who publishes a release: what only a publisher can own, so the repository does not declare it. */
export interface Publisher {
  /** The repository on GitHub: `alice/bourse`. */
  readonly repository: string;
  /** Its owner: `alice`. */
  readonly owner: string;
  /** The scope of the npm packages: `@alice`. Null if the release has none. */
  readonly npmScope: string | null;
  /** Who answers for the package for Debian: `Alice Doe <alice@…>`. Null if the release has none. */
  readonly maintainer: string | null;
}

/** The command that makes a release, for errors. */
const USAGE =
  "bun run release OWNER/REPOSITORY [--npm-scope @SCOPE] [--maintainer 'NAME <ADDRESS>']";

/** A name without quotes, and an address (Debian Policy 3.3 and 5.6.2). */
const MAINTAINER = /^[^<>",@\s][^<>",@\n]* <[^<>@\s]+@([a-z0-9-]+(?:\.[a-z0-9-]+)*)>$/i;

/** Domains where no mail arrives, by RFC 2606 and RFC 6761. */
const RESERVED = /(?:^|\.)(?:example(?:\.(?:com|net|org))?|invalid|localhost|test)$/i;

/** The name of the npm package of bourse in a scope. Without a scope, a stranger could take the name. */
export const npmNameOf = (scope: string): string => `${scope}/bourse`;

/**
 * Reads the publisher from the arguments of `bun run release`.
 *
 * @throws Error in sentences if the repository is missing or an argument is not understood
 */
export function readPublisher(argv: readonly string[]): Publisher {
  const { positionals, values } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: { "npm-scope": { type: "string" }, maintainer: { type: "string" } },
  });
  const [repository = "", ...others] = positionals;
  const [, owner] = /^([A-Za-z0-9][A-Za-z0-9-]*)\/[A-Za-z0-9._-]+$/.exec(repository) ?? [];
  if (owner === undefined || others.length > 0)
    throw new Error(`A release names its repository on GitHub once: ${USAGE}`);
  const { "npm-scope": npmScope = null, maintainer = null } = values;
  if (npmScope !== null && !/^@[a-z0-9][a-z0-9._-]*$/.test(npmScope))
    throw new Error(
      `--npm-scope is ${npmScope}. A scope of npm is @ and a name in small letters, such as @alice.`,
    );
  const [, domain = "localhost"] = MAINTAINER.exec(maintainer ?? "") ?? [];
  if (maintainer !== null && RESERVED.test(domain))
    throw new Error(
      `--maintainer is ${maintainer}. Debian demands a name and an address that works: 'NAME <ADDRESS>'.`,
    );
  return { repository, owner, npmScope, maintainer };
}
