import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import {
  createSourceClient,
  isAskable,
  type SourceSettings,
  type SourceWorld,
} from "#sources/source-client.ts";
import { type HostState, SourceHosts } from "#sources/source-host.ts";
import { type Source, SourceError, type SourceRequest } from "#sources/source.ts";
import {
  playedSource,
  playedWorld,
  startRawUpstream,
  startUpstream,
  until,
} from "../support/upstream.ts";

const PAGE = "https://data.example.com/v1/things?of=AAPL";
const NAMED = "Mozilla/5.0 (compatible; bourse/1.2.3)";
const MINUTE = 60_000;

const SETTINGS = { contact: null, key: null, program: "bourse/1.2.3", blockedUntil: 0 };
const UNKNOWN_HOST: HostState = {
  host: "data.example.com",
  blockedUntil: 0,
  refusal: null,
  refusedAt: null,
  identity: null,
};

/** A client of a source that is played at a URL. */
function openClient(
  mirror: string | null,
  options: {
    source?: Partial<Source>;
    settings?: Partial<SourceSettings>;
    world?: Partial<SourceWorld>;
  } = {},
) {
  const world = playedWorld();
  const client = createSourceClient(
    playedSource(options.source),
    { ...SETTINGS, mirror, ...options.settings },
    { ...world, ...options.world },
  );
  return {
    ...world,
    client,
    ask: (request?: SourceRequest, url = PAGE) => client.request(url, request),
    /** The error of a request that must fail. */
    fault: (request?: SourceRequest, url = PAGE) => faultOf(() => client.request(url, request)),
  };
}

async function faultOf(work: () => Promise<unknown>): Promise<SourceError> {
  try {
    await work();
  } catch (error) {
    if (error instanceof SourceError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

/** Time-outs that end when the test says so. */
function playTimeouts() {
  const waits: number[] = [];
  let newest = new AbortController();
  return {
    waits,
    timeout: (ms: number): AbortSignal => {
      waits.push(ms);
      newest = new AbortController();
      return newest.signal;
    },
    end: () => newest.abort(new DOMException("", "TimeoutError")),
  };
}

const status = (code: number, headers: Record<string, string> = {}) =>
  new Response("no", { status: code, headers });

const PAGE_WORDS =
  "answers with something else: it shows a page for people instead, or this network wants a sign-in; sign in to this network, call it from another one, or upgrade bourse";
const CUT_WORDS =
  "sends only a part of its answer: the connection or a proxy cut it; retry later, or check the proxy";

describe("an answer", () => {
  test("has its status, headers and bytes", async () => {
    using upstream = startUpstream(
      () => new Response('\uFEFF{"name":"東証"}', { headers: { "X-Of": "AAPL" } }),
    );
    const { ask, sleeps } = openClient(upstream.url);
    const answer = await ask();
    expect(answer.status).toBe(200);
    expect(answer.headers.get("x-of")).toBe("AAPL");
    expect(answer.text()).toBe('{"name":"東証"}');
    expect(await answer.json()).toEqual({ name: "東証" });
    expect(new TextDecoder().decode(answer.bytes)).toBe('{"name":"東証"}');
    expect(upstream.requests.map(({ method, path }) => [method, path])).toEqual([
      ["GET", "/v1/things?of=AAPL"],
    ]);
    expect(sleeps).toEqual([]);
  });

  test("is requested and read with gzip, and refused with another compression", async () => {
    const compressed = (encoding: string) => () =>
      new Response(gzipSync('{"a":1}'), { headers: { "Content-Encoding": encoding } });
    using upstream = startUpstream(compressed("gzip"));
    const { ask, fault } = openClient(upstream.url);
    expect(await (await ask()).json()).toEqual({ a: 1 });
    expect(upstream.requests[0]?.headers.get("accept-encoding")).toBe("gzip");
    // RFC 9110 8.4.1: the names of codings are case-insensitive, and x-gzip is gzip.
    for (const name of ["GZIP", "Gzip", "x-gzip"]) {
      upstream.play(compressed(name));
      expect(await (await ask()).json()).toEqual({ a: 1 });
    }
    upstream.play(() => new Response("{}", { headers: { "Content-Encoding": "Identity" } }));
    expect(await (await ask()).json()).toEqual({});
    upstream.play(compressed("br"));
    expect(await fault()).toMatchObject({
      fault: "invalid_answer",
      message: "played: the answer is compressed in another way than requested",
    });
  });

  test("to a POST gets its body and headers", async () => {
    using upstream = startUpstream();
    const { ask } = openClient(upstream.url, {
      source: { headers: { Referer: "https://x.test/" } },
    });
    await ask({ method: "POST", body: '{"q":1}', headers: { "Content-Type": "application/json" } });
    const [request] = upstream.requests;
    expect([request?.method, request?.body]).toEqual(["POST", '{"q":1}']);
    expect(request?.headers.get("content-type")).toBe("application/json");
    expect(request?.headers.get("referer")).toBe("https://x.test/");
  });

  test.each([
    ["HTML", "<!doctype html><title>Sorry</title>", PAGE_WORDS],
    ["a text", "Access denied", PAGE_WORDS],
    [
      "an empty body",
      "",
      "answers nothing to this network: it ignores some cloud addresses; call it from another network, or through HTTPS_PROXY",
    ],
    ["truncated JSON", '{"a":[1,2', CUT_WORDS],
    ["JSON that is cut after an object", '[{"a":1},{"b":[2]', CUT_WORDS],
  ])(
    "that is %s instead of JSON is refused as JSON, and is not a failure of the source",
    async (_, body, words) => {
      using upstream = startUpstream(body);
      const { ask, client } = openClient(upstream.url);
      for (let i = 0; i < 6; i++) {
        const error = await faultOf(async () => (await ask()).json());
        expect([error.fault, error.message]).toEqual([
          "invalid_answer",
          `played: data.example.com ${words}`,
        ]);
      }
      expect(client.blockedUntil).toBe(0);
    },
  );

  test.each([
    ["a note in JSON, where a table is expected", '{"message":"slow down"}', "lines", PAGE_WORDS],
    ["a note in JSON, where a workbook is", '{"message":"slow down"}', "workbook", PAGE_WORDS],
    [
      "a workbook without its end",
      `PK\u0003\u0004${"x".repeat(40)}PK\u0005\u0006xx`,
      "workbook",
      CUT_WORDS,
    ],
    ["a table that ends in a row", "date,value\n2026-01-01,1\n2026-01", "lines", CUT_WORDS],
    ["a table with a short last row", "date,value\n2026-01-01,1\n2026-01", "cells", CUT_WORDS],
  ] as const)("that is %s is refused", async (_, body, form, words) => {
    using upstream = startUpstream(body);
    const { message } = await openClient(upstream.url).fault({ form });
    expect(message).toBe(`played: data.example.com ${words}`);
  });

  test.each([
    ["a workbook with a comment", `PK\u0003\u0004PK\u0005\u0006${"x".repeat(30)}`, "workbook"],
    ["a table whose last row has no break", "date,value\n2026-01-01,1\n2026-01-02,2", "cells"],
    ["a word", "NoRecordsFound", "lines"],
    ["XML", "<a>\n</a>", "lines"],
    ["a page", "<!doctype html><html>", "page"],
  ] as const)("that is %s is accepted", async (_, body, form) => {
    using upstream = startUpstream(body);
    expect((await openClient(upstream.url).ask({ form })).text()).toBe(body);
  });

  test("with status 404 means `nothing`, after one request", async () => {
    using upstream = startUpstream(() => status(404));
    const { fault, client } = openClient(upstream.url);
    for (let i = 0; i < 6; i++) {
      expect(await fault()).toMatchObject({
        fault: "nothing",
        message: `played: data.example.com 404: it has nothing at this address; upgrade bourse, or report it`,
      });
    }
    expect(upstream.requests).toHaveLength(6);
    expect(client.blockedUntil).toBe(0);
  });

  test.each([404, 401, 400, 503])(
    "with a status that the caller accepts is an answer: %d",
    async (code) => {
      using upstream = startUpstream(() => new Response("why", { status: code }));
      const answer = await openClient(upstream.url).ask({ accept: [code] });
      expect([answer.status, answer.text()]).toEqual([code, "why"]);
      expect(upstream.requests).toHaveLength(1);
    },
  );

  test.each([400, 401, 403, 410, 451])(
    "with another refusal is not requested again, and counts as a failure: %d",
    async (code) => {
      using upstream = startUpstream(() => status(code, { "Retry-After": "1" }));
      const { fault, client } = openClient(upstream.url);
      for (let i = 0; i < 4; i++) {
        expect(await fault()).toMatchObject({
          fault: "unreachable",
          message: expect.stringMatching(
            new RegExp(`^played: data\\.example\\.com ${code}: it .+; .+$`),
          ),
        });
      }
      expect(upstream.requests).toHaveLength(4);
      expect(client.blockedUntil).toBeGreaterThan(0);
    },
  );
});

describe("a temporary failure", () => {
  /** Fails that many times, then answers. */
  const failing = (times: number, failure: () => Response) => {
    let requests = 0;
    return () => (++requests > times ? new Response("{}") : failure());
  };

  test.each([429, 500, 502, 503])("is tried again after a growing pause: %d", async (code) => {
    using upstream = startUpstream(failing(2, () => status(code)));
    const { ask, sleeps } = openClient(upstream.url);
    expect((await ask()).text()).toBe("{}");
    // Half a second, then one second, each times 0.5 + random, which is 1.
    expect(sleeps).toEqual([500, 1_000]);
  });

  test("is tried again after half to one and a half of the pause", async () => {
    using upstream = startUpstream(() => status(500));
    for (const [random, pauses] of [
      [0, [250, 500]],
      [0.999, [749.5, 1_499]],
    ] as const) {
      const { fault, sleeps } = openClient(upstream.url, { world: { random: () => random } });
      await fault();
      expect(sleeps).toEqual([...pauses]);
    }
  });

  test("is counted for each attempt, apart from answers and from unusable ones", async () => {
    using upstream = startUpstream(failing(2, () => status(503)));
    const { ask, client } = openClient(upstream.url);
    await ask();
    client.reportAnswer(false);
    client.reportAnswer(true);
    expect(client.counts).toEqual({ answered: 1, failed: 2 });
    expect(client.unusable).toBe(1);
  });

  test.each([
    ["seconds", "7", 7_000],
    ["a date", "Fri, 20 Nov 2026 17:30:03 GMT", 3_000],
    ["no time at all", "0", 500],
    ["a date that is past", "Fri, 20 Nov 2026 17:00:00 GMT", 500],
    ["words", "soon", 500],
    ["less than none", "-5", 500],
  ])("waits as Retry-After says in %s", async (_, header, pause) => {
    using upstream = startUpstream(failing(1, () => status(429, { "Retry-After": header })));
    const { ask, sleeps } = openClient(upstream.url);
    await ask();
    expect(sleeps).toEqual([pause]);
  });

  test("blocks the source at once if Retry-After is longer than any request waits", async () => {
    using upstream = startUpstream(() => status(429, { "Retry-After": "120" }));
    const { ask, fault, client, sleeps, time } = openClient(upstream.url);
    expect(await fault()).toMatchObject({ fault: "unreachable", retryAfterMs: 120_000 });
    expect(sleeps).toEqual([]);
    expect(client.blockedUntil).toBe(time.now + 120_000);
    expect(await fault()).toMatchObject({
      fault: "not_asked",
      message:
        "played: it is not called for a while after failures: data.example.com 429: it has too many calls from this address; wait; it is called again by itself",
      retryAfterMs: 120_000,
    });
    expect(upstream.requests).toHaveLength(1);
    time.now += 120_000;
    upstream.play("{}");
    expect((await ask()).text()).toBe("{}");
  });

  test("may be a refused connection", async () => {
    let url = "";
    {
      using upstream = startUpstream();
      url = upstream.url;
    }
    const { fault, sleeps } = openClient(url);
    expect(await fault()).toMatchObject({
      fault: "unreachable",
      message:
        "played: data.example.com refuses the connection: a firewall, a proxy or the host itself refuses it; check firewall and proxy (HTTPS_PROXY)",
    });
    expect(sleeps).toEqual([500, 1_000]);
  });

  test("may be a time-out, which closes the connection", async () => {
    const { timeout, end, waits } = playTimeouts();
    using upstream = await startRawUpstream("", "stay", end);
    const { fault, client, time } = openClient(upstream.url, {
      source: { timeoutMs: 40 },
      world: { timeout },
    });
    expect(await fault()).toMatchObject({
      fault: "unreachable",
      message:
        "played: data.example.com does not answer: it is slow, or ignores this address; retry later, or check firewall and proxy",
    });
    // Two in a row are enough, and the host is left alone for a minute.
    expect(waits).toEqual([40, 40]);
    expect(upstream.connections()).toBe(2);
    expect(client.blockedUntil).toBe(time.now + MINUTE);
    await until(() => upstream.open() === 0);
  });

  test("by time-out of two requests ends the calls of the others to that host", async () => {
    const { timeout, end } = playTimeouts();
    using upstream = await startRawUpstream("", "stay", end);
    const { client } = openClient(upstream.url, {
      source: { timeoutMs: 40, concurrency: 1 },
      world: { timeout },
    });
    const faults = ["a", "b", "c"].map(async (path) => {
      const { fault } = await faultOf(() => client.request(`https://data.example.com/${path}`));
      return fault;
    });
    expect(await Promise.all(faults)).toEqual(["not_asked", "unreachable", "not_asked"]);
    expect(upstream.connections()).toBe(2);
  });

  test("may be a slow body that exceeds the time-out, which closes the connection", async () => {
    const closed: Promise<unknown>[] = [];
    // Each attempt gets the head of the answer before its time is over.
    let bytes = 0;
    const { timeout, end } = playTimeouts();
    using upstream = startUpstream(({ signal }) => {
      closed.push(new Promise((resolve) => signal.addEventListener("abort", resolve)));
      return new Response(drip(() => void (++bytes % 5 === 0 && end())));
    });
    const { fault } = openClient(upstream.url, { source: { timeoutMs: 250 }, world: { timeout } });
    expect(await fault()).toMatchObject({
      fault: "unreachable",
      message: "played: data.example.com did not send its whole answer within 250 ms; retry later",
    });
    expect(closed).toHaveLength(3);
    await Promise.all(closed);
  });

  const CLOSED =
    "closes the connection before an answer: the host or a proxy ended it; retry later, or check the proxy";
  test.each([
    ["short of its length", "Content-Length: 100\r\n\r\n{}", CLOSED],
    ["within its chunks", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n", CLOSED],
    ["within its head", "Content-", CLOSED],
    [
      "within what is compressed",
      "Content-Encoding: gzip\r\nContent-Length: 3\r\n\r\n\x1f\x0b\x08",
      "sent an answer that is damaged; retry later, or check the proxy",
    ],
  ])("may be a body that ends early %s", async (_, rest, reason) => {
    using upstream = await startRawUpstream(`HTTP/1.1 200 OK\r\n${rest}`, "close");
    expect(await openClient(upstream.url).fault()).toMatchObject({
      fault: "unreachable",
      message: `played: data.example.com ${reason}`,
    });
    expect(upstream.connections()).toBe(3);
  });

  test("may end between two attempts", async () => {
    using upstream = startUpstream(failing(1, () => status(500)));
    const { ask, client } = openClient(upstream.url);
    for (let i = 0; i < 8; i++) await ask();
    expect(client.blockedUntil).toBe(0);
  });
});

/** A byte every 10 ms, without end. */
function drip(sent: () => void = () => {}): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(10);
      controller.enqueue(new TextEncoder().encode(" "));
      sent();
    },
  });
}

describe("a body that is too large", () => {
  const tooLarge = {
    fault: "invalid_answer",
    message: "played: the answer is larger than 100000 bytes",
  };

  test("is accepted with exactly the allowed number of bytes, and refused with one more", async () => {
    using upstream = startUpstream("x".repeat(100_000));
    const { ask, fault } = openClient(upstream.url);
    expect((await ask()).bytes.length).toBe(100_000);
    upstream.play("x".repeat(100_001));
    expect(await fault()).toMatchObject(tooLarge);
  });

  test("is not read if its length is declared: one request, and the connection is closed", async () => {
    using upstream = await startRawUpstream(
      "HTTP/1.1 200 OK\r\nContent-Length: 100001\r\n\r\n",
      "stay",
    );
    expect(await openClient(upstream.url).fault()).toMatchObject(tooLarge);
    expect(upstream.connections()).toBe(1);
    await until(() => upstream.open() === 0);
  });

  const bomb = gzipSync(new Uint8Array(200_000_000));

  test.each([
    ["streamed without an end", () => new Response(flood())],
    [
      "compressed to a thousandth",
      () => new Response(bomb, { headers: { "Content-Encoding": "gzip" } }),
    ],
  ])("needs no memory if it is %s", async (_, answer) => {
    using upstream = startUpstream(answer);
    const { fault } = openClient(upstream.url);
    // The server is in the same process: the memory that it uses is allocated first.
    await fault();
    const before = process.memoryUsage().rss;
    for (let i = 0; i < 5; i++) expect(await fault()).toMatchObject(tooLarge);
    expect(process.memoryUsage().rss - before).toBeLessThan(60_000_000);
    await until(() => upstream.pending() === 0);
  });
});

/** Parts of 64 KB, without end. */
function flood(): ReadableStream<Uint8Array> {
  return new ReadableStream({
    async pull(controller) {
      await Bun.sleep(0);
      controller.enqueue(new Uint8Array(65_536));
    },
  });
}

describe("abandoned answers", () => {
  test("are closed with their connections", async () => {
    const head = (line: string) => `HTTP/1.1 ${line}\r\nContent-Length: 90000\r\n\r\nbegin`;
    for (const line of ["500 X", "403 X", "404 X", "302 X\r\nLocation: https://evil.test/"]) {
      using upstream = await startRawUpstream(head(line), "stay");
      await openClient(upstream.url).fault();
      await until(() => upstream.open() === 0);
    }
  });

  test("that end by themselves do not end the process", async () => {
    const unhandled: unknown[] = [];
    const note = (error: unknown) => void unhandled.push(error);
    process.on("unhandledRejection", note);
    using upstream = await startRawUpstream(
      "HTTP/1.1 500 X\r\nContent-Length: 90000\r\n\r\nbegin",
      "close",
    );
    for (let i = 0; i < 5; i++) await openClient(upstream.url).fault();
    await Bun.sleep(20);
    process.off("unhandledRejection", note);
    expect(unhandled).toEqual([]);
  });
});

describe("a redirect", () => {
  const to = (location: string, code = 302) => status(code, { Location: location });

  test("to the same host is followed, with headers and method", async () => {
    using upstream = startUpstream(({ path }) =>
      path === "/v2?x=1" ? new Response("there") : to("/v2?x=1", 308),
    );
    const { ask } = openClient(upstream.url);
    const answer = await ask({ method: "POST", body: "b", headers: { "X-Key": "k" } });
    expect(answer.text()).toBe("there");
    const [, second] = upstream.requests;
    expect([second?.method, second?.body, second?.headers.get("x-key")]).toEqual([
      "POST",
      "b",
      "k",
    ]);
  });

  test.each(["https://evil.test/", "//evil.test/x", "http://localhost/", "http://127.0.0.1:1/"])(
    "to another host is refused after one request, and no request goes there: %s",
    async (location) => {
      using upstream = startUpstream(() => to(location));
      expect(await openClient(upstream.url).fault()).toMatchObject({
        fault: "unreachable",
        message: `played: data.example.com redirects to another host, ${new URL(location, upstream.url).host}: this network wants a sign-in, or the source has moved; sign in to this network, or upgrade bourse`,
      });
      expect(upstream.requests).toHaveLength(1);
    },
  );

  test("never sends a key to another host", async () => {
    using other = startUpstream();
    using upstream = startUpstream(() => to(`${other.url}/steal`));
    const { fault } = openClient(upstream.url, { settings: { key: "SECRET" } });
    await fault({ headers: { "x-api-key": "SECRET" } });
    expect(other.requests).toEqual([]);
  });

  test("ends after three redirects in a circle", async () => {
    using upstream = startUpstream(() => to("/again"));
    expect((await openClient(upstream.url).fault()).message).toBe(
      "played: data.example.com 302: this network wants a sign-in, or the source has moved; sign in to this network, or upgrade bourse",
    );
    expect(upstream.requests).toHaveLength(4);
  });

  test.each(["", "http://[", "file:///etc/passwd"])(
    "to an invalid address fails: %j",
    async (location) => {
      using upstream = startUpstream(() => to(location));
      expect((await openClient(upstream.url).fault()).fault).toBe("unreachable");
    },
  );
});

describe("a request", () => {
  test.each([
    ["https://data.example.com", true],
    ["http://127.0.0.1:9000", true],
    ["http://localhost:9000", true],
    ["http://[::1]:9000", true],
    ["http://data.example.com", false],
    ["http://127.0.0.1.evil.test", false],
    ["http://localhost.evil.test", false],
    ["http://10.0.0.1", false],
    ["ftp://127.0.0.1", false],
    ["file:///etc/passwd", false],
    ["data:text/plain,x", false],
    ["127.0.0.1:9000", false],
    ["", false],
  ])("needs TLS, or a host on this machine: %s", (address, isAllowed) => {
    expect(isAskable(address)).toBe(isAllowed);
  });

  test("is refused without TLS, also to a mirror", async () => {
    const refused = {
      fault: "not_asked",
      message: "played: http://data.example.com is not called without TLS",
      retryAfterMs: null,
    };
    expect(await openClient(null).fault({}, "http://data.example.com/x?key=SECRET")).toMatchObject(
      refused,
    );
    expect(await openClient("http://data.example.com").fault()).toMatchObject(refused);
  });

  test("goes only to the mirror if one is set, with any path", async () => {
    using upstream = startUpstream();
    const { ask } = openClient(upstream.url);
    await ask({}, "https://data.example.com//evil.test/x?y=1#z");
    await ask({}, "https://www.example.com/%2F..%2Fa%20b?q=%E6%9D%B1");
    // Bun's server reports several slashes as one.
    expect(upstream.requests.map(({ path }) => path)).toEqual([
      "/evil.test/x?y=1",
      "/%2F..%2Fa%20b?q=%E6%9D%B1",
    ]);
  });
});

describe("the User-Agent", () => {
  const agentOf = async (source: Partial<Source>, settings: Partial<SourceSettings>) => {
    using upstream = startUpstream();
    await openClient(upstream.url, { source, settings }).ask();
    return upstream.requests[0]?.headers.get("user-agent");
  };

  test("is the program, with the operator's contact if one is set", async () => {
    expect(await agentOf({ userAgent: "program" }, {})).toBe("bourse/1.2.3");
    expect(await agentOf({ userAgent: "program" }, { contact: "ops@example.com" })).toBe(
      "bourse/1.2.3 (ops@example.com)",
    );
    // The form that the SEC publishes: without parentheses.
    expect(await agentOf({ userAgent: "contact" }, { contact: "ops@example.com" })).toBe(
      "bourse/1.2.3 ops@example.com",
    );
  });

  test("names a browser and the program if the source refuses programs, without a contact", async () => {
    const contact = "ops@example.com";
    expect(await agentOf({ userAgent: "browser" }, { contact })).toBe(NAMED);
    expect(await agentOf({ userAgent: "page" }, { contact })).toBe("Mozilla/5.0");
    expect(await agentOf({ userAgent: "page" }, { contact, userAgent: "mine/1" })).toBe("mine/1");
  });

  test("is the operator's own only where a source refuses programs", async () => {
    expect(await agentOf({ userAgent: "program" }, { userAgent: "mine/1" })).toBe("bourse/1.2.3");
  });

  test.each([
    ["Nguyễn Văn An <an@example.vn>", "bourse/1.2.3 (Nguyen Van An <an@example.vn>)"],
    ["東京 ops@example.jp", "bourse/1.2.3 ( ops@example.jp)"],
    ["ops@example.com\r\nX-Evil: 1", "bourse/1.2.3 (ops@example.comX-Evil: 1)"],
  ])("has the contact without characters that a header cannot have: %j", async (contact, agent) => {
    expect(await agentOf({}, { contact })).toBe(agent);
  });

  test("is missing, so no request is made, if the source needs a contact or a key that is not set", async () => {
    using upstream = startUpstream();
    const open = (source: Partial<Source>, settings: Partial<SourceSettings> = {}) =>
      openClient(upstream.url, { source, settings });
    expect(await open({ userAgent: "contact" }).fault()).toMatchObject({
      fault: "not_asked",
      message: "played: it requires a contact: set BOURSE_CONTACT",
      retryAfterMs: null,
    });
    for (const contact of ["https://example.com", "ops at example.com", "@", "ops@"]) {
      expect(await open({ userAgent: "contact" }, { contact }).fault()).toMatchObject({
        fault: "not_asked",
        message: "played: it requires an email address: set BOURSE_CONTACT to one",
      });
    }
    const key = { variable: "PLAYED_KEY", required: true };
    expect(await open({ key }).fault()).toMatchObject({
      fault: "not_asked",
      message: "played: it requires a key: set PLAYED_KEY",
      retryAfterMs: null,
    });
    expect(upstream.requests).toEqual([]);

    await open({ key }, { key: "k" }).ask();
    await open({ key: { ...key, required: false } }).ask();
    expect(upstream.requests).toHaveLength(2);
  });

  test("does not contain the key, which only the fetcher sends", async () => {
    using upstream = startUpstream();
    const { client, ask } = openClient(upstream.url, { settings: { key: "SECRET" } });
    expect(client.key).toBe("SECRET");
    await ask();
    const [request] = upstream.requests;
    expect(`${request?.path} ${JSON.stringify([...(request?.headers ?? [])])}`).not.toContain(
      "SECRET",
    );
  });
});

describe("a host that refuses one name of the program", () => {
  /** Answers one User-Agent only. */
  const letting = (name: string, refuse: () => Response) => (arrived: { headers: Headers }) =>
    arrived.headers.get("user-agent") === name ? new Response("{}") : refuse();
  const agents = ({ requests }: { requests: readonly { headers: Headers }[] }) =>
    requests.map(({ headers }) => headers.get("user-agent"));
  const BROWSER = { source: { userAgent: "browser" } } as const;

  test.each([
    ["401", () => status(401)],
    ["403", () => status(403)],
    ["429 at the first call", () => status(429)],
    ["nothing", () => new Response("")],
  ])("with %s is asked under the next one, which it gets from then on", async (_, refuse) => {
    using upstream = startUpstream(letting("Mozilla/5.0", refuse));
    const { ask, client, sleeps } = openClient(upstream.url, BROWSER);
    for (let i = 0; i < 5; i++) await ask({}, `https://data.example.com/${i}`);
    expect(agents(upstream)).toEqual([NAMED, ...Array.from({ length: 5 }, () => "Mozilla/5.0")]);
    expect([client.blockedUntil, sleeps]).toEqual([0, []]);
  });

  test("is not asked under another one if it has too many calls", async () => {
    using upstream = startUpstream();
    const { ask, fault } = openClient(upstream.url, BROWSER);
    await ask();
    upstream.play(() => status(429, { "Retry-After": "900" }));
    await fault();
    expect(agents(upstream)).toEqual([NAMED, NAMED]);
    // A host that names a time counts calls, also at the first one.
    await openClient(upstream.url, BROWSER).fault();
    expect(agents(upstream)).toEqual([NAMED, NAMED, NAMED]);
  });

  test("at the same time as other requests blocks nothing", async () => {
    using upstream = startUpstream(letting("Mozilla/5.0", () => status(429)));
    const { client } = openClient(upstream.url, {
      source: { userAgent: "browser", tooManyRequestsMs: 15 * MINUTE },
    });
    const ask = (i: number) => client.request(`https://data.example.com/${i}`);
    await Promise.all(Array.from({ length: 6 }, (_, i) => ask(i)));
    expect(client.blockedUntil).toBe(0);
  });

  test("and every other is one failure, with the words of the last refusal", async () => {
    using upstream = startUpstream(() => status(403));
    const { fault } = openClient(upstream.url, BROWSER);
    expect((await fault()).message).toStartWith("played: data.example.com 403: it refuses");
    expect(agents(upstream)).toEqual([NAMED, "Mozilla/5.0"]);
  });

  test("is asked first under the one that passed before the start", async () => {
    using upstream = startUpstream();
    const world = playedWorld();
    const hosts = new SourceHosts(world);
    hosts.resume([{ ...UNKNOWN_HOST, identity: "Mozilla/5.0" }]);
    await createSourceClient(
      playedSource({ userAgent: "browser" }),
      { ...SETTINGS, mirror: upstream.url },
      world,
      hosts,
    ).request(PAGE);
    expect(agents(upstream)).toEqual(["Mozilla/5.0"]);
  });
});

describe("hosts", () => {
  const A = "https://a.example.com/";
  const B = "https://b.example.com/";

  test("have breakers of their own: a source is not blocked while one of its hosts answers", async () => {
    using upstream = startUpstream(({ path }) =>
      path === "/a" ? status(403) : new Response("{}"),
    );
    const { ask, fault, client } = openClient(upstream.url);
    await ask({}, `${B}b`);
    for (let i = 0; i < 4; i++) await fault({}, `${A}a`);
    expect((await fault({}, `${A}a`)).fault).toBe("not_asked");
    await ask({}, `${B}b`);
    expect(client.blockedUntil).toBe(0);
  });

  test("are shared by their sources: a block and the strictest limits are the host's", async () => {
    using upstream = startUpstream(() => status(403));
    const world = playedWorld();
    const hosts = new SourceHosts(world);
    const open = (name: string, requestsPerSecond: number) =>
      createSourceClient(
        playedSource({ name, requestsPerSecond }),
        { ...SETTINGS, mirror: upstream.url },
        world,
        hosts,
      );
    const [slow, fast] = [open("slow", 0.5), open("fast", 100)];
    const begin = world.time.now;
    for (const client of [slow, fast, fast, fast]) await faultOf(() => client.request(A));
    expect(world.time.now - begin).toBe(3 * 2_000);
    expect(await faultOf(() => fast.request(A))).toMatchObject({ fault: "not_asked" });
    expect(await faultOf(() => slow.request(A))).toMatchObject({ fault: "not_asked" });
    expect((await faultOf(() => slow.request(B))).fault).toBe("unreachable");
  });

  test("keep what another process stored: the block and its reason", async () => {
    using upstream = startUpstream(() => status(403));
    const world = playedWorld();
    const first = new SourceHosts(world);
    const open = (hosts: SourceHosts) =>
      createSourceClient(playedSource(), { ...SETTINGS, mirror: upstream.url }, world, hosts);
    const client = open(first);
    for (let i = 0; i < 4; i++) await faultOf(() => client.request(A));
    const stored = first.takeChanges();
    expect(stored).toEqual([
      {
        host: "a.example.com",
        blockedUntil: world.time.now + MINUTE,
        refusal: 403,
        refusedAt: world.time.now,
        identity: null,
      },
    ]);
    expect(first.takeChanges()).toEqual([]);
    const second = new SourceHosts(world);
    second.resume(stored);
    expect((await faultOf(() => open(second).request(A))).message).toContain("a.example.com 403: ");
    expect(upstream.requests).toHaveLength(4);
  });
});

describe("no error contains a key, a header or a query", () => {
  const SECRET = "k3y-5ecret";
  const url = `https://data.example.com/v1?apikey=${SECRET}`;
  const request = { headers: { "x-api-key": SECRET }, method: "POST" as const, body: SECRET };
  const echo = ({ path }: { path: string }) => path + SECRET;

  test.each([
    ["a refusal", () => status(403)],
    ["a failure", () => status(500)],
    ["nothing", () => status(404)],
    [
      "a redirect",
      (arrived: { path: string }) => status(302, { Location: `https://x.test${echo(arrived)}` }),
    ],
    ["a redirect to no address", () => status(302, { Location: `http://[${SECRET}` })],
    ["a body too large", () => new Response(SECRET.repeat(20_000))],
  ])("after %s", async (_, answer) => {
    using upstream = startUpstream(answer);
    const { fault } = openClient(upstream.url, { settings: { key: SECRET } });
    const error = await fault(request, url);
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain(SECRET);
  });

  test("after an answer that is not JSON", async () => {
    using upstream = startUpstream(SECRET);
    const { ask } = openClient(upstream.url);
    const answer = await ask(request, url);
    expect((await faultOf(async () => answer.json())).message).not.toContain(SECRET);
  });

  test.each([
    ["a host without TLS", "http://data.example.com"],
    ["a closed port", "http://127.0.0.1:1"],
  ])("of a request to %s", async (_, mirror) => {
    const error = await openClient(mirror).fault(request, url);
    expect(error.message).not.toContain(SECRET);
  });

  test("with an invalid header", async () => {
    using upstream = startUpstream();
    const error = await openClient(upstream.url).fault({
      headers: { "x-api-key": `${SECRET}\n.` },
    });
    expect(error.message).not.toContain(SECRET);
  });
});

describe("a stored answer", () => {
  /** Answers 304 if the client has the current version, as a server with entity tags does. */
  function versioned(header: "ETag" | "Last-Modified") {
    const state = {
      version: header === "ETag" ? '"v1"' : "Fri, 20 Nov 2026 10:00:00 GMT",
      full: 0,
    };
    const condition = header === "ETag" ? "if-none-match" : "if-modified-since";
    const answer = ({ headers, path }: { headers: Headers; path: string }) => {
      if (headers.get(condition) === state.version) return new Response(null, { status: 304 });
      state.full++;
      return new Response(`${path} ${state.version}`, { headers: { [header]: state.version } });
    };
    return { state, answer };
  }

  test.each(["ETag", "Last-Modified"] as const)(
    "is requested conditionally by %s, and served again after a 304",
    async (header) => {
      const { state, answer } = versioned(header);
      using upstream = startUpstream(answer);
      const { ask } = openClient(upstream.url);
      const first = await ask();
      const second = await ask();
      expect([second.status, second.text()]).toEqual([200, first.text()]);
      expect([upstream.requests.length, state.full]).toEqual([2, 1]);

      state.version = header === "ETag" ? '"v2"' : "Fri, 20 Nov 2026 11:00:00 GMT";
      expect((await ask()).text()).toBe(`/v1/things?of=AAPL ${state.version}`);
      expect(state.full).toBe(2);
      await ask();
      expect(state.full).toBe(2);
    },
  );

  test("is kept for each address, and never for a POST", async () => {
    const { state, answer } = versioned("ETag");
    using upstream = startUpstream(answer);
    const { ask } = openClient(upstream.url);
    await ask();
    expect((await ask({}, "https://data.example.com/v1/others")).text()).toStartWith("/v1/others");
    await ask({ method: "POST", body: "{}" });
    await ask({ method: "POST", body: "{}" });
    expect(state.full).toBe(4);
    await ask();
    expect(state.full).toBe(4);
  });

  test("is fetched again if it had no version, or if a 304 arrives without a stored answer", async () => {
    using upstream = startUpstream();
    const { ask, fault } = openClient(upstream.url);
    await ask();
    await ask();
    for (const { headers } of upstream.requests) {
      expect([headers.has("if-none-match"), headers.has("if-modified-since")]).toEqual([
        false,
        false,
      ]);
    }
    upstream.play(() => new Response(null, { status: 304 }));
    expect(await fault()).toMatchObject({
      fault: "unreachable",
      message:
        "played: data.example.com 304: a proxy changed its answer; check the proxy (HTTPS_PROXY)",
    });
  });

  describe("with a maximum age", () => {
    const MAX_AGE = { maxAgeMs: 10 * MINUTE };

    test("is returned without a request until its age limit, then fetched again", async () => {
      let count = 0;
      using upstream = startUpstream(() => new Response(`${++count}`));
      const { ask, time } = openClient(upstream.url);
      expect((await ask(MAX_AGE)).text()).toBe("1");
      time.now += 10 * MINUTE - 1;
      expect((await ask(MAX_AGE)).text()).toBe("1");
      // Another caller may need a newer one, which then serves all callers.
      expect((await ask({ maxAgeMs: MINUTE })).text()).toBe("2");
      time.now += 1;
      expect((await ask(MAX_AGE)).text()).toBe("2");
      expect((await ask()).text()).toBe("3");
      time.now -= MINUTE;
      expect((await ask(MAX_AGE)).text()).toBe("4");
    });

    test("is one request for all simultaneous callers, by method, address and body", async () => {
      using upstream = startUpstream();
      const { ask } = openClient(upstream.url);
      const post = (body: string) => ask({ method: "POST", body, ...MAX_AGE });
      await Promise.all([ask(MAX_AGE), ask(MAX_AGE), post("a"), post("b"), post("a")]);
      await post("b");
      expect(upstream.requests.map(({ method, body }) => `${method} ${body}`).sort()).toEqual([
        "GET ",
        "POST a",
        "POST b",
      ]);
    });

    test("is not a failure or a refusal; that a source has nothing is stored", async () => {
      using upstream = startUpstream(() => status(401));
      const { ask, fault } = openClient(upstream.url);
      await ask({ accept: [401], ...MAX_AGE });
      await ask({ accept: [401], ...MAX_AGE });
      expect(upstream.requests).toHaveLength(2);
      upstream.play(() => status(500));
      expect((await fault(MAX_AGE)).fault).toBe("unreachable");
      upstream.play(() => status(404));
      const before = upstream.requests.length;
      await ask({ accept: [404], ...MAX_AGE });
      expect((await ask({ accept: [404], ...MAX_AGE })).status).toBe(404);
      expect(upstream.requests).toHaveLength(before + 1);
    });

    test("is not served again after it was refused", async () => {
      using upstream = startUpstream('{"error":"maintenance"}');
      const { ask, client } = openClient(upstream.url);
      await ask(MAX_AGE);
      client.reportAnswer(false);
      upstream.play("{}");
      expect((await ask(MAX_AGE)).text()).toBe("{}");
    });

    test("is kept longer than newer answers that only have a version", async () => {
      using upstream = startUpstream(({ path }) =>
        path.endsWith("/list")
          ? new Response("list")
          : new Response("x", { headers: { ETag: '"v"' } }),
      );
      const { ask } = openClient(upstream.url);
      await ask(MAX_AGE, "https://data.example.com/list");
      for (let i = 0; i < 70; i++) await ask({}, `https://data.example.com/${i}`);
      await ask(MAX_AGE, "https://data.example.com/list");
      expect(upstream.requests.filter(({ path }) => path === "/list")).toHaveLength(1);
    });
  });

  test("is never one that was accepted with another status", async () => {
    using upstream = startUpstream(() => status(404, { ETag: '"v1"' }));
    const { ask } = openClient(upstream.url);
    await ask({ accept: [404] });
    await ask({ accept: [404] });
    expect(upstream.requests.map(({ headers }) => headers.get("if-none-match"))).toEqual([
      null,
      null,
    ]);
  });

  test("is kept for the 64 newest addresses", async () => {
    const { state, answer } = versioned("ETag");
    using upstream = startUpstream(answer);
    const { ask } = openClient(upstream.url);
    const address = (i: number) => `https://data.example.com/${i}`;
    for (let i = 0; i < 65; i++) await ask({}, address(i));
    expect(state.full).toBe(65);
    for (let i = 1; i < 65; i++) await ask({}, address(i));
    expect(state.full).toBe(65);
    await ask({}, address(0));
    expect(state.full).toBe(66);
  });

  test("is kept up to 32 MB together", async () => {
    const megabyte = "x".repeat(1_048_576);
    let full = 0;
    using upstream = startUpstream(({ headers, path }) => {
      if (headers.has("if-none-match")) return new Response(null, { status: 304 });
      full++;
      const size = Number(path.split("/")[2]);
      return new Response(megabyte.repeat(size), { headers: { ETag: '"v"' } });
    });
    const { ask } = openClient(upstream.url, { source: { maxBytes: 100 * 1_048_576 } });
    const askFor = (name: string, megabytes: number) =>
      ask({}, `https://data.example.com/${name}/${megabytes}`);
    await askFor("a", 12);
    await askFor("b", 12);
    await askFor("a", 12);
    expect(full).toBe(2);
    await askFor("c", 12);
    // The answer that was confirmed last is kept.
    await askFor("a", 12);
    await askFor("c", 12);
    expect(full).toBe(3);
    // An answer above the limit is not kept. The answers that it evicted are fetched again.
    await askFor("huge", 33);
    await askFor("huge", 33);
    await askFor("b", 12);
    expect(full).toBe(6);
  });
});

describe("the throttle", () => {
  test("limits the requests per second, in order, including further attempts", async () => {
    let failures = 1;
    using upstream = startUpstream(() => (failures-- > 0 ? status(500) : new Response("{}")));
    const { ask, time } = openClient(upstream.url, {
      source: { requestsPerSecond: 5, concurrency: 1 },
    });
    const begin = time.now;
    for (let i = 0; i < 6; i++) await ask({}, `https://data.example.com/${i}`);
    expect(upstream.requests.map(({ path }) => path)).toEqual(
      ["0", "0", "1", "2", "3", "4", "5"].map((i) => `/${i}`),
    );
    // The first attempt, a pause of 500 ms, then 200 ms between requests.
    expect(time.now - begin).toBe(500 + 5 * 200);
  });

  test("limits the requests that run at the same time", async () => {
    const gate = Promise.withResolvers<undefined>();
    using upstream = startUpstream(async () => {
      await gate.promise;
      return new Response("{}");
    });
    const { ask } = openClient(upstream.url, { source: { concurrency: 2 } });
    const all = Array.from({ length: 7 }, (_, i) => ask({}, `https://data.example.com/${i}`));
    await until(() => upstream.requests.length === 2);
    await Bun.sleep(20);
    expect(upstream.requests).toHaveLength(2);
    gate.resolve(undefined);
    await Promise.all(all);
    expect(upstream.requests).toHaveLength(7);
  });
});

describe("a source that keeps failing", () => {
  test("is paused for a minute after four failures in a row, then tried, and paused twice as long each time", async () => {
    using upstream = startUpstream(() => status(500));
    const { fault, client, time } = openClient(upstream.url);
    for (let i = 0; i < 4; i++) expect((await fault()).fault).toBe("unreachable");
    // Three attempts each.
    expect(upstream.requests).toHaveLength(12);
    expect(client.blockedUntil).toBe(time.now + MINUTE);
    expect(await fault()).toMatchObject({ fault: "not_asked", retryAfterMs: MINUTE });
    time.now += MINUTE - 1;
    expect((await fault()).fault).toBe("not_asked");
    expect(upstream.requests).toHaveLength(12);

    time.now += 1;
    expect((await fault()).fault).toBe("unreachable");
    expect(client.blockedUntil).toBe(time.now + 2 * MINUTE);
    expect(upstream.requests).toHaveLength(15);
  });

  test("is called normally again after it answers", async () => {
    using upstream = startUpstream(() => status(500));
    const { ask, fault, client, time } = openClient(upstream.url);
    for (let i = 0; i < 4; i++) await fault();
    upstream.play("{}");
    time.now += MINUTE;
    await ask();
    expect(client.blockedUntil).toBe(0);
    upstream.play(() => status(500));
    for (let i = 0; i < 3; i++) await fault();
    expect(client.blockedUntil).toBe(0);
  });

  test("is also paused after four refused answers in a row, with any status", async () => {
    using upstream = startUpstream("{}");
    const { ask, fault, client, time } = openClient(upstream.url);
    for (const isUsable of [false, false, false, true, false, false, false]) {
      await ask();
      client.reportAnswer(isUsable);
    }
    expect(client.blockedUntil).toBe(0);
    await ask();
    client.reportAnswer(false);
    expect(client.blockedUntil).toBe(time.now + MINUTE);
    expect((await fault()).fault).toBe("not_asked");
    time.now += MINUTE;
    expect((await ask()).text()).toBe("{}");
  });

  test("is paused from the start if it was paused before", async () => {
    using upstream = startUpstream("{}");
    const { time } = playedWorld();
    const { fault, ask, ...home } = openClient(upstream.url, {
      settings: { blockedUntil: time.now + MINUTE },
    });
    expect(await fault()).toMatchObject({ fault: "not_asked", retryAfterMs: MINUTE });
    expect(upstream.requests).toEqual([]);
    home.time.now += MINUTE;
    expect((await ask()).text()).toBe("{}");
  });

  test("may be probed after a minute by a caller that waits, and is called normally if it answers", async () => {
    using upstream = startUpstream(() => status(500));
    const { ask, fault, client, time } = openClient(upstream.url);
    for (let i = 0; i < 4; i++) await fault();
    time.now += MINUTE;
    await fault();
    expect(client.blockedUntil).toBe(time.now + 2 * MINUTE);
    expect(client.probe()).toBe(client);
    time.now += MINUTE;
    upstream.play("{}");
    const probing = client.probe();
    // All other callers still wait.
    expect((await fault()).fault).toBe("not_asked");
    expect((await probing.request("https://data.example.com/")).text()).toBe("{}");
    expect(client.blockedUntil).toBe(0);
    expect((await ask()).text()).toBe("{}");
  });

  test("stays paused for all others when a probe gets an unusable answer, and for twice the time", async () => {
    using upstream = startUpstream("{}");
    const { ask, fault, client, time } = openClient(upstream.url);
    for (let i = 0; i < 4; i++) {
      await ask();
      client.reportAnswer(false);
    }
    time.now += MINUTE;
    client.reportAnswer(false);
    time.now += MINUTE;
    const probing = client.probe();
    await probing.request("https://data.example.com/");
    expect((await fault()).fault).toBe("not_asked");
    probing.reportAnswer(false);
    // 1, 2, then 4 minutes.
    expect(client.blockedUntil).toBe(time.now + 4 * MINUTE);
    expect(probing.blockedUntil).toBe(client.blockedUntil);
    time.now += MINUTE;
    client.probe().reportAnswer(true);
    expect(client.blockedUntil).toBe(0);
  });

  test("is paused for a minute after any number of simultaneous requests", async () => {
    using upstream = startUpstream(() => status(500));
    const { fault, client, time } = openClient(upstream.url, { world: { sleep: async () => {} } });
    await Promise.all(Array.from({ length: 30 }, () => fault()));
    expect(client.blockedUntil).toBe(time.now + MINUTE);
  });

  test("is not called by requests that were queued before the pause", async () => {
    using upstream = startUpstream(() => status(500));
    const { fault } = openClient(upstream.url, { source: { concurrency: 1 } });
    const errors = await Promise.all(Array.from({ length: 40 }, () => fault()));
    // All make two attempts. Four fail for the third time, while the next in the queue has already begun.
    expect(upstream.requests.length).toBeLessThanOrEqual(40 + 40 + 4 + 1);
    expect(errors.filter((error) => error.fault === "not_asked").length).toBeGreaterThan(34);
  });
});

describe("a stop", () => {
  test("ends running requests at once, and no request begins", async () => {
    using upstream = await startRawUpstream("", "stay");
    const stopping = new AbortController();
    const { fault, client } = openClient(upstream.url, { world: { signal: stopping.signal } });
    const pending = fault();
    await until(() => upstream.open() === 1);
    stopping.abort();
    const stopped = { fault: "not_asked", message: "played: bourse is stopping", retryAfterMs: 0 };
    expect(await pending).toMatchObject(stopped);
    expect(await fault()).toMatchObject(stopped);
    expect(upstream.connections()).toBe(1);
    expect(client.blockedUntil).toBe(0);
    await until(() => upstream.open() === 0);
  });
});
