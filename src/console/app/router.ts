import { signal } from "@preact/signals";

/** The place in the browser's address bar. */
export interface Place {
  /** Without a slash at the end: `/console/screen`. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** The id of the element that the address points to; empty without one. */
  readonly anchor: string;
}

/** Where the browser is now. */
export const place = signal<Place>(readPlace());

function readPlace(): Place {
  const { pathname, search, hash } = window.location;
  return {
    path: pathname.replace(/\/+$/, "") || "/",
    query: new URLSearchParams(search),
    anchor: hash.slice(1),
  };
}

/** Opens a page of the console without loading the document again. */
export function open(url: string, { replace = false } = {}): void {
  if (replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  const before = place.value.path;
  place.value = readPlace();
  if (place.value.path !== before) window.scrollTo(0, 0);
}

/** Changes arguments in the query of this page; null removes one. The history has no new entry. */
export function setQuery(changes: Readonly<Record<string, string | null>>): void {
  const query = new URLSearchParams(place.value.query);
  for (const [name, value] of Object.entries(changes)) {
    if (value === null) query.delete(name);
    else query.set(name, value);
  }
  const text = query.toString();
  open(place.value.path + (text && `?${text}`), { replace: true });
}

/** Opens links to pages of the console, and follows the back and forward buttons. */
export function startRouter(): void {
  window.addEventListener("popstate", () => (place.value = readPlace()));
  document.addEventListener("click", (event) => {
    const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey;
    if (event.defaultPrevented || !isPlain || !(event.target instanceof Element)) return;
    const link = event.target.closest("a");
    if (!link || link.target !== "" || link.hasAttribute("download")) return;
    const { origin, pathname, search } = window.location;
    if (link.origin !== origin || !/^\/console(\/|$)/.test(link.pathname)) return;
    // The browser itself scrolls to a part of the same page, and "popstate" follows.
    if (link.hash !== "" && link.pathname === pathname && link.search === search) return;
    event.preventDefault();
    open(link.pathname + link.search + link.hash);
  });
}
