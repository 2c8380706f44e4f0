import { useEffect, useRef } from "preact/hooks";
import type { Resource } from "#console/app/api.ts";

/** Loads a resource again in that interval while the page is seen, until it is over. */
export function usePoll({ reload }: Resource<unknown>, everyMs: number, isOver = false): void {
  const latest = useRef(reload);
  latest.current = reload;
  useEffect(() => {
    if (isOver) return;
    const timer = setInterval(() => {
      if (document.visibilityState === "visible") latest.current();
    }, everyMs);
    return () => clearInterval(timer);
  }, [everyMs, isOver]);
}
