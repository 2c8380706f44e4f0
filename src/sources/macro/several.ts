import {
  type Source,
  type SourceClient,
  SourceError,
  type SourceRequest,
} from "#sources/source.ts";

/** The answers of several addresses of one source, without those that failed. */
export interface Several {
  /** The number of addresses. */
  readonly requested: number;
  /** The answers as text, by the key of the address. */
  readonly bodies: ReadonlyMap<string, string>;
}

/**
 * Requests one address after another. A failed one is left out and does not lose the others.
 *
 * @throws SourceError the first failure, if more than half fail or the source is not called
 */
export async function requestEach(
  client: SourceClient,
  addresses: ReadonlyMap<string, string>,
  request: SourceRequest = {},
): Promise<Several> {
  const bodies = new Map<string, string>();
  const failures: SourceError[] = [];
  for (const [key, address] of addresses) {
    try {
      bodies.set(key, (await client.request(address, request)).text());
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      // Not called because of the earlier failures, which are the cause.
      if (error.fault === "not_asked") throw failures[0] ?? error;
      failures.push(error);
      if (failures[0] && failures.length * 2 > addresses.size) throw failures[0];
    }
  }
  return { requested: addresses.size, bodies };
}

/**
 * Reads each answer. An answer in another form is left out and does not lose the others.
 *
 * @throws SourceError if more than half are left out, including those that failed
 */
export function readEach<T>(
  source: Source,
  { requested, bodies }: Several,
  read: (body: string, key: string) => T,
): Map<string, T> {
  const results = new Map<string, T>();
  let invalid: SourceError | null = null;
  for (const [key, body] of bodies) {
    try {
      results.set(key, read(body, key));
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      invalid ??= error;
    }
  }
  if ((requested - results.size) * 2 > requested) {
    throw (
      invalid ?? new SourceError(source.name, "invalid_answer", "more than half gave no answer")
    );
  }
  return results;
}
