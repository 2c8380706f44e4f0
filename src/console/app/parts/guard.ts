import { useEffect, useState } from "preact/hooks";

/** Longer than a double click. */
const GUARD_MS = 1_000;

/**
 * False for a second after the page appears or its window gets the focus.
 *
 * Another site can put a window over this page and close it at the first click of a double click, so that
 * the second click meets a button here that the user has never seen.
 */
export function useClickGuard(): boolean {
  const [isReady, setReady] = useState(false);
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const start = () => {
      clearTimeout(timer);
      setReady(false);
      timer = setTimeout(() => setReady(true), GUARD_MS);
    };
    start();
    window.addEventListener("focus", start);
    return () => {
      window.removeEventListener("focus", start);
      clearTimeout(timer);
    };
  }, []);
  return isReady;
}
