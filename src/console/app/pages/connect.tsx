import { useState } from "preact/hooks";
import { request, useConsole } from "#console/app/api.ts";
import { formatDate, formatInstant } from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { useClickGuard } from "#console/app/parts/guard.ts";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { place } from "#console/app/router.ts";
import type { AnswerTo } from "#http/console-api.ts";

/** Connect: the user allows or denies that an MCP client gets a token of theirs. */
export default function ConnectPage() {
  const query = place.value.query.toString();
  const asked = useConsole("GET oauth/request", query);
  return (
    <div class="consent">
      <PageTitle title="Connect a client" />
      <Loaded of={asked} lines={6}>
        {(value) => <ConsentPanel asked={value} query={query} />}
      </Loaded>
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
  const [rights, setRights] = useState(asked.rights);
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
      <Panel title={`Back to ${asked.client}`}>
        <p>Your answer was sent. If this page stays, go back to {asked.client} yourself.</p>
      </Panel>
    );
  }
  return (
    <Panel title={`Give ${asked.client} access?`}>
      <Recipient asked={asked} />
      <Terms asked={asked} />
      {asked.rights.length > 0 && (
        <label class="tick">
          <input
            type="checkbox"
            checked={rights.length > 0}
            onChange={(event) => setRights(event.currentTarget.checked ? asked.rights : [])}
          />{" "}
          It may also change and delete your lists
        </label>
      )}
      {asked.refused !== null && <Failure message={asked.refused} />}
      {error !== null && <Failure message={error} />}
      <div class="choices">
        <button type="button" disabled={isBusy} onClick={() => void decide(false)}>
          Deny
        </button>
        <button
          type="button"
          disabled={!isReady || isBusy || asked.refused !== null}
          onClick={() => void decide(true)}
        >
          Allow
        </button>
      </div>
      <p class="muted">
        Deny if you did not start this yourself, or if you do not know the receiver.
      </p>
    </Panel>
  );
}

/** Who asks, and who gets the access. */
function Recipient({ asked }: { readonly asked: AnswerTo<"GET oauth/request"> }) {
  const { client, verifiedHost, redirectHost } = asked;
  return (
    <div class="recipient">
      <p>The access goes to</p>
      <p class="recipient-host">{redirectHost ?? "a program on this computer"}</p>
      <p class="muted">
        {verifiedHost === null
          ? `It calls itself “${client}”. That name is not verified.`
          : `${client} is described at ${verifiedHost}, read over https.`}
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
        It can read market data as <b>{user}</b>. Its calls count against a token of yours, with the
        limits of plan {plan}.
      </li>
      <li>
        It cannot use this console, make tokens or change anything
        {asked.rights.length > 0 && " but what you tick below"}.
      </li>
      <li>
        The access ends on {formatDate(new Date(expiresAt).toISOString())}, or when you revoke its
        token on the page Tokens.
      </li>
      {replaces && (
        <li>
          It replaces the token <b>{replaces.label}</b> (<code>{replaces.prefix}…</code>, made{" "}
          {formatInstant(replaces.createdAt)}), which stops working.
        </li>
      )}
    </ul>
  );
}
