import { expect, test } from "bun:test";
import { DataAnswers } from "#http/answers.ts";

const answers = new DataAnswers("text/plain", {});

function answer(body: string, encoding: string) {
  const cached = { body, etag: '"1"', source: null, madeAt: 0, storedAt: 0, changedAt: 0 };
  const headers = { "accept-encoding": encoding };
  const request = new Request("http://localhost/", { headers });
  return [answers.answer(request, cached, null, 0), answers.answer(request, cached, null, 1000)];
}

test.each([
  ["gzip", (bytes: Uint8Array<ArrayBuffer>) => Bun.gunzipSync(bytes)],
  ["zstd", (bytes: Uint8Array<ArrayBuffer>) => Bun.zstdDecompressSync(bytes)],
] as const)("a large body is compressed by %s beside the event loop", async (encoding, unpack) => {
  const large = "P 2026-11-18 AAPL 341.93 USD\n".repeat(30_000);
  const made = answer(large, encoding);
  expect(made.map((one) => one instanceof Promise)).toEqual([true, true]);
  for (const one of made) {
    const response = await one;
    expect(response.headers.get("content-encoding")).toBe(encoding);
    expect(new TextDecoder().decode(unpack(new Uint8Array(await response.bytes())))).toBe(large);
  }
  for (const short of answer("A short body. ".repeat(100), encoding)) {
    expect(short).toBeInstanceOf(Response);
  }
});
