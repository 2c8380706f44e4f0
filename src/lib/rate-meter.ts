/** The seconds over which the rate is averaged. */
const WINDOW = 60;
/** The running second is counted, but not part of the window. */
const SLOTS = WINDOW + 1;

/** Counts events and gives their rate in the last minute. */
export class RateMeter {
  readonly #clock: () => number;
  /** Events by second, modulo the number of slots. */
  readonly #counts = new Uint32Array(SLOTS);
  #first: number;
  #second: number;

  /** @param clock UTC milliseconds */
  constructor(clock: () => number) {
    this.#clock = clock;
    this.#first = this.#second = Math.floor(clock() / 1_000);
  }

  /** Counts one event. */
  count(): void {
    const second = Math.floor(this.#clock() / 1_000);
    if (second !== this.#second) this.#moveTo(second);
    const slot = second % SLOTS;
    this.#counts[slot] = (this.#counts[slot] ?? 0) + 1;
  }

  /** Events a second in the last 60 whole seconds, or since the start if that was later; 0 in the first second. */
  perSecond(): number {
    this.#moveTo(Math.floor(this.#clock() / 1_000));
    const seconds = Math.min(WINDOW, this.#second - this.#first);
    if (seconds === 0) return 0;
    const running = this.#counts[this.#second % SLOTS] ?? 0;
    return (this.#counts.reduce((sum, count) => sum + count, 0) - running) / seconds;
  }

  /** Empties the slots of the seconds up to this one. A clock that stepped back begins again. */
  #moveTo(second: number): void {
    if (second < this.#second) {
      this.#counts.fill(0);
      this.#first = second;
    }
    const from = Math.max(this.#second + 1, second - WINDOW);
    for (let one = from; one <= second; one++) this.#counts[one % SLOTS] = 0;
    this.#second = second;
  }
}
