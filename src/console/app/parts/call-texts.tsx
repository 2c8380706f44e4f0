import { useState } from "preact/hooks";
import { python, typescript } from "#console/client-lines.ts";
import { type Call, queryOf } from "#console/app/api.ts";
import { type ApiDocument, type ApiOperation, useApiDocument } from "#console/app/openapi.ts";
import { service } from "#console/app/session.ts";
import { t } from "#console/app/words.ts";
import { CodeBlock } from "./code-block.tsx";
import { Tabs } from "./tabs.tsx";

const LANGUAGES = ["curl", "Python", "TypeScript", "MCP"] as const;
type Language = (typeof LANGUAGES)[number];

/** Calls in each language, ready to copy. */
export function CallTexts(props: { readonly calls: readonly Call[]; readonly first: Language }) {
  const { calls } = props;
  const [language, setLanguage] = useState(props.first);
  const document = useApiDocument();
  if (!document.value) return <p role="status">{t("Loading")}</p>;
  const routes = routesOf(document.value);
  return (
    <>
      <Tabs label="Language" tabs={LANGUAGES} current={language} onChange={setLanguage} />
      {calls.map((call) => (
        <CodeBlock
          key={call.operation + queryOf(call.args)}
          text={write(language, call, routes.get(call.operation))}
        />
      ))}
      {language !== "MCP" && (
        <p class="muted">
          First run <code>export BOURSE_TOKEN=bourse_…</code> with a token from the page{" "}
          <a href="/console/tokens">Tokens</a>.
        </p>
      )}
    </>
  );
}

interface Route {
  /** `/data/stocks/{symbol}/overview` */
  readonly path: string;
  readonly operation: ApiOperation;
}

/** The REST route of each operation. */
function routesOf({ paths }: ApiDocument): ReadonlyMap<string, Route> {
  return new Map(
    Object.entries(paths).flatMap(([path, { get: operation }]) =>
      operation ? [[operation.operationId, { path, operation }]] : [],
    ),
  );
}

/** The REST URL of a call. */
function urlOf(args: Call["args"], path: string): string {
  const rest = new Map(Object.entries(args));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(rest.get(name) ?? "");
    rest.delete(name);
    return encodeURIComponent(value);
  });
  const query = queryOf(Object.fromEntries(rest));
  const base = service.value?.url ?? window.location.origin;
  return base + filled + (query && `?${query}`);
}

/** The call in a language. */
function write(language: Language, { operation, args, toolArgs }: Call, route?: Route): string {
  const url = urlOf(args, route?.path ?? "");
  const tool = route?.operation["x-mcp-tool"];
  switch (language) {
    case "curl":
      return `curl -H "Authorization: Bearer $BOURSE_TOKEN" \\\n  "${url}"`;
    case "Python":
      return python(url, `"Bearer " + os.environ["BOURSE_TOKEN"]`, `["data"]`, "json, os");
    case "TypeScript":
      return typescript(url, "`Bearer ${process.env.BOURSE_TOKEN}`", ".data");
    case "MCP":
      return JSON.stringify(
        {
          method: "tools/call",
          params: {
            name: tool?.name ?? operation,
            arguments: { ...args, ...toolArgs, ...tool?.arguments },
          },
        },
        null,
        2,
      );
  }
}
