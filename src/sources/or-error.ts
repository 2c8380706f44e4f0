import { SourceError } from "./source.ts";

/**
 * The result of the work, or its error: for a part of an answer that can be stored without it.
 *
 * @throws SourceError if the other parts would fail as well
 */
export async function orError<T>(work: () => Promise<T>): Promise<T | SourceError> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof SourceError && !error.concernsAll) return error;
    throw error;
  }
}
