import { signal } from "@preact/signals";
import type { Me, ServiceInfo, SignIn } from "#domain/console.ts";
import { ApiError, forgetAnswers, request } from "./api.ts";
import { open } from "./router.ts";

/** The signed-in user; null without one. */
export const me = signal<Me | null>(null);
/** The service; null until it has answered. */
export const service = signal<ServiceInfo | null>(null);
/** Why the last sign-in failed; null if it did not. */
export const signInError = signal<string | null>(null);

/** Signs in with the key of a link or a password; the outcome is in `me` and `signInError`. */
export async function signIn(body: SignIn): Promise<void> {
  try {
    me.value = await request<Me>("POST", "session", body);
    signInError.value = null;
    forgetAnswers();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    signInError.value = error.message;
  }
}

/** Ends the session. */
export async function signOut(): Promise<void> {
  await request("DELETE", "session");
  me.value = null;
  forgetAnswers();
}

/** Signs in with the key of a link, if the address has one, or continues the session of the cookie. */
export async function startSession(): Promise<void> {
  const key = takeKey();
  service.value = await request<ServiceInfo>("GET", "service");
  if (key !== null) await signIn({ key });
  if (me.value) return;
  me.value = await request<Me>("GET", "me").catch((error) => {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  });
  if (me.value) signInError.value = null;
}

/** The key in the address (`#key=…`), which is removed so that it is not in the history. */
function takeKey(): string | null {
  const key = new URLSearchParams(window.location.hash.slice(1)).get("key");
  if (key !== null) open(window.location.pathname + window.location.search, { replace: true });
  return key;
}
