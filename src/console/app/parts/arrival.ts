import { type RefObject } from "preact";
import { useEffect, useRef } from "preact/hooks";

/**
 * The reference of what an action has made, such as a secret: it gets the focus when it appears and when `key`
 * changes, after the dialog over it is closed. Give it a `tabIndex` of −1.
 *
 * @param isNew false for what was there before: it gets no focus
 */
export function useArrival<T extends HTMLElement>(
  key?: unknown,
  isNew = true,
): RefObject<T | null> {
  const place = useRef<T>(null);
  useEffect(() => {
    if (!isNew) return;
    const dialog = document.querySelector("dialog[open]");
    const focus = () => place.current?.focus();
    if (!dialog || dialog.contains(place.current)) return focus();
    dialog.addEventListener("close", focus, { once: true });
    return () => dialog.removeEventListener("close", focus);
  }, [key]);
  return place;
}
