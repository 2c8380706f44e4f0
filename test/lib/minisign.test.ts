import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { parsePublicKey, parseSecretKey, signBytes, verifySignature } from "#lib/minisign.ts";
import { endChildren, outputOf, resultOf, spawnChild } from "../support/child-process.ts";
import { temporaryFolder } from "../support/service.ts";
import { createSecretKeyFile } from "../support/signing-key.ts";

const { folder, remove } = temporaryFolder();
afterAll(async () => {
  await endChildren();
  remove();
});
const bytesOf = (text: string) => new TextEncoder().encode(text);

// The example of rust-minisign-verify, test verify_prehashed: the file has the bytes `test`.
const KEY = "RWQf6LRCGA9i53mlYecO4IzT51TGPpvWucNSCh1CBM0QTaLn73Y7GFO3";
const SIGNATURE = `untrusted comment: signature from minisign secret key
RUQf6LRCGA9i559r3g7V1qNyJDApGip8MfqcadIgT9CuhV3EMhHoN1mGTkUidF/z7SrlQgXdy8ofjb7bNJJylDOocrCo8KLzZwo=
trusted comment: timestamp:1556193335\tfile:test
y/rUw2y8/hOUYjZU71eHp/Wo1KZ40fGy2VJEDl34XMJM+TX48Ss/17u3IvIfbVR1FkZZSNCisQbuQY+bHwhEBg==
`;

describe("a published signature", () => {
  test("is right for its file and key, and its comment is returned", () => {
    const comment = "timestamp:1556193335\tfile:test";
    expect(verifySignature(KEY, bytesOf("test"), SIGNATURE)).toBe(comment);
    // The file of a key, and line ends of Windows.
    const file = `untrusted comment: minisign public key\r\n${KEY}\r\n`;
    const signature = SIGNATURE.replaceAll("\n", "\r\n");
    expect(verifySignature(file, bytesOf("test"), signature)).toBe(comment);
  });

  const lines = SIGNATURE.split("\n");
  const withLine = (i: number, line: string) => lines.with(i, line).join("\n");
  const edited = (i: number, at: number, by: string) => {
    const line = lines[i] ?? "";
    return withLine(i, line.slice(0, at) + by + line.slice(at + 1));
  };
  test.each([
    ["another file", "tesT", SIGNATURE, "The signed file was changed"],
    ["a changed signature", "test", edited(1, 40, "A"), "The signed file was changed"],
    ["another comment", "test", edited(2, 30, "4"), "The trusted comment was changed"],
    ["another signature of the comment", "test", edited(3, 0, "z"), "The trusted comment was"],
    ["another key's name", "test", edited(1, 6, "M"), "another key"],
    // "Ed" instead of "ED" is the form of before minisign 0.6.
    ["the legacy form", "test", edited(1, 1, "W"), "legacy form"],
    ["a signature cut off", "test", SIGNATURE.slice(0, 200), "not a signature of minisign"],
    ["an empty file", "test", "", "not a signature of minisign"],
    ["a page of HTML", "test", "<!doctype html>\n<p>404</p>\n", "not a signature of minisign"],
  ])("is refused for %s", (_, content, signature, reason) => {
    expect(() => verifySignature(KEY, bytesOf(content), signature)).toThrow(reason);
  });

  test.each([[""], ["RWQ"], [KEY.slice(0, -1)], [`${KEY}A`], [KEY.replace("RWQ", "RUQ")]])(
    "is refused for the key %j",
    (key) => {
      expect(() => parsePublicKey(key)).toThrow("not a public key of minisign");
    },
  );
});

describe("a secret key", () => {
  test("signs what its public key verifies, with equal bytes for equal files", () => {
    const key = parseSecretKey(createSecretKeyFile());
    const signature = signBytes(key, bytesOf("sums"), "timestamp:1");
    expect(verifySignature(key.publicKey, bytesOf("sums"), signature)).toBe("timestamp:1");
    expect(signBytes(key, bytesOf("sums"), "timestamp:1")).toBe(signature);
    const other = parseSecretKey(createSecretKeyFile());
    expect(() => verifySignature(other.publicKey, bytesOf("sums"), signature)).toThrow("other key");
  });

  test("with a password, damaged or of another program is refused with a reason", () => {
    const file = createSecretKeyFile();
    const edit = (at: number) => {
      const bytes = Buffer.from(file.split("\n")[1] ?? "", "base64");
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      return bytes.toString("base64");
    };
    // Byte 2 names scrypt; byte 70 is of the secret half, byte 100 of the public one.
    expect(() => parseSecretKey(edit(2))).toThrow("`minisign -C -W` removes the password");
    for (const at of [70, 100]) expect(() => parseSecretKey(edit(at))).toThrow("damaged");
    for (const text of ["", "secret", KEY]) expect(() => parseSecretKey(text)).toThrow("It is not");
  });
});

const minisign = Bun.which("minisign");
if (minisign === null) process.stdout.write("SKIPPED: minisign is missing (Debian: minisign)\n");

describe.skipIf(minisign === null)("Debian's minisign", () => {
  test("verifies our signature, and we verify that of its own key", async () => {
    const [key = "", pub = "", file = ""] = ["key", "pub", "SHA256SUMS"].map((name) =>
      join(folder, name),
    );
    await outputOf(["minisign", "-G", "-W", "-p", pub, "-s", key]);
    await Bun.write(file, "0123  bourse.tar.gz\n");
    const bytes = await Bun.file(file).bytes();
    const secret = parseSecretKey(await Bun.file(key).text());
    expect(await Bun.file(pub).text()).toContain(secret.publicKey);

    await outputOf(["minisign", "-S", "-s", key, "-m", file, "-t", "by minisign"]);
    const theirs = await Bun.file(`${file}.minisig`).text();
    expect(verifySignature(secret.publicKey, bytes, theirs)).toBe("by minisign");
    expect(signBytes(secret, bytes, "by minisign").split("\n").slice(1)).toEqual(
      theirs.split("\n").slice(1),
    );

    await Bun.write(`${file}.minisig`, signBytes(secret, bytes, "ours"));
    const verify = ["minisign", "-V", "-H", "-Q", "-P", secret.publicKey, "-m", file];
    expect(await outputOf(verify)).toBe("ours\n");
    await Bun.write(file, "0124  bourse.tar.gz\n");
    const child = spawnChild(verify, { stdout: "pipe", stderr: "pipe" });
    expect(await resultOf(child)).toMatchObject({ code: 1 });
  });
});
