import { parseArgs } from "node:util";

/** Who publishes a release: what only a publisher can own, so the repository declares none of it. */
export interface Publisher {
  /** The repository on GitHub: `alice/bourse`. */
  readonly repository: string;
  /** Its owner: `alice`. */
  readonly owner: string;
  /** The scope of the npm packages: `@alice`. Null if the release has none. */
  readonly npmScope: string | null;
}

/** The command that makes a release, for errors. */
const USAGE = "bun run release OWNER/REPOSITORY [--npm-scope @SCOPE]";

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
    options: { "npm-scope": { type: "string" } },
  });
  const [repository = "", ...others] = positionals;
  const [, owner] = /^([A-Za-z0-9][A-Za-z0-9-]*)\/[A-Za-z0-9._-]+$/.exec(repository) ?? [];
  if (owner === undefined || others.length > 0)
    throw new Error(`A release names its repository on GitHub once: ${USAGE}`);
  const { "npm-scope": npmScope = null } = values;
  if (npmScope !== null && !/^@[a-z0-9][a-z0-9._-]*$/.test(npmScope))
    throw new Error(
      `--npm-scope is ${npmScope}. A scope of npm is @ and a name in small letters, such as @alice.`,
    );
  return { repository, owner, npmScope };
}
