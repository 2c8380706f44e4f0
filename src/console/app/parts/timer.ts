import { useEffect, useState } from "preact/hooks";
import { timeNow } from "#console/app/clock.ts";

/** The time of the service, for a component that is drawn again so often. */
export function useTime(everyMs: number): number {
  const [now, setNow] = useState(timeNow);
  useEffect(() => {
    const timer = setInterval(() => setNow(timeNow()), everyMs);
    return () => clearInterval(timer);
  }, []);
  return now;
}
