import { afterAll, beforeEach, describe, expect, test } from "bun:test";
import { createSourceClient } from "#sources/source-client.ts";
import { type Source, SourceError } from "#sources/source.ts";
import { YAHOO } from "#sources/yahoo/source.ts";
import { JQUANTS } from "#sources/jquants/source.ts";

const NOW = Date.parse("2026-11-20T12:00Z");

let requests = 0;
let answer: () => Response;
const upstream = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch() {
    requests++;
    return answer();
  },
});
afterAll(() => upstream.stop(true));
beforeEach(() => {
  requests = 0;
});

const tooMany = (headers: Record<string, string> = {}) => {
  answer = () => new Response("Too Many Requests", { status: 429, headers });
};

/** Makes one request, with a sleep that only moves the clock. Returns for how long the source is paused then. */
async function requestOnce(
  source: Source,
): Promise<{ retryAfterMs: number | null; pausedMs: number }> {
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
    pausedMs: blockedUntil === 0 ? 0 : blockedUntil - now,
  };
}

describe("a source with its own pause after a 429", () => {
  const patient: Source = { ...YAHOO, userAgent: "program", tooManyRequestsMs: 120_000 };

  test("is paused for that time if the answer names none", async () => {
    tooMany();
    expect(await requestOnce(patient)).toEqual({ retryAfterMs: 120_000, pausedMs: 120_000 });
    expect(requests).toBe(1);
  });

  test("is paused for the time that the answer names, longer or shorter", async () => {
    tooMany({ "Retry-After": "600" });
    expect(await requestOnce(patient)).toEqual({ retryAfterMs: 600_000, pausedMs: 600_000 });
    tooMany({ "Retry-After": "30" });
    expect((await requestOnce(patient)).pausedMs).toBe(30_000);
    tooMany({ "Retry-After": new Date(NOW + 90_000).toUTCString() });
    expect((await requestOnce(patient)).pausedMs).toBe(90_000);
  });

  test("is tried again soon if the answer names a wait of zero", async () => {
    tooMany({ "Retry-After": "0" });
    expect((await requestOnce(patient)).pausedMs).toBe(0);
    expect(requests).toBe(3);
  });

  test("is paused for its own time if the named time cannot be read", async () => {
    tooMany({ "Retry-After": "later" });
    expect((await requestOnce(patient)).pausedMs).toBe(120_000);
  });

  test("is tried again soon after another failure", async () => {
    answer = () => new Response("", { status: 503 });
    expect((await requestOnce(patient)).pausedMs).toBe(0);
    expect(requests).toBe(3);
  });
});

test("a source without its own pause is tried again soon after a 429", async () => {
  tooMany();
  const { tooManyRequestsMs: _, ...plain }: Source = { ...YAHOO, userAgent: "program" };
  expect((await requestOnce(plain)).pausedMs).toBe(0);
  expect(requests).toBe(3);
});

test("Yahoo is paused for 15 minutes, J-Quants for two", async () => {
  tooMany();
  expect((await requestOnce(YAHOO)).pausedMs).toBe(15 * 60_000);
  expect((await requestOnce(JQUANTS)).pausedMs).toBe(2 * 60_000);
});
