/** How a program or an agent is connected to the service: text that works unchanged. */
export interface ClientLines {
  /** `Claude Code` */
  readonly client: string;
  /** The file that gets the text, in the folder of a project; null for a command or a program. */
  readonly file: string | null;
  /** What to do with the text, as a sentence. */
  readonly how: string;
  readonly text: string;
}

/** A first call. */
const PATH = "/data/stocks/AAPL/overview?country=US";

/**
 * The lines for each client, with the token in them.
 *
 * @param api the address of the API, `http://127.0.0.1:8787/api/v1/svc`
 * @param indent the spaces of a level of JSON
 */
export function clientLines(api: string, token: string, indent: number): readonly ClientLines[] {
  const header = `Authorization: Bearer ${token}`;
  const server = { url: mcpAddress(api), headers: { Authorization: `Bearer ${token}` } };
  const json = (value: unknown) => JSON.stringify(value, null, indent);
  return [
    {
      client: "curl",
      file: null,
      how: "Run this in a terminal.",
      text: `curl -H "${header}" "${api}${PATH}"`,
    },
    {
      client: "Claude Code",
      file: null,
      how: "Run this in a terminal, then start claude.",
      text: `claude mcp add --transport http bourse ${server.url} --header "${header}"`,
    },
    {
      client: "Cursor",
      file: ".cursor/mcp.json",
      how: "Write this to the file .cursor/mcp.json in your project.",
      text: json({ mcpServers: { bourse: server } }),
    },
    {
      client: "VS Code",
      file: ".vscode/mcp.json",
      how: "Write this to the file .vscode/mcp.json in your project, then use agent mode.",
      text: json({ servers: { bourse: { type: "http", ...server } } }),
    },
    {
      client: "Python",
      file: null,
      how: "Run this with Python 3. It needs no package.",
      text: python(api + PATH, `"Bearer ${token}"`, `["data"]["overview"]`),
    },
    {
      client: "TypeScript",
      file: null,
      how: "Save this as first.ts and run bun first.ts, or as first.mjs and run node first.mjs.",
      text: typescript(api + PATH, `"Bearer ${token}"`, ".data.overview"),
    },
  ];
}

/** The address of the MCP endpoint. @param api the address of the API */
export function mcpAddress(api: string): string {
  return `${api}/mcp`;
}

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
