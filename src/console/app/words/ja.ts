// A macro: the bundle has its result, so that a browser loads one language of the table.
import { wordsIn } from "./table.ts" with { type: "macro" };

/** The words of the console in Japanese. */
export default wordsIn("ja");
