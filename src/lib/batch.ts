import { nextTurn } from "./next-turn.ts";

interface Waiting<Item, Answer> {
  readonly item: Item;
  readonly resolve: (answer: Answer) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Sends the items of one turn of the event loop together. One batch is under way at a time; items that
 * arrive meanwhile wait for the next one, so batches grow with the load.
 */
export class Batch<Item, Answer> {
  readonly #send: (items: readonly Item[]) => Promise<readonly (Answer | Error)[]>;
  readonly #maxItems: number;
  #waiting: Waiting<Item, Answer>[] = [];
  #isSending = false;

  /**
   * @param send returns an answer for each item, in order; an error there rejects its item only
   * @param maxItems the most items of a batch; the others wait for the next one
   */
  constructor(
    send: (items: readonly Item[]) => Promise<readonly (Answer | Error)[]>,
    maxItems: number,
  ) {
    this.#send = send;
    this.#maxItems = maxItems;
  }

  /** The answer to an item. Rejects with the error of `send`, or with the item's own. */
  add(item: Item): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ item, resolve, reject });
      if (!this.#isSending) void this.#sendAll();
    });
  }

  async #sendAll(): Promise<void> {
    this.#isSending = true;
    while (this.#waiting.length > 0) {
      await nextTurn();
      const batch = this.#waiting.splice(0, this.#maxItems);
      try {
        const answers = await this.#send(batch.map(({ item }) => item));
        for (const [i, { resolve, reject }] of batch.entries()) {
          const answer = answers[i] as Answer | Error;
          if (answer instanceof Error) reject(answer);
          else resolve(answer);
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    this.#isSending = false;
  }
}
