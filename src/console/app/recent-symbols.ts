import { me } from "./session.ts";
import type { Subject } from "./parts/subject.ts";

/** An instrument whose page was opened in this browser. */
export type RecentSymbol = Subject & { readonly name: string };

const MOST = 8;
/** Each user of the browser has their own. */
const keyOf = () => `bourse.recent.${me.value?.user}`;

/** The instruments whose pages were opened last, the newest first. */
export function recentSymbols(): readonly RecentSymbol[] {
  const kept: unknown = JSON.parse(localStorage.getItem(keyOf()) ?? "[]");
  return Array.isArray(kept) ? kept : [];
}

/** Puts an instrument in front. */
export function rememberSymbol(opened: RecentSymbol): void {
  const others = recentSymbols().filter(
    ({ country, symbol }) => country !== opened.country || symbol !== opened.symbol,
  );
  localStorage.setItem(keyOf(), JSON.stringify([opened, ...others].slice(0, MOST)));
}
