import { expect, test } from "bun:test";
import { readSigningKey, SIGNING_KEY } from "#deploy/signing-key.ts";
import { parseSecretKey } from "#lib/minisign.ts";
import { RELEASES } from "#domain/program.ts";
import { createSecretKeyFile } from "../support/signing-key.ts";

const file = createSecretKeyFile();
const { publicKey } = parseSecretKey(file);

test("a release without a key is not signed", () => {
  for (const env of [{}, { [SIGNING_KEY]: "" }, { [SIGNING_KEY]: " \n" }])
    expect(readSigningKey(env, publicKey)).toBeNull();
});

test("the key is a file of minisign or its second line, and that of the declared public key", () => {
  for (const text of [file, file.split("\n")[1] ?? ""])
    for (const declared of [publicKey, ""])
      expect(readSigningKey({ [SIGNING_KEY]: text }, declared)?.publicKey).toBe(publicKey);
});

test("a wrong key ends the release with the reason, and no error repeats the key", () => {
  const other = createSecretKeyFile();
  const refusal = (text: string, declared: string) => {
    try {
      readSigningKey({ [SIGNING_KEY]: text }, declared);
    } catch (error) {
      return String(error);
    }
    return "accepted";
  };
  expect(refusal(other, publicKey)).toContain("no installed bourse would accept this release");
  expect(refusal("RWabc", publicKey)).toBe(
    "Error: MINISIGN_SECRET_KEY: It is not a secret key of minisign.",
  );
  expect(refusal(file, "RWabc")).toContain(
    "releases.publicKey in package.json: It is not a public",
  );
  for (const text of [other, other.slice(0, -9)])
    expect(refusal(text, publicKey)).not.toContain(other.split("\n")[1]?.slice(90, 120) ?? "");
});

test("package.json declares an address and a key together, or neither", () => {
  expect(RELEASES.url === "").toBe(RELEASES.publicKey === "");
});
