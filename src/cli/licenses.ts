import type { Command } from "./command.ts";

/** The licences of the bundled packages, which `deploy/build.ts` writes into an executable. */
declare const THIRD_PARTY: string | undefined;

/** The command that prints the licences of the packages in the executable. */
export const licenses: Command = {
  name: "licenses",
  summary: "Print the licences of the packages that are part of the executable",
  examples: [""],
  settings: [],
  report() {
    const text =
      typeof THIRD_PARTY === "undefined"
        ? "This is the source. Its packages, with their licences, are in node_modules.\n"
        : THIRD_PARTY;
    return { json: { text }, text };
  },
};
