import { useEffect, useState } from "preact/hooks";
import { request, useConsole } from "#console/app/api.ts";
import { useAction } from "#console/app/parts/action.ts";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Failure, Panel } from "#console/app/parts/panel.tsx";
import { t, translate } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { ConnectPanel, hasCalls } from "./tokens-connect.tsx";
import { Secret, type ShownToken } from "./tokens-secret.tsx";
import { TokensPanel } from "./tokens-table.tsx";
import { UsagePanel } from "./tokens-usage.tsx";

type TokenKind = AnswerTo<"GET tokens">[number]["kind"];

/** Tokens: make one, connect a client with it, see its calls, revoke it. */
export default function TokensPage() {
  const tokens = useConsole("GET tokens");
  const usage = useConsole("GET usage", "days=30");
  const [shown, setShown] = useState<ShownToken | null>(null);
  const add = (token: ShownToken) => {
    setShown(token);
    tokens.reload();
  };
  const isUsed = shown !== null && hasCalls(tokens.value, shown.id);
  // The plot shows the first call of the new token at once.
  useEffect(() => {
    if (isUsed) usage.reload();
  }, [isUsed]);
  return (
    <>
      <PageTitle title="Tokens" />
      <div class="columns">
        <NewTokenPanel shown={shown} onCreated={add} />
        <ConnectPanel shown={shown} tokens={tokens} />
      </div>
      <TokensPanel tokens={tokens} usage={usage.value} onCreated={setShown} />
      {/* Below a table of unknown height, so it comes after it. */}
      {tokens.isLoading && tokens.value === null ? null : (
        <UsagePanel usage={usage} tokens={tokens.value ?? []} />
      )}
    </>
  );
}

/** The choices of an expiry, as the server takes them; a date is chosen in its own field. */
const EXPIRIES = [
  ["90d", "in 90 days"],
  ["30d", "in 30 days"],
  ["1y", "in a year"],
  ["", "never"],
  ["date", "on a date"],
] as const;

function NewTokenPanel(props: {
  readonly shown: ShownToken | null;
  readonly onCreated: (token: ShownToken) => void;
}) {
  const { shown, onCreated } = props;
  const { isBusy, error, run } = useAction();
  const [kind, setKind] = useState<TokenKind>("api");
  const [expiry, setExpiry] = useState<string>("90d");
  const submit = async (event: FormEvent) => {
    const form = event.currentTarget;
    const data = readForm(event);
    const label = readText(data, "label").trim();
    const rights = data.has("lists") ? (["lists:write"] as const) : [];
    const expires = (expiry === "date" ? readText(data, "date") : expiry) || null;
    const isCreated = await run(async () => {
      const created = await request("POST tokens", {
        body: { kind, label, expires, rights: [...rights] },
      });
      onCreated({ ...created, kind, label });
    });
    if (isCreated) form.reset();
    if (isCreated) setExpiry("90d");
  };
  return (
    <Panel title="New token">
      <p class="muted">
        {t(
          "A token lets one program or agent call the service as you. Make one for each. A feed link is for programs that can only open a URL, such as spreadsheets: it reads figures, and nothing else.",
        )}
      </p>
      <form class="row-form" onSubmit={submit}>
        <label>
          {t("Label")}
          <input name="label" required maxLength={64} placeholder="Claude Code on my laptop" />
        </label>
        <KindField kind={kind} onChange={setKind} />
        <label>
          {t("Expires")}
          <select
            name="expires"
            value={expiry}
            onChange={(event) => setExpiry(event.currentTarget.value)}
          >
            {EXPIRIES.map(([value, text]) => (
              <option key={value} value={value}>
                {translate(text)}
              </option>
            ))}
          </select>
        </label>
        {expiry === "date" && (
          <label>
            {t("Last day")}
            <input name="date" type="date" required min={new Date().toISOString().slice(0, 10)} />
          </label>
        )}
        {kind === "api" && (
          <label class="tick">
            <input type="checkbox" name="lists" /> {t("May change your lists")}
          </label>
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          {t(kind === "feed" ? "Make a feed link" : "Make a token")}
        </button>
      </form>
      {error !== null && <Failure message={error} />}
      {shown && <Secret shown={shown} />}
    </Panel>
  );
}

function KindField(props: {
  readonly kind: TokenKind;
  readonly onChange: (kind: TokenKind) => void;
}) {
  const { kind, onChange } = props;
  return (
    <label>
      {t("Kind")}
      <select
        name="kind"
        value={kind}
        onChange={(event) => onChange(event.currentTarget.value === "feed" ? "feed" : "api")}
      >
        <option value="api">{t("token for the API and MCP")}</option>
        <option value="feed">{t("feed link")}</option>
      </select>
    </label>
  );
}
