import { effect } from "@preact/signals";
import { options } from "preact";
import { pageDay } from "./clock.ts";
import { addressDay, inPlace, place, withBase } from "./router.ts";
import { showsMarket } from "./routes.ts";

/** True for a date that exists: `2024-02-29`. */
const isDate = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) &&
  !Number.isNaN(Date.parse(text)) &&
  new Date(text).toISOString().startsWith(text);

/** The past day of this document; null for the present, or if the address names no date. */
export const pastDay = addressDay !== null && isDate(addressDay) ? addressDay : null;

/**
 * Keeps the page's day equal to the address. Pages without figures of the market show the present. All links to pages
 * of the console have the day, and all links of the service its path.
 */
export function followDay(): void {
  effect(() => {
    pageDay.value = showsMarket(place.value.path) ? pastDay : null;
  });
  const before = options.vnode?.bind(options);
  options.vnode = (node) => {
    const { href, target } = node.props as { href?: unknown; target?: unknown };
    if (node.type === "a" && typeof href === "string")
      Object.assign(node.props, { href: target === undefined ? inPlace(href) : withBase(href) });
    before?.(node);
  };
}
