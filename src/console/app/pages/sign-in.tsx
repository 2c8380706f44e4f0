import { t } from "#console/app/words.ts";
import { useEffect } from "preact/hooks";
import { useAction } from "#console/app/parts/action.ts";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Failure } from "#console/app/parts/panel.tsx";
import { place } from "#console/app/router.ts";
import {
  commandLine,
  goToProvider,
  invitation,
  rememberPage,
  resumeSession,
  service,
  signIn,
  signInError,
} from "#console/app/session.ts";

/** Shown instead of a page that needs a session. */
export default function SignInPage() {
  const { signInRefused: refused = null, proxyUser = null, provider = null } = service.value ?? {};
  const isInvited = invitation.value !== null && proxyUser === null;
  const isConnecting = place.value.path === "/console/connect";
  useEffect(() => {
    rememberPage();
    const resume = () => void resumeSession();
    window.addEventListener("focus", resume);
    return () => window.removeEventListener("focus", resume);
  }, [place.value]);
  return (
    <div class="sign-in">
      <PageTitle title={t(isInvited ? "You are invited" : "Sign in")} />
      <p>
        {t(
          "bourse serves market data of the US, Japan and Viet Nam: prices, statements, figures of the economy and a calendar, for people, programs and agents.",
        )}
      </p>
      {signInError.value !== null && refused === null && <Failure message={signInError.value} />}
      {refused !== null ? (
        <Failure message={refused} />
      ) : (
        <>
          {isConnecting && (
            <p>
              {t(
                "A program asks for access to this service. Sign in first; then you decide about it here.",
              )}
            </p>
          )}
          {proxyUser !== null && (
            <p>
              <button type="button" class="primary" onClick={() => void signIn({ proxy: true })}>
                {t("Sign in as {name}", { name: proxyUser })}
              </button>
            </p>
          )}
          {isInvited && <ByInvitation />}
          {!isInvited && provider !== null && proxyUser === null && <ByProvider host={provider} />}
          {!isInvited && proxyUser === null && <ByPassword />}
        </>
      )}
      <p>
        <a href="/docs">{t("The documentation can be read without signing in.")}</a>
      </p>
    </div>
  );
}

/** Makes an invited person a user. */
function ByInvitation() {
  const { isBusy, run } = useAction();
  const submit = (event: FormEvent) => {
    const form = readForm(event);
    const user = readText(form, "user").trim();
    const password = readText(form, "password");
    void run(() => signIn({ invitation: invitation.value ?? "", user, password }));
  };
  const leave = async () => {
    invitation.value = null;
    await resumeSession();
  };
  return (
    <>
      <p>{t("Choose a name and a password of at least 12 characters.")}</p>
      <form onSubmit={submit}>
        <label>
          {t("Name")}
          <input name="user" autocomplete="username" maxLength={64} required />
        </label>
        <label>
          {t("Password")}
          <input name="password" type="password" autocomplete="new-password" required />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          {t("Become a user")}
        </button>
      </form>
      <p>
        <button type="button" class="quiet" onClick={() => void leave()}>
          {t("I am a user already")}
        </button>
      </p>
    </>
  );
}

/** Goes to the provider of the settings. */
function ByProvider({ host }: { readonly host: string }) {
  const { isBusy, error, run } = useAction();
  return (
    <div class="stack">
      {error !== null && <Failure message={error} />}
      <p>
        <button
          type="button"
          class="primary"
          disabled={isBusy}
          onClick={() => void run(goToProvider)}
        >
          {t("Sign in with {name}", { name: host })}
        </button>
      </p>
    </div>
  );
}

function ByPassword() {
  const { isBusy, run } = useAction();
  const submit = (event: FormEvent) => {
    const form = readForm(event);
    const [user, password] = [readText(form, "user"), readText(form, "password")];
    void run(() => signIn({ user, password }));
  };
  return (
    <>
      <form onSubmit={submit}>
        <label>
          {t("User")}
          <input name="user" autocomplete="username" required />
        </label>
        <label>
          {t("Password")}
          <input name="password" type="password" autocomplete="current-password" required />
        </label>
        <button type="submit" class="primary" disabled={isBusy}>
          {t("Sign in")}
        </button>
      </form>
      <WithoutPassword />
    </>
  );
}

function WithoutPassword() {
  return (
    <>
      <h2>{t("Without a password")}</h2>
      <p>
        {t("The administrator of this service prints a link, which works once within 15 minutes:")}{" "}
        <code>{commandLine("console")}</code>
      </p>
      <p class="muted">
        {t("Then set a password on the page Account, or with")}{" "}
        <code>{commandLine("user password USER")}</code>.
      </p>
    </>
  );
}
