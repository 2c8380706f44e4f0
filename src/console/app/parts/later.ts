import { useEffect, useState } from "preact/hooks";

/** The value, once it has not changed for that time; `first` until then. */
export function useLater<T>(value: T, ms: number, first = value): T {
  const [later, setLater] = useState(first);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return later;
}
