import { t } from "#console/app/words.ts";
import { useEffect, useState } from "preact/hooks";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Failure } from "#console/app/parts/panel.tsx";
import { place } from "#console/app/router.ts";
import { rememberPage, resumeSession, service, signIn, signInError } from "#console/app/session.ts";

/** Shown instead of a page that needs a session. */
export function SignInPage() {
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
      <PageTitle title="Sign in" />
      {signInError.value !== null && <Failure message={signInError.value} />}
      {refused !== null ? (
        <Failure message={refused} />
      ) : (
        <>
          {isConnecting && (
            <p>
              A program asks for access to this service. Sign in first; then you decide about it
              here.
            </p>
          )}
          <p>
            Run <code>bourse console</code> on the machine of the service and open the link that it
            prints. A link works once, for 15 minutes. In the repository, write{" "}
            <code>npx -y bun@1.4.4 src/main.ts</code> instead of <code>bourse</code>.
          </p>
          <form onSubmit={submit}>
            <h2>With a password</h2>
            <label>
              User
              <input name="user" autocomplete="username" required />
            </label>
            <label>
              Password
              <input name="password" type="password" autocomplete="current-password" required />
            </label>
            <button type="submit" class="primary" disabled={isBusy}>
              {t("Sign in")}
            </button>
          </form>
          <p class="muted">
            Set a password on the page Account, or with <code>bourse user password USER</code>.
          </p>
        </>
      )}
      <p>
        <a href="/console/api-reference">The API reference</a> can be read without signing in.
      </p>
    </div>
  );
}
