import { useState } from "preact/hooks";
import { isSettled, useConsole } from "#console/app/api.ts";
import { timeNow } from "#console/app/clock.ts";
import { dateOf } from "#console/app/days.ts";
import { useAction } from "#console/app/parts/action.ts";
import { clearField, type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { LabelField } from "#console/app/parts/label-field.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Failure, Panel } from "#console/app/parts/panel.tsx";
import { t } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { ConnectPanel } from "./connect.tsx";
import { ExpiryField, readExpiry } from "./expiry.tsx";
import { ListTicks, readLists } from "./lists.tsx";
import { createToken, Secret, type ShownToken } from "./secret.tsx";
import { TokensPanel } from "./table.tsx";
import { DAYS_BY, UsagePanel } from "./usage.tsx";

type TokenKind = AnswerTo<"GET tokens">[number]["kind"];

/** Tokens: make one, connect a client with it, see its calls, revoke it. */
export default function TokensPage() {
  const tokens = useConsole("GET tokens");
  const usage = {
    day: useConsole("GET usage", `days=${DAYS_BY.day}`),
    hour: useConsole("GET usage", `days=${DAYS_BY.hour}`),
  };
  const log = useConsole("GET calls");
  const [shown, setShown] = useState<ShownToken | null>(null);
  const reloadUsage = () => {
    for (const one of Object.values(usage)) one.reload();
  };
  const add = (token: ShownToken) => {
    setShown(token);
    tokens.reload();
  };
  return (
    <>
      <PageTitle title={t("Tokens")} />
      <div class="columns">
        <NewTokenPanel shown={shown} onCreated={add} />
        <ConnectPanel shown={shown} tokens={tokens} />
      </div>
      <TokensPanel
        tokens={tokens}
        usage={{ ...usage.hour, reload: reloadUsage }}
        log={log}
        onCreated={setShown}
      />
      {/* Below a table of unknown height, so it comes after it. */}
      {[tokens, usage.day, usage.hour, log].every(isSettled) && (
        <UsagePanel usage={usage} tokens={tokens.value ?? []} />
      )}
    </>
  );
}

function NewTokenPanel(props: {
  readonly shown: ShownToken | null;
  readonly onCreated: (token: ShownToken) => void;
}) {
  const { shown, onCreated } = props;
  const { isBusy, error, run } = useAction();
  const [kind, setKind] = useState<TokenKind>("api");
  const submit = async (event: FormEvent) => {
    const form = event.currentTarget;
    const data = readForm(event);
    const label = readText(data, "label").trim();
    const rights = (["lists", "alerts"] as const)
      .filter((name) => data.has(name))
      .map((name) => `${name}:write` as const);
    const expires = readExpiry(data);
    const asOf = readText(data, "asOf") || null;
    const isCreated = await run(async () => {
      const lists = kind === "feed" && { lists: readLists(data) };
      onCreated(await createToken({ kind, label, expires, rights, asOf, ...lists }));
    });
    if (isCreated) clearField(form, "label");
  };
  return (
    <Panel title="New token">
      <p class="muted">
        {t(
          "A token lets one program or agent call the service as you. Create one for each. A feed link is for programs that can only open a URL, such as spreadsheets: it reads figures, and the lists that you tick.",
        )}
      </p>
      <form class="row-form" onSubmit={submit}>
        <LabelField placeholder={t("Claude Code on my laptop")} />
        <KindField kind={kind} onChange={setKind} />
        {/* Each kind begins with its usual expiry. */}
        <ExpiryField key={kind} kind={kind} />
        <label title={t("Calls have only what was known on that day. For back-tests.")}>
          {t("As of (optional)")}
          <input name="asOf" type="date" max={dateOf(timeNow(), true)} />
        </label>
        {kind === "api" ? (
          <>
            <label class="tick">
              <input type="checkbox" name="lists" /> {t("May change your lists")}
            </label>
            <label class="tick">
              <input type="checkbox" name="alerts" /> {t("May change your alerts")}
            </label>
          </>
        ) : (
          <ListTicks />
        )}
        <button type="submit" class="primary" disabled={isBusy}>
          {t(kind === "feed" ? "Create a feed link" : "Create a token")}
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
