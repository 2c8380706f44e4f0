import type { DeniedCalls } from "#store/usage.ts";

/** Counts refused calls until they are stored in the history. */
export class DeniedCounter {
  /** By hour, then by token. */
  readonly #counts = new Map<number, Map<number, number>>();

  /** Adds refused calls of a token in a UTC hour. */
  add({ tokenId, hour, denied }: DeniedCalls): void {
    const counts = this.#counts.get(hour) ?? new Map<number, number>();
    this.#counts.set(hour, counts.set(tokenId, (counts.get(tokenId) ?? 0) + denied));
  }

  /** The refused calls that are not stored. */
  list(): DeniedCalls[] {
    return [...this.#counts].flatMap(([hour, counts]) =>
      [...counts].map(([tokenId, denied]) => ({ tokenId, hour, denied })),
    );
  }

  /** Forgets all refused calls: they are stored. */
  clear(): void {
    this.#counts.clear();
  }
}
