import { useState } from "preact/hooks";
import { request, useConsole } from "#console/app/api.ts";
import { formatInstant } from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { ConfirmButton } from "#console/app/parts/confirm-button.tsx";
import { type Column, DataTable } from "#console/app/parts/data-table.tsx";
import { Figures } from "#console/app/parts/figures.tsx";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Failure, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { Ago } from "#console/app/parts/time.tsx";
import { goToProvider, me, service, signInError, signOut } from "#console/app/session.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { asIs, t } from "#console/app/words.ts";

type Session = AnswerTo<"GET sessions">[number];

/** Account: the user, the password and the sessions. */
export default function AccountPage() {
  const sessions = useConsole("GET sessions");
  return (
    <>
      <PageTitle title={t("Account")} />
      <div class="columns">
        <UserPanel />
        <PasswordPanel onChanged={sessions.reload} />
        {service.value?.provider && <ProviderPanel host={service.value.provider} />}
      </div>
      <Panel title="Sessions">
        <p class="muted">
          {t(
            "Browsers in which you are signed in. A session ends after 12 hours without use, and after 7 days at the latest.",
          )}
        </p>
        <Loaded of={sessions}>
          {(list) => (
            <DataTable
              label="Your sessions"
              columns={columnsOf(sessions.reload)}
              rows={list}
              keyOf={({ id }) => id}
            />
          )}
        </Loaded>
      </Panel>
    </>
  );
}

function UserPanel() {
  if (!me.value) return null;
  const { user, plan, role } = me.value;
  return (
    <Panel title="You">
      <Figures
        rows={[
          ["User", user],
          ["Plan", plan],
          ["Role", t(role === "admin" ? "admin: everything" : "user: own tokens and own usage")],
        ]}
      />
      <div class="buttons">
        <button type="button" onClick={() => void signOut()}>
          {t("Sign out")}
        </button>
      </div>
    </Panel>
  );
}

/** Connects the user with an account at the OpenID provider, so that it signs in here. */
function ProviderPanel({ host }: { readonly host: string }) {
  const provider = useConsole("GET provider");
  const { isBusy, error, run } = useAction();
  const failure = error ?? signInError.value;
  const disconnect = async () => {
    await request("DELETE provider");
    provider.reload();
  };
  return (
    <Panel title={asIs(t("Sign-in with {name}", { name: host }))}>
      {failure !== null && <Failure message={failure} />}
      <Loaded of={provider} lines={1}>
        {({ isConnected }) =>
          isConnected ? (
            <>
              <p>
                <span class="gain">✓</span>{" "}
                {t("Your account at {name} signs you in here.", { name: host })}
              </p>
              <div>
                <ConfirmButton
                  text={t("Disconnect")}
                  question={t("Disconnect {name}?", { name: host })}
                  action={disconnect}
                >
                  {t("After that, only your password or a link signs you in.")}
                </ConfirmButton>
              </div>
            </>
          ) : (
            <>
              <p class="muted">
                {t("Connect your account at {name}, and it signs you in here.", { name: host })}
              </p>
              <div>
                <button type="button" disabled={isBusy} onClick={() => void run(goToProvider)}>
                  {t("Connect")}
                </button>
              </div>
            </>
          )
        }
      </Loaded>
    </Panel>
  );
}

function PasswordPanel({ onChanged }: { readonly onChanged: () => void }) {
  const hasPassword = me.value?.hasPassword ?? false;
  const { isBusy, error, run } = useAction();
  const [isDone, setDone] = useState(false);
  const submit = async (event: FormEvent) => {
    const element = event.currentTarget;
    const form = readForm(event);
    const body = {
      ...(hasPassword && { current: readText(form, "current") }),
      password: readText(form, "password"),
    };
    setDone(false);
    if (!(await run(() => request("POST password", { body })))) return;
    element.reset();
    setDone(true);
    if (me.value) me.value = { ...me.value, hasPassword: true };
    onChanged();
  };
  return (
    <Panel title={hasPassword ? "Change the password" : "Set a password"}>
      <p class="muted">
        {hasPassword
          ? t("All your other sessions end.")
          : t("With a password you can sign in without a link.")}
      </p>
      <form class="stack" onSubmit={submit}>
        <input type="hidden" name="username" autocomplete="username" value={me.value?.user} />
        {hasPassword && (
          <label>
            {t("Current password")}
            <input name="current" type="password" autocomplete="current-password" required />
          </label>
        )}
        <label>
          {t("New password")}
          <input name="password" type="password" autocomplete="new-password" required />
        </label>
        {error !== null && <Failure message={error} />}
        {isDone && (
          <p role="status">
            <span class="gain">✓</span> {t("The password is set.")}
          </p>
        )}
        <div class="buttons">
          <button type="submit" class="primary" disabled={isBusy}>
            {t(hasPassword ? "Change password" : "Set password")}
          </button>
        </div>
      </form>
    </Panel>
  );
}

function columnsOf(onEnded: () => void): Column<Session>[] {
  return [
    {
      title: "Browser",
      cell: ({ browser, current }) => (
        <>
          <span title={browser}>{nameOf(browser)}</span>
          {current && <span class="muted"> ({t("this one")})</span>}
        </>
      ),
    },
    { title: "Address", cell: ({ address }) => address },
    {
      title: "Last used",
      cell: ({ lastUsedAt }) => <Ago at={lastUsedAt} />,
      sortBy: ({ lastUsedAt }) => lastUsedAt,
    },
    {
      title: "Signed in",
      cell: ({ createdAt }) => formatInstant(createdAt),
      sortBy: ({ createdAt }) => createdAt,
      isExtra: true,
    },
    {
      title: "Action",
      cell: (session) => <EndSession session={session} onEnded={onEnded} />,
      isNumber: true,
    },
  ];
}

function EndSession(props: { readonly session: Session; readonly onEnded: () => void }) {
  const { id, browser, current } = props.session;
  if (current) {
    return (
      <button type="button" class="quiet" onClick={() => void signOut()}>
        {t("Sign out")}
      </button>
    );
  }
  const end = async () => {
    await request("DELETE sessions/:id", { param: id });
    props.onEnded();
  };
  return (
    <ConfirmButton
      text={t("End")}
      question={t("End the session in {browser}?", { browser: nameOf(browser) })}
      action={end}
    >
      {t("This signs that browser out at its next request.")}
    </ConfirmButton>
  );
}

const BROWSERS = ["Firefox", "Edg", "OPR", "Chrome", "Safari"];
const SYSTEMS = ["Windows", "Android", "iPhone", "iPad", "Mac OS X", "Linux"];

/** `Firefox on Linux`, or the header itself if it names no known browser. */
function nameOf(userAgent: string): string {
  const browser = BROWSERS.find((one) => userAgent.includes(`${one}/`));
  const system = SYSTEMS.find((one) => userAgent.includes(one));
  if (!browser) return userAgent || t("unknown browser");
  const name = { Edg: "Edge", OPR: "Opera" }[browser] ?? browser;
  return system ? t("{browser} on {system}", { browser: name, system }) : name;
}
