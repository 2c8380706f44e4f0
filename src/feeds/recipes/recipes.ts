import readme from "./README.md" with { type: "text" };

/** A text to copy, such as a formula, a setting or a program. */
interface RecipeText {
  /** Where it belongs; null if the recipe's sentences say it. */
  readonly label: string | null;
  /** `<URL>` stands for the address of the service, `<LINK>` for a feed link, `<TOKEN>` for a token of the API: see `fillRecipe`. */
  readonly text: string;
}

/** How a program reads the service. */
export interface Recipe {
  readonly program: string;
  /** `Spreadsheets` */
  readonly group: string;
  /** Sentences for the reader. */
  readonly how: string;
  readonly texts: readonly RecipeText[];
  /** True if servers elsewhere read the address, so that it must be public. */
  readonly isReadByServers: boolean;
  /** What was run, in sentences; null if nothing of it could be run. */
  readonly proof: string | null;
}

/** A recipe for each program, in the order of the README: that file declares them. */
export function listRecipes(): Recipe[] {
  return readme
    .split(/^## /m)
    .slice(1)
    .flatMap((section) => {
      const [group = "", ...programs] = section.split(/^### /m);
      return programs.map((text) => parseRecipe(group.trim(), text));
    });
}

function parseRecipe(group: string, written: string): Recipe {
  const paragraphs = written.trim().split("\n\n");
  const [program = "", how = ""] = paragraphs;
  const proof = paragraphs.at(-1) ?? "";
  const texts = written.matchAll(/\n\n(?:([^\n]+):\n\n)?```text\n(.*?)\n```/gs);
  return {
    program,
    group,
    how,
    texts: [...texts].map(([, label = null, text = ""]) => ({ label, text: withMarks(text) })),
    isReadByServers: / servers\b/.test(how),
    proof: proof.startsWith("**Not run") ? null : proof.replace(/ _.*_$/, ""),
  };
}

/** The text with marks in place of the README's examples. */
function withMarks(text: string): string {
  return text.replaceAll("http://127.0.0.1:8787", "<URL>").replaceAll(/\b(LINK|TOKEN)\b/g, "<$1>");
}
