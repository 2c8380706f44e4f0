import { useEffect } from "preact/hooks";
import { clientLines } from "#console/client-lines.ts";
import { API, type Resource, useConsole } from "#console/app/api.ts";
import { formatNumber } from "#console/app/format.ts";
import { CodeBlock } from "#console/app/parts/code-block.tsx";
import { Panel } from "#console/app/parts/panel.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { service } from "#console/app/session.ts";
import { t, translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import type { ShownToken } from "./tokens-secret.tsx";

/** What is written where a token belongs, until one is made. */
const PLACEHOLDER = "YOUR_TOKEN";
const INDENT = 2;

const AGENTS = ["Claude Code", "Cursor", "VS Code"];
const CLIENTS = [...AGENTS, "curl", "Python", "TypeScript"];
const QUESTION = "Use bourse to compare Apple, Microsoft and Nvidia by valuation.";

/** Lines that connect a client; they contain the token that was just made. */
export function ConnectPanel(props: {
  readonly shown: ShownToken | null;
  readonly tokens: Resource<AnswerTo<"GET tokens">>;
}) {
  const { shown, tokens } = props;
  const chosen = place.value.query.get("client");
  const client = CLIENTS.find((one) => one === chosen) ?? "Claude Code";
  const base = (service.value?.url ?? window.location.origin) + API;
  const token = shown?.kind === "api" ? shown.token : PLACEHOLDER;
  const lines = clientLines(base, token, INDENT);
  const line = lines.find((one) => one.client === client);
  return (
    <Panel title="Connect">
      <Tabs
        label="Client"
        tabs={CLIENTS}
        current={client}
        onChange={(tab) => setQuery({ client: tab })}
      />
      <p>{translate(line?.how ?? "")}</p>
      <CodeBlock text={line?.text ?? ""} />
      {token === PLACEHOLDER && (
        <p class="muted">
          {t("Make a token, and it appears here in place of {text}.", { text: PLACEHOLDER })}
        </p>
      )}
      {AGENTS.includes(client) && (
        <>
          <p>{t("Then ask, for example:")}</p>
          <CodeBlock text={QUESTION} />
        </>
      )}
      {shown && <FirstCall id={shown.id} tokens={tokens} />}
      <p class="muted">
        <a href="/console/programs">{t("claude.ai, ChatGPT and all other programs")}</a>
      </p>
    </Panel>
  );
}

const POLL_MS = 4_000;

/** True if the token with that id is listed and was used in a call. */
export function hasCalls(tokens: AnswerTo<"GET tokens"> | null, id: number): boolean {
  // A new token can have the calls of a revoked one.
  return (tokens?.find((one) => one.id === id)?.lastUsedAt ?? null) !== null;
}

/** Says when the first call with a new token has arrived. */
export function FirstCall(props: {
  readonly id: number;
  readonly tokens: Resource<AnswerTo<"GET tokens">>;
}) {
  const { id, tokens } = props;
  const isUsed = hasCalls(tokens.value, id);
  useEffect(() => {
    if (isUsed) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") tokens.reload();
    }, POLL_MS);
    return () => clearInterval(timer);
  });
  return (
    <p class="first-call" role="status">
      {isUsed ? (
        <ArrivedCall id={id} />
      ) : (
        <>
          <span class="waiting" aria-hidden="true" />{" "}
          {t(
            "Waiting for the first call with this token. Listing the tools does not count as a call.",
          )}
        </>
      )}
    </p>
  );
}

/** The oldest call with the token in the log; without it, because another server has answered it, only that it came. */
function ArrivedCall({ id }: { readonly id: number }) {
  const log = useConsole("GET calls");
  // The page has loaded it before that call.
  useEffect(log.reload, []);
  const first = log.value?.calls.findLast(
    // Not a method of MCP, such as ping or tools/list.
    ({ tokenId, via, operation }) => tokenId === id && (via === "feed" || operation.includes("_")),
  );
  return (
    <>
      <span class="gain">✓</span> {t("The first call with this token has arrived")}
      {first && (
        <>
          : <code>{[first.operation, first.subject].join(" ").trim()}</code>,{" "}
          {formatNumber(first.ms, 1)} ms
        </>
      )}
      . {t("It works.")} <a href={`/console/log?token=${id}`}>{t("All its calls")}</a>
    </>
  );
}
