import { spyOn } from "bun:test";

/** The cost of a hash in the program, and the lower cost in tests. */
const [REAL, QUICK] = ["m=19456,t=2", "m=8,t=1"];

/**
 * Makes and checks hashes with the least work until the result is disposed of. A hash with the parameters of the
 * program matches no password meanwhile.
 */
export function quickPasswords(): Disposable {
  const hash = Bun.password.hash.bind(Bun.password);
  const verify = Bun.password.verify.bind(Bun.password);
  const spies = [
    spyOn(Bun.password, "hash").mockImplementation((password) =>
      hash(password, { algorithm: "argon2id", memoryCost: 8, timeCost: 1 }),
    ),
    spyOn(Bun.password, "verify").mockImplementation((password, of) =>
      verify(password, typeof of === "string" ? of.replace(REAL, QUICK) : of),
    ),
  ];
  return {
    [Symbol.dispose]() {
      for (const spy of spies) spy.mockRestore();
    },
  };
}
