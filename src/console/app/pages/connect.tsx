import { useState } from "preact/hooks";
import { request, useConsole } from "#console/app/api.ts";
import { formatDate, formatInstant } from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { useClickGuard } from "#console/app/parts/guard.ts";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { place } from "#console/app/router.ts";
import { t } from "#console/app/words.ts";
import type { AnswerTo } from "#http/console-api.ts";

/** What a client may get besides market data. */
type Grant = AnswerTo<"GET oauth/request">["rights"][number];

/** Connect: the user allows or denies that an MCP client gets a token of theirs. */
export default function ConnectPage() {
  const query = place.value.query.toString();
  const asked = useConsole("GET oauth/request", query);
  return (
    <div class="consent">
      <PageTitle title={t("Connect a client")} />
      <Loaded of={asked} lines={6}>
        {(value) => <ConsentPanel asked={value} query={query} />}
      </Loaded>
      {asked.error && (
        <p>
          {t("Programs and agents also connect by a token:")}{" "}
          <a href="/console/programs">{t("Agents and programs")}</a>
        </p>
      )}
    </div>
  );
}

function ConsentPanel(props: {
  readonly asked: AnswerTo<"GET oauth/request">;
  readonly query: string;
}) {
  const { asked, query } = props;
  const { isBusy, error, run } = useAction();
  const isReady = useClickGuard();
  const [isDone, setDone] = useState(false);
  const [rights, setRights] = useState<readonly Grant[]>(asked.rights);
  const decide = (allow: boolean) =>
    run(async () => {
      const { redirect } = await request("POST oauth/consent", {
        body: { query, allow, rights: [...rights] },
      });
      setDone(true);
      window.location.assign(redirect);
    });
  if (isDone) {
    return (
      <Panel title={t("Back to {client}", { client: asked.client })}>
        <p>
          {t("Your answer was sent. If this page stays, go back to {client} yourself.", {
            client: asked.client,
          })}
        </p>
      </Panel>
    );
  }
  return (
    <Panel title={t("Give {client} access?", { client: asked.client })}>
      <Recipient asked={asked} />
      <Terms asked={asked} />
      <Ticks asked={asked} rights={rights} onChange={setRights} />
      {asked.refused !== null && <Failure message={asked.refused} />}
      {error !== null && <Failure message={error} />}
      <div class="choices">
        <button type="button" disabled={isBusy} onClick={() => void decide(false)}>
          {t("Deny")}
        </button>
        <button
          type="button"
          disabled={!isReady || isBusy || asked.refused !== null}
          onClick={() => void decide(true)}
        >
          {t("Allow")}
        </button>
      </div>
      <p class="muted">
        {t("Deny if you did not start this yourself, or if you do not know the receiver.")}
      </p>
    </Panel>
  );
}

/** The rights to change something, with what the user reads beside the tick. */
const WRITING = [
  { right: "lists:write", title: "It may also change and delete your lists" },
  { right: "alerts:write", title: "It may also change and delete your alerts" },
] as const;

/** What the user allows besides market data. */
function Ticks(props: {
  readonly asked: AnswerTo<"GET oauth/request">;
  readonly rights: readonly Grant[];
  readonly onChange: (rights: Grant[]) => void;
}) {
  const { asked, rights, onChange } = props;
  const mayWrite = WRITING.some(({ right }) => rights.includes(right));
  const tick = (grant: Grant) => (event: { readonly currentTarget: HTMLInputElement }) => {
    const others = rights.filter((one) => one !== grant);
    onChange(event.currentTarget.checked ? [...others, grant] : others);
  };
  return (
    <>
      <label class="tick">
        <input
          type="checkbox"
          name="lists:read"
          checked={mayWrite || rights.includes("lists:read")}
          disabled={mayWrite}
          onChange={tick("lists:read")}
        />{" "}
        {t("It may also read your lists, with holdings and notes")}
      </label>
      {WRITING.filter(({ right }) => asked.rights.includes(right)).map(({ right, title }) => (
        <label class="tick" key={right}>
          <input
            type="checkbox"
            name={right}
            checked={rights.includes(right)}
            onChange={tick(right)}
          />{" "}
          {t(title)}
        </label>
      ))}
    </>
  );
}

/** Who asks, and who gets the access. */
function Recipient({ asked }: { readonly asked: AnswerTo<"GET oauth/request"> }) {
  const { client, verifiedHost, redirectHost } = asked;
  return (
    <div class="recipient">
      <p>{t("The access goes to")}</p>
      <p class="recipient-host">{redirectHost ?? t("a program on this computer")}</p>
      <p class="muted">
        {verifiedHost === null
          ? t("It calls itself “{client}”. That name is not verified.", { client })
          : t("{client} is described at {host}, read over https.", { client, host: verifiedHost })}
      </p>
    </div>
  );
}

/** What the client gets, until when, and what it replaces. */
function Terms({ asked }: { readonly asked: AnswerTo<"GET oauth/request"> }) {
  const { user, plan, expiresAt, replaces } = asked;
  return (
    <ul class="steps">
      <li>
        {t(
          "It can read market data as {user}. Its calls count against a token of yours, with the limits of plan {plan}.",
          { user, plan },
        )}
      </li>
      <li>
        {t(
          WRITING.some(({ right }) => asked.rights.includes(right))
            ? "It cannot use this console, make tokens or change anything but what you tick below."
            : "It cannot use this console, make tokens or change anything.",
        )}
      </li>
      <li>
        {t("The access ends on {date}, or when you revoke its token on the page Connect.", {
          date: formatDate(new Date(expiresAt).toISOString()),
        })}
      </li>
      {replaces && (
        <li>
          {t("It replaces the token {label} ({prefix}…, made {time}), which stops working.", {
            label: replaces.label,
            prefix: replaces.prefix,
            time: formatInstant(replaces.createdAt),
          })}
        </li>
      )}
    </ul>
  );
}
