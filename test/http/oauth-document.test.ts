import { afterAll, describe, expect, test } from "bun:test";
import { DocumentReader } from "#http/oauth-document.ts";
import { fetchPinned, type OutsideNetwork } from "#lib/outside-network.ts";
import { START } from "../support/service.ts";
import { oauthRefusalOf } from "../support/error.ts";
import { CLIENT_CERTIFICATE, CLIENT_KEY } from "../support/certificate.ts";

const ID = "https://client.example/oauth/client.json";
const DOCUMENT = {
  client_id: ID,
  client_name: "Example",
  redirect_uris: ["https://client.example/callback"],
};
const PUBLIC = "93.184.215.14";

interface Play {
  /** What each resolution answers, the last one for ever. */
  readonly answers?: readonly (readonly string[])[];
  readonly respond?: (address: string) => Response | Promise<Response>;
  /** Far more than a played answer takes on a busy machine, unless a test waits for it. */
  readonly timeoutMs?: number;
}

/** A network that is played, with a list of everything that it was asked. */
function play({
  answers = [[PUBLIC]],
  respond = () => Response.json(DOCUMENT),
  timeoutMs = 30_000,
}: Play = {}) {
  const asked: string[] = [];
  let resolved = 0;
  const network: OutsideNetwork = {
    async resolve(host) {
      asked.push(`resolve ${host}`);
      const answer = answers[Math.min(resolved++, answers.length - 1)];
      if (!answer) throw new Error("unknown host");
      return answer;
    },
    async fetchFrom(address, url) {
      asked.push(`fetch ${address} ${url.href}`);
      return respond(address);
    },
  };
  const time = { now: START };
  const reader = new DocumentReader({ clock: () => time.now, network, timeoutMs });
  return { asked, time, reader, read: (id: string) => reader.read(id) };
}

describe("a metadata document", () => {
  test("is read from a checked address of its host, and cached for ten minutes", async () => {
    const { asked, time, read } = play();
    const client = { id: ID, name: "Example", redirectUris: DOCUMENT.redirect_uris };
    expect(await read(ID)).toEqual(client);
    expect(asked).toEqual(["resolve client.example", `fetch ${PUBLIC} ${ID}`]);
    time.now += 599_999;
    expect(await read(ID)).toEqual(client);
    expect(asked).toHaveLength(2);
    time.now += 1;
    expect(await read(ID)).toEqual(client);
    expect(asked).toHaveLength(4);
  });

  test("is requested again after a failure", async () => {
    let healthy = false;
    const respond = () => (healthy ? Response.json(DOCUMENT) : new Response("", { status: 500 }));
    const { read } = play({ respond });
    expect(await oauthRefusalOf(read(ID))).toContain("the answer is 500, not 200");
    healthy = true;
    expect(await oauthRefusalOf(read(ID))).toBe("accepted");
  });

  test.each([
    "http://client.example/client.json",
    "https://client.example",
    "https://client.example/",
    "https://client.example:8443/client.json",
    "https://user@client.example/client.json",
    "https://client.example/client.json#x",
    "https://client.example/a/../client.json",
    "https://CLIENT.example/client.json",
    "HTTPS://client.example/client.json",
    "https://localhost/client.json",
    "https://127.0.0.1/client.json",
    "https://93.184.215.14/client.json",
    "https://2130706433/client.json",
    "https://0x7f.1/client.json",
    "https://[::1]/client.json",
    "https://[::ffff:127.0.0.1]/client.json",
    "https://[fe80::1]/client.json",
    "https:client.example/client.json",
    "https://",
  ])("has no URL like %s", async (id) => {
    const { asked, read } = play();
    expect(await oauthRefusalOf(read(id))).toContain(
      "client_id must be the https URL of a document",
    );
    expect(asked).toEqual([]);
  });

  test.each([
    [["127.0.0.1"]],
    [["10.0.0.5"]],
    [["169.254.169.254"]],
    [["::1"]],
    [["::ffff:10.0.0.5"]],
    [["fd00::1"]],
    [["64:ff9b::a00:5"]],
    // One public address does not make the others public.
    [[PUBLIC, "192.168.1.1"]],
    [["192.168.1.1", PUBLIC]],
    [[]],
  ])("is not requested from a host at %j", async (addresses) => {
    const { asked, read } = play({ answers: [addresses] });
    expect(await oauthRefusalOf(read(ID))).toContain("the host has no public address");
    expect(asked).toEqual(["resolve client.example"]);
  });

  test("is requested from the address that was checked, though the DNS changes its answer", async () => {
    const { asked, read } = play({ answers: [[PUBLIC], ["127.0.0.1"]] });
    expect(await oauthRefusalOf(read(ID))).toBe("accepted");
    expect(asked).toEqual(["resolve client.example", `fetch ${PUBLIC} ${ID}`]);
  });

  test("is tried at the other addresses of its host, IPv4 first", async () => {
    const respond = (address: string) => {
      if (address !== "1.1.1.1") throw new Error("no route");
      return Response.json(DOCUMENT);
    };
    const answers = [["2606:4700::1", "8.8.8.8", "1.1.1.1"]];
    const { asked, read } = play({ answers, respond });
    expect(await oauthRefusalOf(read(ID))).toBe("accepted");
    expect(asked.slice(1).map((line) => line.split(" ")[1])).toEqual(["8.8.8.8", "1.1.1.1"]);
  });

  test("is not taken from a redirect", async () => {
    const respond = () => Response.redirect("http://169.254.169.254/latest/meta-data/", 302);
    const { asked, read } = play({ respond });
    expect(await oauthRefusalOf(read(ID))).toContain("the answer is 302, not 200");
    expect(asked).toHaveLength(2);
  });

  const json = { headers: { "Content-Type": "application/json" } };
  const endless = () =>
    new ReadableStream<Uint8Array>({ pull: (stream) => stream.enqueue(new Uint8Array(1024)) });
  test.each<[string, () => Response | Promise<Response>, string]>([
    ["no JSON", () => new Response("{", json), "is not JSON"],
    ["no UTF-8", () => new Response(new Uint8Array([0x22, 0xff, 0x22]), json), "is not JSON"],
    ["HTML", () => new Response("{}", { headers: { "Content-Type": "text/html" } }), "is not appl"],
    ["no type", () => new Response(new Uint8Array([0x7b, 0x7d])), "is not application/json"],
    ["a list", () => Response.json([]), "must be a JSON object"],
    ["another client", () => Response.json({ ...DOCUMENT, client_id: `${ID}x` }), "is not the URL"],
    ["5,121 bytes", () => new Response(`"${"x".repeat(5_119)}"`, json), "longer than 5120 bytes"],
    ["an endless body", () => new Response(endless(), json), "longer than 5120 bytes"],
  ])("is refused: %s", async (_, respond, message) => {
    expect(await oauthRefusalOf(play({ respond }).read(ID))).toContain(message);
  });

  test.each<[string, () => Response | Promise<Response>, string]>([
    ["no answer", () => new Promise<Response>(() => {}), "did not answer in time"],
    [
      "a body that never ends",
      () => new Response(new ReadableStream({ pull: () => new Promise(() => {}) }), json),
      "takes too long",
    ],
  ])("is not waited for: %s", async (_, respond, message) => {
    expect(await oauthRefusalOf(play({ respond, timeoutMs: 20 }).read(ID))).toContain(message);
  });

  test("may have 5,120 bytes", async () => {
    const shortest = JSON.stringify({ ...DOCUMENT, padding: "" }).length;
    const body = JSON.stringify({ ...DOCUMENT, padding: "x".repeat(5_120 - shortest) });
    const respond = () => new Response(body, json);
    expect(await oauthRefusalOf(play({ respond }).read(ID))).toBe("accepted");
  });

  test("names no reason of our network in a refusal", async () => {
    const respond = () => {
      throw new Error("ECONNREFUSED 10.1.2.3:443");
    };
    const message = await oauthRefusalOf(play({ respond }).read(ID));
    expect(message).toBe(
      "The description of the client cannot be read from client.example: the host did not answer in time, over https with a valid certificate. Start again in the client, which may register instead.",
    );
    expect(await oauthRefusalOf(play({ answers: [] }).read(ID))).toBe(message);
  });
});

describe("metadata documents", () => {
  test("are not used for ten minutes after a host was unreachable", async () => {
    let isOnline = false;
    const respond = () => {
      if (!isOnline) throw new Error("no route");
      return new Response("", { status: 404 });
    };
    const { reader, time } = play({ respond });
    expect(reader.works).toBe(true);
    await oauthRefusalOf(reader.read(ID));
    expect(reader.works).toBe(false);
    time.now += 599_999;
    expect(reader.works).toBe(false);
    time.now += 1;
    expect(reader.works).toBe(true);

    await oauthRefusalOf(reader.read(ID));
    expect(reader.works).toBe(false);
    // Any answer proves that the service reaches the internet.
    isOnline = true;
    await oauthRefusalOf(reader.read(ID));
    expect(reader.works).toBe(true);
  });

  test("are used though a client names a host without a public address", async () => {
    const { reader } = play({ answers: [["127.0.0.1"]] });
    await oauthRefusalOf(reader.read(ID));
    expect(reader.works).toBe(true);
  });
});

describe("the real request", () => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { key: CLIENT_KEY, cert: CLIENT_CERTIFICATE },
    fetch: (request) =>
      new URL(request.url).pathname === "/redirect"
        ? Response.redirect("https://client.example/elsewhere", 302)
        : Response.json({
            host: request.headers.get("host"),
            cookie: request.headers.get("cookie"),
          }),
  });
  afterAll(() => server.stop(true));
  const request = (host: string, path = "/", ca?: string) =>
    fetchPinned(
      "127.0.0.1",
      new URL(`https://${host}:${server.port}${path}`),
      { headers: {}, signal: AbortSignal.timeout(300_000) },
      ca,
    );
  const failureOf = (work: Promise<unknown>) =>
    work.then(
      () => "answered",
      (error: unknown) => (error as { code?: string }).code ?? "failed",
    );

  test("goes to the address and names the host", async () => {
    const response = await request("client.example", "/", CLIENT_CERTIFICATE);
    expect(await response.json()).toEqual({ host: `client.example:${server.port}`, cookie: null });
  });

  test("refuses a certificate of another host", async () => {
    expect(await failureOf(request("other.example", "/", CLIENT_CERTIFICATE))).toBe(
      "ERR_TLS_CERT_ALTNAME_INVALID",
    );
  });

  test("refuses a certificate that no authority signed", async () => {
    expect(await failureOf(request("client.example"))).toBe("DEPTH_ZERO_SELF_SIGNED_CERT");
  });

  test("does not follow a redirect", async () => {
    const response = await request("client.example", "/redirect", CLIENT_CERTIFICATE);
    expect(response.status).toBe(302);
  });
});
