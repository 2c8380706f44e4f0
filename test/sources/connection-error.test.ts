import { describe, expect, test } from "bun:test";
import { connectionFaultOf, isTimeOut } from "#sources/connection-error.ts";
import { describeRefusal } from "#sources/refusal.ts";

const describeConnectionError = (error: unknown) =>
  describeRefusal({ host: "data.example.com", cause: connectionFaultOf(error) });

/** The explanation of the error that a real call of `fetch` throws. */
async function reasonFor(url: string, options: BunFetchRequestInit = {}): Promise<string> {
  try {
    await fetch(url, options);
  } catch (error) {
    return describeConnectionError(error);
  }
  throw new Error("the connection did not fail");
}

/** A server on loopback that sends these bytes after the first bytes of a connection, then closes it. */
function rawServer(answer: string) {
  const listener = Bun.listen({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      data(socket) {
        socket.write(answer);
        socket.end();
      },
    },
  });
  return { port: listener.port, [Symbol.dispose]: () => listener.stop(true) };
}

const withCode = (code: string) => Object.assign(new Error("https://secret.example"), { code });

describe("a failed connection is explained", () => {
  test("if the host name is unknown", async () => {
    // RFC 6761: names under .invalid never resolve.
    expect(await reasonFor("https://bourse.invalid/")).toContain("cannot be resolved; check DNS");
  });

  test("if nothing listens, also at the proxy", async () => {
    let port = 0;
    {
      using server = rawServer("");
      port = server.port;
    }
    expect(await reasonFor(`http://127.0.0.1:${port}/`)).toContain("refuses the connection");
    const proxy = `http://127.0.0.1:${port}`;
    expect(await reasonFor("https://bourse.invalid/", { proxy })).toContain("HTTPS_PROXY");
  });

  test("if the server does not use TLS", async () => {
    using server = rawServer("HTTP/1.1 400 Bad Request\r\n\r\n");
    expect(await reasonFor(`https://127.0.0.1:${server.port}/`)).toMatch(/TLS|closed before/);
  });

  test("if a proxy refuses", async () => {
    using server = rawServer(
      "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n",
    );
    const proxy = `http://127.0.0.1:${server.port}`;
    expect(await reasonFor("https://bourse.invalid/", { proxy })).toBe(
      "data.example.com is not reached, because the proxy refuses the connection: its settings are wrong; check HTTPS_PROXY and its credentials",
    );
  });

  test("if the connection is closed without an answer", async () => {
    using server = rawServer("");
    expect(await reasonFor(`http://127.0.0.1:${server.port}/`)).toContain(
      "closes the connection before an answer",
    );
  });

  test.each(["CERT_HAS_EXPIRED", "DEPTH_ZERO_SELF_SIGNED_CERT", "ERR_TLS_CERT_ALTNAME_INVALID"])(
    "if the certificate is not trusted (%s)",
    (code) => {
      expect(describeConnectionError(withCode(code))).toContain("certificate that is not trusted");
    },
  );

  test("after a time-out and for an unknown reason, without an address", () => {
    const timeout = new DOMException("https://secret.example", "TimeoutError");
    expect(isTimeOut(timeout)).toBe(true);
    for (const error of [withCode("EWHATEVER"), new Error("https://secret.example"), null])
      expect(describeConnectionError(error)).toBe(
        "data.example.com cannot be connected: the network failed; check the internet connection",
      );
  });
});
