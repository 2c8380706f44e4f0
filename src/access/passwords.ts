import { type BourseError, invalidArgument, unavailable } from "#domain/errors.ts";

/** The fewest and the most characters of a password. */
export const PASSWORD_LENGTHS = { least: 12, most: 256 } as const;

/** As OWASP's Password Storage Cheat Sheet recommends: 19 MiB, two passes. */
const ARGON2ID = { algorithm: "argon2id", memoryCost: 19_456, timeCost: 2 } as const;
/** The hash of a random password, with the parameters of `ARGON2ID`. */
const NO_PASSWORD =
  "$argon2id$v=19$m=19456,t=2,p=1$M5CWBHihfew68hxqxJx5QL6bBElHhDN4DrrFtuNoGbs$E1CS55kn93oF89mqEgp8WwTx5gXHAMorT6cpAZQFn3A";

/** Each hash takes 19 MiB and some hundredths of a second of one core. */
const MAX_AT_ONCE = 2;
const MAX_WAITING = 20;

/** Hashes and checks passwords, at most two at a time. */
export class Passwords {
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  /**
   * True if the password has that hash. Without a hash (null) it is false after the same time.
   *
   * @throws BourseError `unavailable` if too many checks wait
   */
  async isCorrect(hash: string | null, password: string): Promise<boolean> {
    const isMatch = await this.#run(() =>
      // Bun refuses an empty password, which would take no time.
      Bun.password.verify(password.normalize() || " ", hash ?? NO_PASSWORD),
    );
    return isMatch && hash !== null;
  }

  /**
   * The hash of a new password (argon2id).
   *
   * @throws BourseError `invalid_argument` if it is too short or too long; `unavailable` as `isCorrect`
   */
  async hash(password: string): Promise<string> {
    const { least, most } = PASSWORD_LENGTHS;
    const normal = password.normalize();
    if (normal.length < least || normal.length > most) {
      throw invalidArgument(
        `A password has ${least} to ${most} characters; four random words are easy to remember.`,
        { param: "password" },
      );
    }
    return this.#run(() => Bun.password.hash(normal, ARGON2ID));
  }

  async #run<T>(work: () => Promise<T>): Promise<T> {
    if (this.#running < MAX_AT_ONCE) this.#running++;
    else {
      if (this.#waiting.length >= MAX_WAITING) throw tooBusy();
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    try {
      return await work();
    } finally {
      // The next waiting check takes this place, or it becomes free.
      const next = this.#waiting.shift();
      if (next) next();
      else this.#running--;
    }
  }
}

function tooBusy(): BourseError {
  const text = "Too many passwords are being checked right now. Retry shortly.";
  return unavailable(text, { retryAfterSeconds: 5 });
}
