import { describe, expect, test } from "bun:test";
import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { createTokenSecret, fingerprintToken } from "#access/token-secret.ts";

const BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const PRINTABLE = Array.from({ length: 95 }, (_, i) => String.fromCharCode(32 + i));

/** The number of a base62 text, most significant character first. */
const numberOf = (text: string): bigint =>
  Array.from(text).reduce((sum, character) => sum * 62n + BigInt(BASE62.indexOf(character)), 0n);

const secretOf = (token: string): string => token.slice("bourse_".length, -6);

/** The texts that are accepted as tokens. */
const accepted = (texts: Iterable<string>): string[] =>
  [...texts].filter((text) => fingerprintToken(text) !== null);

describe("a new token", () => {
  test("is bourse_ and 39 letters and digits", () => {
    expect(createTokenSecret()).toMatch(/^bourse_[0-9A-Za-z]{39}$/);
  });

  test("holds at least 160 random bits, each of them set in about half of the tokens", () => {
    const tokens = Array.from({ length: 2_000 }, createTokenSecret);
    expect(new Set(tokens).size).toBe(2_000);
    const bits = tokens.map((token) => numberOf(secretOf(token)).toString(2).padStart(192, "0"));
    const ones = Array.from(
      { length: 192 },
      (_, i) => bits.filter((text) => text.at(-1 - i) === "1").length,
    );
    // 2,000 throws of a coin: 1,000 heads with a deviation of 22.4; seven of it are 157.
    expect(ones.filter((count) => Math.abs(count - 1_000) > 157)).toEqual([]);
    expect(ones.length).toBeGreaterThanOrEqual(160);
  });

  test("ends in the CRC-32 of all before, in base62", () => {
    const token = createTokenSecret();
    expect(numberOf(token.slice(-6))).toBe(BigInt(crc32(token.slice(0, -6))));
  });
});

describe("a token's fingerprint", () => {
  test("is the SHA-256 of the whole token, and its first 15 characters", () => {
    const token = createTokenSecret();
    expect(fingerprintToken(token)).toEqual({
      kind: "api",
      prefix: token.slice(0, 15),
      hash: createHash("sha256").update(token).digest(),
    });
  });

  test("leaves more than 128 bits unknown beyond the prefix", () => {
    const token = createTokenSecret();
    const hidden = secretOf(token).length - ((fingerprintToken(token)?.prefix.length ?? 0) - 7);
    expect(hidden * Math.log2(62)).toBeGreaterThan(128);
  });
});

describe("a mistyped token is detected without a look-up", () => {
  const token = createTokenSecret();
  const places = Array.from(token, (_, i) => i);

  test("the token itself is accepted", () => {
    expect(accepted([token])).toEqual([token]);
  });

  test("any one character wrong, at any place", () => {
    const typos = places.flatMap((i) =>
      PRINTABLE.filter((character) => character !== token[i]).map(
        (character) => token.slice(0, i) + character + token.slice(i + 1),
      ),
    );
    expect(typos).toHaveLength(46 * 94);
    expect(accepted(typos)).toEqual([]);
  });

  test("any two neighbours swapped", () => {
    const typos = places
      .map((i) => token.slice(0, i) + (token[i + 1] ?? "") + token[i] + token.slice(i + 2))
      .filter((typo) => typo !== token);
    expect(typos.length).toBeGreaterThan(30);
    expect(accepted(typos)).toEqual([]);
  });

  test("one character lost, doubled or added", () => {
    const typos = places.flatMap((i) => [
      token.slice(0, i) + token.slice(i + 1),
      token.slice(0, i) + token[i] + token.slice(i),
    ]);
    expect(accepted([...typos, `${token}0`, ` ${token}`, `${token}\n`, `${token}\0`, ""])).toEqual(
      [],
    );
  });

  test("look-alikes, in either direction", () => {
    const pairs = ["0O", "0o", "Oo", "1l", "1I", "lI", "5S", "2Z", "8B", "aа", "eе"];
    const swaps = pairs.flatMap(([a = "", b = ""]) => [
      token.replaceAll(a, b),
      token.replaceAll(b, a),
    ]);
    expect(accepted(swaps.filter((swap) => swap !== token))).toEqual([]);
  });

  test("another case, another prefix, or none", () => {
    const body = token.slice("bourse_".length);
    const others = ["", "Bourse_", "BOURSE_", "bourse-", "bourse", "ghp_", "bourse__"];
    expect(accepted([...others.map((prefix) => prefix + body), token.toUpperCase()])).toEqual([]);
  });
});
