import type { MissingPart } from "#domain/fetch.ts";
import {
  type Source,
  type SourceClient,
  SourceError,
  type SourceRequest,
} from "#sources/source.ts";

/** The answers of several addresses of one source, and the errors of those that failed. */
export interface Several {
  /** The answers as text, by the key of the address. */
  readonly bodies: ReadonlyMap<string, string>;
  /** The errors, by the key of the address. */
  readonly failures: ReadonlyMap<string, SourceError>;
}

/**
 * Requests one address after another. A failed one is left out and does not lose the others. If the source is
 * blocked meanwhile, the rest fails as the address did that blocked it.
 *
 * @throws SourceError the first failure, if more than half fail; as the request does if nothing was called
 */
export async function requestEach(
  client: SourceClient,
  addresses: ReadonlyMap<string, string>,
  request: SourceRequest = {},
): Promise<Several> {
  const bodies = new Map<string, string>();
  const failures = new Map<string, SourceError>();
  for (const [key, address] of addresses) {
    try {
      bodies.set(key, (await client.request(address, request)).text());
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      const [first = error] = failures.values();
      const isCalled = error.fault !== "not_asked";
      if (error.concernsAll || (!isCalled && bodies.size + failures.size === 0)) throw error;
      // Not called because of the last failure, which is the cause.
      const cause = isCalled ? error : [...failures.values()].at(-1);
      failures.set(key, cause ?? error);
      if (failures.size * 2 > addresses.size) throw first;
    }
  }
  return { bodies, failures };
}

/**
 * Reads each answer. An answer in another form is left out and does not lose the others.
 *
 * @throws SourceError if more than half are left out, including those that failed
 */
export function readEach<T>(
  source: Source,
  several: Several,
  read: (body: string, key: string) => T,
): Map<string, T> {
  const requested = several.bodies.size + several.failures.size;
  const { results, invalid } = readAll(several, read);
  if ((requested - results.size) * 2 > requested) {
    const [first] = invalid.values();
    throw first ?? new SourceError(source.name, "invalid_answer", "more than half gave no answer");
  }
  return results;
}

/**
 * The parts that failed or have another form. `namesOf` has what people call the parts of an address, by
 * the key of the address.
 */
export function listMissing(
  several: Several,
  read: (body: string, key: string) => unknown,
  namesOf: (key: string) => readonly string[],
): MissingPart[] {
  const { invalid } = readAll(several, read);
  return [...several.failures, ...invalid].flatMap(([key, { words }]) =>
    namesOf(key).map((what) => ({ what, why: words })),
  );
}

function readAll<T>({ bodies }: Several, read: (body: string, key: string) => T) {
  const results = new Map<string, T>();
  const invalid = new Map<string, SourceError>();
  for (const [key, body] of bodies) {
    try {
      results.set(key, read(body, key));
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      invalid.set(key, error);
    }
  }
  return { results, invalid };
}
