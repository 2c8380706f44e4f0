import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { createSourceClient } from "#sources/source-client.ts";
import { type Source, SourceError } from "#sources/source.ts";
import { YAHOO } from "#sources/yahoo/source.ts";
import { JQUANTS } from "#sources/jquants/source.ts";

const NOW = Date.parse("2026-11-20T12:00Z");

let asked = 0;
let answer: () => Response;
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch() {
    asked++;
    return answer();
  },
});
afterAll(() => upstream.stop(true));
beforeEach(() => {
  asked = 0;
});

const tooMany = (headers: Record<string, string> = {}) => {
  answer = () => new Response("Too Many Requests", { status: 429, headers });
};

/** Asks once, with sleep that only moves the clock; tells for how long the source is left alone. */
async function askOnce(source: Source): Promise<{ retryAfterMs: number | null; aloneMs: number }> {
  let now = NOW;
  const client = createSourceClient(
    source,
    {
      mirror: upstream.url.origin,
      contact: null,
      key: "secret",
      program: "bourse/test",
      blockedUntil: 0,
    },
    {
      clock: () => now,
      sleep: async (ms) => {
        now += ms;
      },
      random: () => 0.5,
    },
  );
  const error = await client.request("https://source.example/data").catch((thrown) => thrown);
  if (!(error instanceof SourceError)) throw new Error("it did not fail");
  const { blockedUntil } = client;
  return {
    retryAfterMs: error.retryAfterMs,
    aloneMs: blockedUntil === 0 ? 0 : blockedUntil - now,
  };
}

describe("a source that says how long it wants to be left alone after a 429", () => {
  const patient: Source = { ...YAHOO, tooManyRequestsMs: 120_000 };

  test("is left alone for so long where the answer names no time", async () => {
    tooMany();
    expect(await askOnce(patient)).toEqual({ retryAfterMs: 120_000, aloneMs: 120_000 });
    expect(asked).toBe(1);
  });

  test("is left alone for as long as the answer names, be it more or less", async () => {
    tooMany({ "Retry-After": "600" });
    expect(await askOnce(patient)).toEqual({ retryAfterMs: 600_000, aloneMs: 600_000 });
    tooMany({ "Retry-After": "30" });
    expect((await askOnce(patient)).aloneMs).toBe(30_000);
    tooMany({ "Retry-After": new Date(NOW + 90_000).toUTCString() });
    expect((await askOnce(patient)).aloneMs).toBe(90_000);
  });

  test("is asked again soon where the answer names no wait at all", async () => {
    tooMany({ "Retry-After": "0" });
    expect((await askOnce(patient)).aloneMs).toBe(0);
    expect(asked).toBe(3);
  });

  test("is left alone for so long where the time named is none", async () => {
    tooMany({ "Retry-After": "later" });
    expect((await askOnce(patient)).aloneMs).toBe(120_000);
  });

  test("is asked again soon after another failure", async () => {
    answer = () => new Response("", { status: 503 });
    expect((await askOnce(patient)).aloneMs).toBe(0);
    expect(asked).toBe(3);
  });
});

test("a source that says nothing of it is asked again soon after a 429", async () => {
  tooMany();
  const { tooManyRequestsMs: _, ...plain } = YAHOO;
  expect((await askOnce(plain)).aloneMs).toBe(0);
  expect(asked).toBe(3);
});

test("Yahoo is left alone for 15 minutes, J-Quants for two", async () => {
  tooMany();
  expect((await askOnce(YAHOO)).aloneMs).toBe(15 * 60_000);
  expect((await askOnce(JQUANTS)).aloneMs).toBe(2 * 60_000);
});
