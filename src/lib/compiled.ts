/** True if this program is the compiled executable, not source that Bun runs. */
export const IS_COMPILED = Bun.main.includes("$bunfs") || Bun.main.includes("~BUN");

/** The command that starts the source in its repository. */
export const SOURCE_COMMAND = "npx -y bun@1.4.4 src/main.ts";

/** The command that starts this program in a shell. */
export const PROGRAM = IS_COMPILED ? "bourse" : SOURCE_COMMAND;
