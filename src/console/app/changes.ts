import { effect, signal } from "@preact/signals";
import { outage, renewData, request } from "./api.ts";
import { addressDay, withBase } from "./router.ts";
import { loadUserData, me } from "./session.ts";

/** What the stream tells. */
interface ToldChange {
  readonly version: string;
  readonly message?: number;
  /** A text that changes with the user's lists, screens and settings. */
  readonly documents?: string;
}

/** How long a page waits after a stream has ended although the service answers. */
const REOPEN_MS = 5_000;
/** A page that followed no stream for this time may show old figures. */
const OLD_MS = 60_000;

/** When the newest message of the user's alerts was made, and the newest one that this browser showed; UTC milliseconds. */
export const newestMessage = signal(0);
export const seenMessage = signal(Number(localStorage.getItem("bourse.seen")));

/** Notes that this browser has shown the messages up to a time, UTC milliseconds. */
export function seeMessages(at: number): void {
  if (at <= seenMessage.value) return;
  seenMessage.value = at;
  localStorage.setItem("bourse.seen", String(at));
}

/**
 * Follows the version of the market and the user's own data while a signed-in user sees the page: a browser has few connections for
 * all pages of a service. A new version renews the answers. A stream that is lost asks the service at once, so that the
 * banner appears if it does not answer.
 */
export function followChanges(): void {
  let source: EventSource | null = null;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let version: string | null = null;
  let documents: string | null = null;
  let followedAt = performance.now();

  const close = () => {
    clearTimeout(timer);
    if (source) followedAt = performance.now();
    source?.close();
    source = null;
  };
  const open = () => {
    close();
    if (document.hidden || me.value === null || outage.value !== null) return;
    const isOld = performance.now() - followedAt > OLD_MS;
    source = new EventSource(withBase("/console/api/changes"));
    source.onmessage = ({ data }: MessageEvent<string>) => {
      const { version: next, message = 0, documents: own = "" } = JSON.parse(data) as ToldChange;
      newestMessage.value = message;
      const isOwnNew = documents !== null && own !== documents;
      documents = own;
      if (isOwnNew) void loadUserData().catch(() => {});
      const isNew = version !== null && (next !== version || (isOld && source !== null));
      version = next;
      // The market of a past day stays as it is.
      if (isOwnNew || (isNew && addressDay === null)) renewData();
    };
    source.onerror = () => {
      close();
      // Without an answer, the banner asks again, and the end of the outage opens the stream.
      timer = setTimeout(open, REOPEN_MS);
      if (!document.hidden) void request("GET me").catch(() => {});
    };
  };
  document.addEventListener("visibilitychange", open);
  // The browser ends the stream of a page that it leaves; that is no loss.
  window.addEventListener("pagehide", close);
  window.addEventListener("pageshow", ({ persisted }) => persisted && open());
  effect(() => {
    // Both decide whether there is a stream.
    void [me.value, outage.value];
    open();
  });
}
