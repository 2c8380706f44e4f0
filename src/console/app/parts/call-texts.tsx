import { useState } from "preact/hooks";
import { python, typescript } from "#console/app/client-lines.ts";
import { type Answer, type Call, datedArgs, queryOf } from "#console/app/api.ts";
import { today } from "#console/app/days.ts";
import { formatDate, formatDuration, formatList } from "#console/app/format.ts";
import { type ApiDocument, type ApiOperation, useApiDocument } from "#console/app/openapi.ts";
import { service } from "#console/app/session.ts";
import { asIs, t } from "#console/app/words.ts";
import { CodeBlock } from "./code-block.tsx";
import { CsvButton, saveFile } from "./csv-button.tsx";
import { Tabs } from "./tabs.tsx";

const LANGUAGES = ["curl", "Python", "TypeScript", "MCP"] as const;
type Language = (typeof LANGUAGES)[number];

/** A picture of a chart. */
export interface Picture {
  /** The file: `AAPL 2026-11-20.png`. */
  readonly name: string;
  readonly take: () => HTMLCanvasElement | undefined;
}

/** The source and the age of what is on screen, its files, and its calls in each language, ready to copy. */
export function CallTexts(props: {
  readonly calls: readonly Call[];
  readonly answer?: Answer<unknown> | null | undefined;
  readonly picture?: Picture | undefined;
  readonly first?: Language;
  /** What to ask an agent about them. */
  readonly question?: string;
}) {
  const { answer, picture, question } = props;
  const calls = props.calls.map((call) => ({ ...call, args: datedArgs(call.args) }));
  const [language, setLanguage] = useState(props.first ?? "curl");
  const document = useApiDocument();
  if (!document.value) return <p role="status">{t("Loading")}</p>;
  const routes = routesOf(document.value);
  return (
    <>
      {answer && <Provenance answer={answer} />}
      {question !== undefined && <Question text={question} />}
      <Files
        calls={calls.filter(({ operation }) => hasCsv(routes.get(operation)))}
        picture={picture}
        source={answer?.source ?? null}
      />
      <Tabs label="Language" tabs={LANGUAGES} current={language} onChange={setLanguage} />
      {calls.map((call) => (
        <CodeBlock
          key={call.operation + queryOf(call.args)}
          text={write(language, call, routes.get(call.operation))}
        />
      ))}
      {language !== "MCP" && (
        <p class="muted">
          {t("Run this first, with a token of the page")}{" "}
          <a href="/console/tokens">{t("Tokens")}</a>: <code>export BOURSE_TOKEN=bourse_…</code>
        </p>
      )}
    </>
  );
}

/** A question to copy. The calls that answer it follow. */
function Question({ text }: { readonly text: string }) {
  return (
    <>
      <p>
        {t("Ask an agent that is connected to this service, for example:")}{" "}
        <a href="/console/programs">{t("Connect an agent")}</a>
      </p>
      <CodeBlock text={text} />
    </>
  );
}

/** The source and the age of an answer. */
function Provenance({ answer: { source, ageSeconds } }: { readonly answer: Answer<unknown> }) {
  if (source === null) return null;
  return (
    <p>
      {formatList([
        t("Source: {source}", { source }),
        ...(ageSeconds === null ? [] : [t("{age} old", { age: formatDuration(ageSeconds) })]),
      ])}
    </p>
  );
}

/** Buttons that save the picture, and the rows of each call as CSV. */
function Files(props: {
  readonly calls: readonly Call[];
  readonly picture: Picture | undefined;
  readonly source: string | null;
}) {
  const { calls, picture, source } = props;
  if (calls.length === 0 && !picture) return null;
  return (
    <div class="panel-actions">
      {picture && (
        <button type="button" onClick={() => savePicture(picture, source)}>
          {t("Picture")}
        </button>
      )}
      {calls.map((call) => {
        const { symbol, country = [], series = [], to = [] } = call.args;
        const name = [call.operation, symbol ?? [country, series, to]].flat(2).join(" ");
        return (
          <CsvButton
            key={call.operation + queryOf(call.args)}
            call={call}
            file={`${name}.csv`}
            text={asIs(calls.length === 1 ? "CSV" : `CSV: ${name}`)}
          />
        );
      })}
    </div>
  );
}

/** The height of a line of text in a picture, in pixels of the screen. */
const LINE_PX = 28;

/** Saves a picture with its name above it, and its source and the day below it. */
function savePicture({ name, take }: Picture, source: string | null): void {
  const drawn = take();
  const canvas = document.createElement("canvas");
  const context = canvas.getContext("2d");
  if (!drawn || !context) return;
  const line = LINE_PX * devicePixelRatio;
  canvas.width = drawn.width;
  canvas.height = drawn.height + 2 * line;
  const colours = getComputedStyle(document.documentElement);
  context.fillStyle = colours.backgroundColor;
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(drawn, 0, line);
  context.fillStyle = colours.color;
  context.textBaseline = "middle";
  const write = (text: string, y: number, size: number) => {
    context.font = `${size * devicePixelRatio}px system-ui, sans-serif`;
    context.fillText(text, line / 3, y, canvas.width - line);
  };
  write(name.replace(/\.png$/, ""), line / 2, 15);
  const texts = [...(source === null ? [] : [t("Source: {source}", { source })]), "bourse"];
  write(formatList([...texts, formatDate(today())]), canvas.height - line / 2, 12);
  canvas.toBlob((blob) => blob && saveFile(blob, name));
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

/** True if the operation answers a table, whose rows the service writes as CSV. */
const hasCsv = (route: Route | undefined) =>
  route?.operation.parameters?.some(({ $ref }) => $ref?.endsWith("/format")) ?? false;

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
