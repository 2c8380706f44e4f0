import { t } from "#console/app/words.ts";
import { useEffect, useState } from "preact/hooks";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Failure } from "#console/app/parts/panel.tsx";
import { place } from "#console/app/router.ts";
import {
  commandLine,
  rememberPage,
  resumeSession,
  service,
  signIn,
  signInError,
} from "#console/app/session.ts";

/** Shown instead of a page that needs a session. */
export default function SignInPage() {
  const [isBusy, setBusy] = useState(false);
  const refused = service.value?.signInRefused ?? null;
  const isConnecting = place.value.path === "/console/connect";
  useEffect(() => {
    rememberPage();
    const resume = () => void resumeSession();
    window.addEventListener("focus", resume);
    return () => window.removeEventListener("focus", resume);
  }, [place.value]);
  const submit = async (event: FormEvent) => {
    const form = readForm(event);
    setBusy(true);
    await signIn({ user: readText(form, "user"), password: readText(form, "password") });
    setBusy(false);
  };
  return (
    <div class="sign-in">
      <PageTitle title={t("Sign in")} />
      <p>
        {t(
          "bourse serves market data of the US, Japan and Viet Nam: prices, statements, figures of the economy and a calendar, for people, programs and agents.",
        )}
      </p>
      {signInError.value !== null && <Failure message={signInError.value} />}
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
      )}
      <p>
        <a href="/docs">{t("The documentation can be read without signing in.")}</a>
      </p>
    </div>
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
