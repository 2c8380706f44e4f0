import { signal } from "@preact/signals";
import type { AnswerTo, BodyOf } from "#http/console-api.ts";
import { ApiError, forgetAnswers, onSignedOut, request } from "./api.ts";
import { compareClocks } from "./clock.ts";
import { open, place } from "./router.ts";
import { firstPath, settings, showSettings } from "./user-settings.ts";
import { lists, showLists, watched } from "./user-lists.ts";
import { t } from "./words.ts";

/** The signed-in user; null without one. */
export const me = signal<AnswerTo<"GET me"> | null>(null);
/** The service; null until it has answered. */
export const service = signal<AnswerTo<"GET service"> | null>(null);
/** A command of the service's machine: `bourse console`. */
export const commandLine = (words: string): string =>
  `${service.value?.program ?? "bourse"} ${words}`;
/** Why the last sign-in failed; null if it did not. */
export const signInError = signal<string | null>(null);

/** The key of the invitation in the address that led here; null without one. */
export const invitation = signal<string | null>(null);

/** Signs in with the key of a link or a password; the outcome is in `me` and `signInError`. */
export async function signIn(body: BodyOf<"POST session">): Promise<void> {
  try {
    me.value = await request("POST session", { body });
    signInError.value = null;
    invitation.value = null;
    forgetAnswers();
    await loadUserData();
    returnToPage();
    openFirstPage();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    signInError.value = error.message;
  }
}

/** Ends the session here. Then it opens the sign-out page of the proxy or provider, if the settings name one. */
export async function signOut(): Promise<void> {
  await request("DELETE session");
  forgetUser();
  const next = service.value?.signOutUrl;
  if (next) window.location.assign(next);
}

/** Goes to the provider to sign in, or to connect the user with the account there. @throws ApiError */
export async function goToProvider(): Promise<void> {
  const { url } = await request("POST provider");
  rememberPage();
  window.location.assign(url);
}

/** Signs in with the key of a link, if the address has one, or continues the session of the cookie. */
export async function startSession(): Promise<void> {
  onSignedOut(() => {
    if (me.value === null) return;
    forgetUser();
    signInError.value = t("Your session has ended. Sign in again.");
  });
  service.value = await request("GET service");
  compareClocks(service.value.time);
  // A link that is pasted into this tab may change the part after # only, which loads nothing.
  window.addEventListener("hashchange", () => void signInByLink());
  const isFromProvider = place.value.path === PROVIDER_PAGE;
  await (isFromProvider ? returnFromProvider() : signInByLink());
  // An invited person may share the browser with a user who is signed in.
  if (me.value || invitation.value !== null) return;
  me.value = await request("GET me").catch((error) => {
    if (error instanceof ApiError && error.status === 401) return null;
    throw error;
  });
  if (!me.value) {
    if (service.value.proxyUser !== null) await signIn({ proxy: true });
    return;
  }
  // The page Account shows why the account at the provider could not be connected.
  if (!isFromProvider) signInError.value = null;
  await loadUserData();
  if (isFromProvider) returnToPage();
  openFirstPage();
}

/** Loads the settings and the lists of the user. */
export async function loadUserData(): Promise<void> {
  const own = await request("GET user-data");
  await Promise.all([showSettings(own.settings), showLists(own.lists)]);
}

/** Opens the first page of the user at the start. */
function openFirstPage(): void {
  const { path, query } = place.value;
  if (path === "/console" && query.size === 0) open(firstPath(), { replace: true });
}

function forgetUser(): void {
  me.value = null;
  signInError.value = null;
  lists.value = [];
  watched.value = [];
  settings.value = {};
  forgetAnswers();
}

/** The page to which the provider sends the browser back. */
const PROVIDER_PAGE = "/console/provider";

/** Ends a sign-in by the provider. Its code leaves the address and the history first. */
async function returnFromProvider(): Promise<void> {
  const provider = window.location.search.slice(1);
  open("/console", { replace: true });
  await signIn({ provider });
}

/** Signs in with the key in the address, if there is one. */
async function signInByLink(): Promise<void> {
  const invited = takeKey("invite");
  if (invited !== null) {
    me.value = null;
    invitation.value = invited;
  }
  const key = takeKey("key");
  if (key !== null) await signIn({ key });
}

/** Continues the session of the cookie, if there is one now: another tab may have signed in. */
export async function resumeSession(): Promise<void> {
  const found = await request("GET me").catch(() => null);
  if (!found) return;
  me.value = found;
  signInError.value = null;
  await loadUserData();
  takeReturn();
}

/** Where the page is kept that a visitor wanted, in this browser. */
const RETURN = "bourse.return";
/** As long as a sign-in link is valid. */
const RETURN_MS = 15 * 60_000;

/** Keeps the page that needs a sign-in, because a link signs in at another address and often in another tab. */
export function rememberPage(): void {
  const { path } = place.value;
  if (path === "/console") return;
  localStorage.setItem(RETURN, JSON.stringify([Date.now(), path + window.location.search]));
}

/** Opens the page that was kept, if it was kept a short time ago. */
function returnToPage(): void {
  const kept = takeReturn();
  if (kept !== null && place.value.path === "/console") open(kept, { replace: true });
}

function takeReturn(): string | null {
  const text = localStorage.getItem(RETURN);
  localStorage.removeItem(RETURN);
  const kept: unknown = text === null ? null : JSON.parse(text);
  if (!Array.isArray(kept) || typeof kept[0] !== "number" || typeof kept[1] !== "string") {
    return null;
  }
  const isRecent = Date.now() - kept[0] < RETURN_MS;
  return isRecent && kept[1].startsWith("/console/") ? kept[1] : null;
}

/** The value of that name in the address (`#key=…`), which is removed so that it is not in the history. */
function takeKey(name: "key" | "invite"): string | null {
  const key = new URLSearchParams(window.location.hash.slice(1)).get(name);
  if (key !== null) open(window.location.pathname + window.location.search, { replace: true });
  return key;
}
