import { afterAll, describe, expect, test } from "bun:test";
import { readBody } from "#http/request-body.ts";
import { SharedDeadline } from "#lib/deadline.ts";
import { expectError } from "../support/error.ts";
import {
  expectErrorEnvelope,
  QUOTA_HEADERS,
  sendRaw,
  startHandMade,
} from "../support/contract-exchange.ts";

const MIB = 2 ** 20;

const world = await startHandMade();
afterAll(() => world.service.stop());

const used = () => world.service.used(world.id);

/** The head of a request to MCP over a bare socket. */
const mcpHead = (...more: string[]) =>
  [
    "POST /api/v1/svc/mcp HTTP/1.1",
    "Host: localhost",
    "Content-Type: application/json",
    `Authorization: Bearer ${world.token}`,
    ...more,
    "\r\n",
  ].join("\r\n");
const restHead = (...more: string[]) =>
  [
    "GET /api/v1/svc/data/markets HTTP/1.1",
    "Host: localhost",
    `Authorization: Bearer ${world.token}`,
    ...more,
    "\r\n",
  ].join("\r\n");
const chunk = (bytes: number) => `${bytes.toString(16)}\r\n${"x".repeat(bytes)}\r\n`;

/** A ping that is padded to exactly this many bytes. */
function ping(bytes: number): string {
  const bare = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
  return bare + " ".repeat(bytes - bare.length);
}

function expectTooLarge(answer: { status: number; headers: Headers; body: string } | null): void {
  expect(answer?.status).toBe(413);
  expectErrorEnvelope(answer?.body ?? "", "invalid");
  expect(QUOTA_HEADERS.filter((name) => answer?.headers.has(name))).toEqual([]);
  expect(answer?.headers.get("access-control-allow-origin")).toBe("*");
  expect(answer?.headers.has("retry-after")).toBe(false);
}

describe("the body of an MCP request", () => {
  test("may have exactly 1 MiB", async () => {
    const response = await world.service.mcp(world.token, ping(MIB));
    expect(response.status).toBe(200);
    expect(await response.json()).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  });

  test("of 1 MiB and one byte is refused, uncharged", async () => {
    const before = await used();
    const call = '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_markets"}}';
    const response = await world.service.mcp(world.token, call + " ".repeat(MIB + 1 - call.length));
    expectTooLarge({
      status: response.status,
      headers: response.headers,
      body: await response.text(),
    });
    expect(await used()).toBe(before);
  });

  test("that declares more is refused before its first byte is sent", async () => {
    expectTooLarge(await sendRaw(world.service, mcpHead(`Content-Length: ${MIB + 1}`)));
    expectTooLarge(await sendRaw(world.service, mcpHead("Content-Length: 1000000000")));
  });

  test("in chunks is refused as soon as it is too large, without waiting for its end", async () => {
    expectTooLarge(
      await sendRaw(world.service, [
        mcpHead("Transfer-Encoding: chunked"),
        chunk(MIB),
        // The terminating chunk never comes.
        chunk(1),
      ]),
    );
  });

  test("in chunks may have exactly 1 MiB", async () => {
    const answer = await sendRaw(world.service, [
      mcpHead("Transfer-Encoding: chunked"),
      `${MIB.toString(16)}\r\n${ping(MIB)}\r\n`,
      "0\r\n\r\n",
    ]);
    expect(answer?.status).toBe(200);
  });

  test("that comes after its token was revoked is refused", async () => {
    const { service } = world;
    const { token, id } = service.createToken();
    const head = mcpHead("Content-Length: 40").replace(world.token, token);
    const { hostname, port } = new URL(service.base);
    const { promise, resolve } = Promise.withResolvers<string>();
    const socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: { data: (_, answer) => resolve(answer.toString()) },
    });
    socket.write(`${head}{`);
    socket.flush();
    // After the service has answered another request, it has received the head of this one.
    await service.request("/openapi.json", null);
    service.accounts.revokeToken(id);
    socket.write(ping(40).slice(1));
    expect(await promise).toStartWith("HTTP/1.1 401");
    socket.end();
  });

  test("of the largest size needs a token too", async () => {
    const answer = await sendRaw(
      world.service,
      `POST /api/v1/svc/mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: ${MIB + 1}\r\n\r\n`,
    );
    expect(answer?.status).toBe(401);
  });
});

describe("the body of a REST request", () => {
  test("is ignored up to 10 MiB", async () => {
    const answer = await sendRaw(world.service, [restHead("Content-Length: 5"), "hello"]);
    expect(answer?.status).toBe(200);
    const whole = await sendRaw(world.service, [
      restHead(`Content-Length: ${10 * MIB}`),
      "x".repeat(10 * MIB),
    ]);
    expect(whole?.status).toBe(200);
  });

  test("in chunks is refused, because its length is unknown, and is not charged", async () => {
    const before = await used();
    for (const bytes of [10, 10 * MIB + 1]) {
      expectTooLarge(
        await sendRaw(world.service, [
          restHead("Transfer-Encoding: chunked"),
          chunk(bytes),
          "0\r\n\r\n",
        ]),
      );
    }
    expect(await used()).toBe(before);
  });

  test("that declares 10 MiB and one byte is refused before its first byte is sent", async () => {
    const before = await used();
    expectTooLarge(await sendRaw(world.service, restHead(`Content-Length: ${10 * MIB + 1}`)));
    expect(await used()).toBe(before);
  });
});

describe("a body in parts", () => {
  /** A body that has begun with so many bytes, and does not end. */
  const begun = (bytes: number) =>
    new Request("http://localhost/", {
      method: "POST",
      body: new ReadableStream({
        start: (controller) => controller.enqueue(new Uint8Array(bytes)),
      }),
    });

  test("that does not end is refused after its time", async () => {
    const { message } = await expectError(
      () => readBody(begun(10), MIB, new SharedDeadline(1)),
      "invalid_argument",
    );
    expect(message).toContain("incomplete after");
  });

  test("is refused where 64 MiB of other bodies arrive, unless it is small", async () => {
    const within = new SharedDeadline(300);
    const others = Array.from({ length: 64 }, () => readBody(begun(MIB), 2 * MIB, within));
    const ended = Promise.allSettled(others);
    const { details } = await expectError(() => readBody(begun(MIB), 2 * MIB), "unavailable");
    expect(details.retryAfterSeconds).toBe(5);
    const small = new Request("http://localhost/", { method: "POST", body: "{}" });
    expect(await readBody(small, MIB)).toHaveLength(2);
    await ended;
    await expectError(
      () => readBody(begun(MIB), 2 * MIB, new SharedDeadline(1)),
      "invalid_argument",
    );
  });
});

describe("a connection", () => {
  test("continues with its next request after a refused body", async () => {
    const head = mcpHead(`Content-Length: ${MIB + 1}`);
    const port = Number(new URL(world.service.base).port);
    let received = "";
    const { promise, resolve } = Promise.withResolvers<void>();
    const socket = await Bun.connect({
      hostname: "127.0.0.1",
      port,
      socket: {
        data(_, bytes) {
          received += bytes.toString("latin1");
          if (received.includes('"result":{}') || received.split("HTTP/1.1 ").length > 3) resolve();
        },
        close: () => resolve(),
      },
    });
    const all = Buffer.from(
      `${head}${"x".repeat(MIB + 1)}${mcpHead("Content-Length: 40")}${ping(40)}`,
    );
    let sent = 0;
    while (sent < all.length) {
      sent += socket.write(all, sent, all.length - sent);
      await Bun.sleep(1);
    }
    await promise;
    socket.end();
    expect(received).toStartWith("HTTP/1.1 413 ");
    // The refused body must never be parsed as a request.
    expect(received.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 413", "HTTP/1.1 200"]);
  });
});
