/**
 * A program in Python that prints the answer. It needs no package.
 *
 * @param authorization the header as an expression: `"Bearer bourse_…"`
 * @param part the part of the answer that is printed: `["data"]`
 * @param imports what the expression needs from the standard library, and `json`
 */
export function python(url: string, authorization: string, part: string, imports = "json"): string {
  return `import ${imports}, urllib.request

request = urllib.request.Request(
    "${url}",
    headers={"Authorization": ${authorization}},
)
with urllib.request.urlopen(request) as answer:
    print(json.load(answer)${part})`;
}

/**
 * A program in TypeScript, and in JavaScript, that prints the answer.
 *
 * @param authorization the header as an expression: `"Bearer bourse_…"`
 * @param part the part of the answer that is printed: `.data`
 */
export function typescript(url: string, authorization: string, part: string): string {
  return `const answer = await fetch(
  "${url}",
  { headers: { Authorization: ${authorization} } },
);
if (!answer.ok) throw new Error(await answer.text());
console.log((await answer.json())${part});`;
}

/** What the marks in recipes stand for; a mark without a value stays. */
export interface RecipeValues {
  /** The address of the service: `http://127.0.0.1:8787`. */
  readonly URL: string;
  readonly LINK?: string | undefined;
  readonly TOKEN?: string | undefined;
}

/** A text of a recipe with the values in it. */
export function fillRecipe(text: string, values: RecipeValues): string {
  return text.replaceAll(
    /<(URL|LINK|TOKEN)>/g,
    (mark, name: keyof RecipeValues) => values[name] ?? mark,
  );
}
