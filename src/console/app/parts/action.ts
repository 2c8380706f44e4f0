import { useState } from "preact/hooks";
import { ApiError } from "#console/app/api.ts";

/** Something that the user starts, such as sending a form. */
export interface Action {
  readonly isBusy: boolean;
  /** The server's sentence about the last attempt; null if it succeeded. */
  readonly error: string | null;
  /** Runs it. True if it succeeded. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>;
}

/** The state of an action of this component. */
export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<string | null>(null);
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    try {
      await work();
      setError(null);
      return true;
    } catch (failure) {
      if (!(failure instanceof ApiError)) throw failure;
      setError(failure.message);
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, run };
}
