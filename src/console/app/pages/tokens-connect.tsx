import { useEffect } from "preact/hooks";
import { clientLines, mcpAddress } from "#console/client-lines.ts";
import { API, type Resource } from "#console/app/api.ts";
import { CodeBlock } from "#console/app/parts/code-block.tsx";
import { Panel } from "#console/app/parts/panel.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { service } from "#console/app/session.ts";
import type { AnswerTo } from "#http/console-api.ts";

/** A token that was made since the page was opened. */
export interface ShownToken extends AnswerTo<"POST tokens"> {
  readonly kind: AnswerTo<"GET tokens">[number]["kind"];
  readonly label: string;
}

/** What is written where a token belongs, until one is made. */
const PLACEHOLDER = "YOUR_TOKEN";
const INDENT = 2;

const AGENTS = ["Claude Code", "Cursor", "VS Code", "claude.ai", "ChatGPT"];
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
      {line ? (
        <>
          <p>{line.how}</p>
          <CodeBlock text={line.text} />
          {token === PLACEHOLDER && (
            <p class="muted">
              Make a token, and it appears here in place of <code>{PLACEHOLDER}</code>.
            </p>
          )}
        </>
      ) : (
        <WebClient client={client} address={mcpAddress(base)} />
      )}
      {AGENTS.includes(client) && (
        <>
          <p>Then ask, for example:</p>
          <CodeBlock text={QUESTION} />
        </>
      )}
      {shown && <FirstCall id={shown.id} tokens={tokens} />}
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
function FirstCall(props: {
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
        <>
          <span class="gain">✓</span> The first call with this token has arrived. It works.
        </>
      ) : (
        <>
          <span class="waiting" aria-hidden="true" /> Waiting for the first call with this token.
          Listing the tools does not count as a call.
        </>
      )}
    </p>
  );
}

/** How a client on the web connects: by OAuth, without a token that is copied. */
function WebClient({ client, address }: { readonly client: string; readonly address: string }) {
  if (!service.value?.oauth) {
    return (
      <>
        <p>
          {client} calls the service from its own servers and signs in by OAuth. So the service
          needs a public address with https, and now it has none.
        </p>
        <ol class="steps">
          <li>
            Put a proxy with a certificate in front of the service, such as Caddy or nginx, under a
            name that the internet knows.
          </li>
          <li>
            Set <code>BOURSE_PUBLIC_URL=https://bourse.example.com</code> to that name, and{" "}
            <code>BOURSE_TRUSTED_PROXIES</code> to the proxy&apos;s address.
          </li>
          <li>Start the service again. This page then shows the address to enter.</li>
        </ol>
      </>
    );
  }
  return (
    <>
      <ol class="steps">
        {client === "ChatGPT" ? (
          <>
            <li>In ChatGPT, open Settings, Apps &amp; Connectors, Advanced settings.</li>
            <li>Switch developer mode on, go back and choose Create.</li>
          </>
        ) : (
          <li>In claude.ai, open Settings, Connectors, and choose Add custom connector.</li>
        )}
        <li>Enter the name bourse and this address:</li>
      </ol>
      <CodeBlock text={address} />
      <ol class="steps" start={client === "ChatGPT" ? 4 : 3}>
        <li>
          {client === "ChatGPT"
            ? "Choose OAuth as authentication and create the connector."
            : "Leave the client ID empty and choose Add, then Connect."}
        </li>
        <li>
          This console opens and asks for your consent. {client} then gets its own token, which
          appears below.
        </li>
      </ol>
      <p class="muted">The names of menus differ a little between plans.</p>
    </>
  );
}
