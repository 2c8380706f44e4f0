import { signal } from "@preact/signals";

/** The place in the browser's address bar. */
export interface Place {
  /** Without a slash at the end: `/console/screen`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The id of the element that the address points to; empty without one. */
  readonly anchor: string;
}

/** The path below which the service is, such as `/bourse`; empty for the root of its host. The page has it. */
const BASE = document.documentElement.dataset["base"] ?? "";

/** A path of the console or the service, as the rest of the code has it. */
const withoutBase = (url: string): string =>
  BASE !== "" && url.startsWith(BASE) && /^(?:[/?#]|$)/.test(url.slice(BASE.length))
    ? url.slice(BASE.length) || "/"
    : url;

/** A path of the service as the browser has it. Other addresses stay as they are. */
export const withBase = (url: string): string =>
  /^\/(?!\/)/.test(url) ? BASE + withoutBase(url) : url;

/** Where the browser is now. */
export const place = signal<Place>(readPlace());

function readPlace(): Place {
  const { pathname, search, hash } = window.location;
  return {
    path: withoutBase(pathname).replace(/\/+$/, "") || "/",
    query: new URLSearchParams(search),
    anchor: hash.slice(1),
  };
}

/** The name of the past day in an address: `?on=2023-03-31`. */
export const DAY = "on";

/** The past day that this document was loaded for, as the address has it; null for the present. */
export const addressDay = place.value.query.get(DAY);

/** The address of a page of the console as the browser has it, in the day of this document. */
export const inPlace = (url: string): string => withBase(inDay(withoutBase(url)));

/** The address of a page of the console in the day of this document. */
function inDay(url: string): string {
  if (addressDay === null || !/^\/console(?![^/?#])/.test(url)) return url;
  const { pathname, searchParams, hash } = new URL(url, window.location.origin);
  searchParams.set(DAY, addressDay);
  return `${pathname}?${searchParams}${hash}`;
}

/** Loads the page for another day, or for the present. */
export function openDay(day: string | null): void {
  const { path, query, anchor } = place.value;
  const other = new URLSearchParams(query);
  if (day === null) other.delete(DAY);
  else other.set(DAY, day);
  const text = other.toString();
  window.location.assign(withBase(path) + (text && `?${text}`) + (anchor && `#${anchor}`));
}

/** Opens a page of the console, in the day of this document, without loading the document again. */
export function open(to: string, { replace = false } = {}): void {
  const url = inPlace(to);
  if (replace) history.replaceState(history.state, "", url);
  else {
    keepScroll();
    history.pushState({ y: 0 }, "", url);
  }
  const before = place.value.path;
  readAddress();
  if (place.value.path === before) return;
  scrolling?.abort();
  window.scrollTo(0, 0);
}

/** How long a page may take to become as long as it was. */
const RESTORE_MS = 5_000;
/** Ends an earlier restoration of the scroll position. */
let scrolling: AbortController | null = null;

/** Keeps the scroll position with the entry of the history, for the way back. */
function keepScroll(): void {
  // While a position is being restored, the page is too short for it.
  if (scrolling?.signal.aborted !== false) history.replaceState({ y: window.scrollY }, "");
}

/** Scrolls to the position that the entry of the history has, as soon as the page is long enough. */
function restoreScroll(): void {
  scrolling?.abort();
  const y = Number(history.state?.y ?? 0);
  const running = new AbortController();
  scrolling = running;
  const end = performance.now() + RESTORE_MS;
  // A user who scrolls meanwhile decides.
  for (const name of ["wheel", "touchstart", "keydown"]) {
    window.addEventListener(name, () => running.abort(), { once: true, signal: running.signal });
  }
  const step = () => {
    if (running.signal.aborted) return;
    const room = document.documentElement.scrollHeight - window.innerHeight;
    window.scrollTo(0, y);
    if (room >= y || performance.now() > end) running.abort();
    else requestAnimationFrame(step);
  };
  requestAnimationFrame(step);
}

/** The address of another page, with the country of the current address. */
export function withCountry(path: string): string {
  const country = place.value.query.get("country");
  return country === null ? path : `${path}?${new URLSearchParams({ country })}`;
}

/** Changes arguments in the query of this page; null removes one. The history has a new entry only if asked for. */
export function setQuery(
  changes: Readonly<Record<string, string | null>>,
  { replace = true } = {},
): void {
  const query = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  open(place.value.path + (text && `?${text}`), { replace });
}

/** The path that an address means, and its anchor if it has another one: `/console/US/AAPL` for `/console/us/aapl`. */
let canonical = (path: string) => path;

/** Where the address leads, with the path in its usual form also in the address bar. */
function readAddress(): void {
  const { path } = readPlace();
  const { pathname, search, hash } = window.location;
  const [wanted = "", anchor] = canonical(path).split("#");
  if (withBase(wanted) !== pathname) {
    const rest = search + (anchor ? `#${anchor}` : hash);
    history.replaceState(history.state, "", withBase(wanted) + rest);
  }
  const found = readPlace();
  // Everything on the page is of one day.
  if (found.query.get(DAY) !== addressDay) window.location.reload();
  else place.value = found;
}

/**
 * Opens links to pages of the console, and follows the back and forward buttons.
 *
 * @param canonicalPath the usual form of a path
 */
export function startRouter(canonicalPath: (path: string) => string): void {
  canonical = canonicalPath;
  readAddress();
  // The browser scrolls before the page is drawn again, when it is too short.
  history.scrollRestoration = "manual";
  if (history.state !== null) restoreScroll();
  window.addEventListener("popstate", () => {
    readAddress();
    // The browser itself scrolls to a part of the page, whose entry is new and has no state.
    if (history.state !== null) restoreScroll();
  });
  window.addEventListener("scrollend", keepScroll);
  document.addEventListener("click", (event) => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (event.defaultPrevented || !isPlain || !(event.target instanceof Element)) return;
    const link = event.target.closest("a");
    if (!link || link.target !== "" || link.hasAttribute("download")) return;
    const { origin, pathname, search } = window.location;
    if (link.origin !== origin || !/^\/console(\/|$)/.test(withoutBase(link.pathname))) return;
    // The browser itself scrolls to a part of the same page, and "popstate" follows.
    if (link.hash !== "" && link.pathname === pathname && link.search === search) return;
    event.preventDefault();
    open(link.pathname + link.search + link.hash);
  });
}
