import { createHmac } from "node:crypto";
import { join } from "node:path";
import addFormats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, describe, expect, test } from "bun:test";
import { findChannelFault, createWebhookSecret, readWebhookSecret } from "#alerts/channel.ts";
import { ChannelTests } from "#alerts/channel-tests.ts";
import { createNtfyRequest, encodeHeader } from "#alerts/ntfy.ts";
import { cutToBytes, cutToLength, type OutgoingMessage } from "#alerts/outgoing.ts";
import { joinMessages } from "#alerts/several.ts";
import { send, type SendParts } from "#alerts/send.ts";
import { createWebhookRequest, signWebhook, webhookSchema } from "#alerts/webhook.ts";
import type { Channel } from "#domain/alert.ts";
import { fetchPinned, OUTSIDE_NETWORK, type OutsideNetwork } from "#lib/outside-network.ts";
import { CLIENT_CERTIFICATE, CLIENT_KEY, LOCALHOST_CERTIFICATE } from "../support/certificate.ts";
import { expectError } from "../support/error.ts";
import { playSmtp } from "../support/played-smtp.ts";

const NOW = Date.parse("2026-11-20T17:30:00.500Z");
const SECRET = `whsec_${Buffer.from("k".repeat(32)).toString("base64")}`;
const MESSAGE: OutgoingMessage = {
  id: "msg_0123456789abcdef",
  alert: "fpt-thesis",
  kind: "thesis",
  at: Date.parse("2026-11-20T08:00:00Z"),
  title: "FPT: luận điểm không còn đúng – 株価",
  body: "ROE 24.1 % (before: 25.3 %)\n< 25 & falling",
  link: "https://data.example.com/symbol/VN/FPT",
  facts: { symbol: "FPT" },
};
const webhook = (url: string): Channel => ({ name: "hook", kind: "webhook", url, secret: SECRET });
const ntfy: Channel = { name: "phone", kind: "ntfy", url: "https://ntfy.example/topic" };
const CLOSED = { mail: null, networks: [] };

describe("a webhook", () => {
  test("is signed as the example of the specification's libraries", async () => {
    // https://github.com/standard-webhooks/standard-webhooks, libraries/*/tests
    const key = readWebhookSecret("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw") ?? new Uint8Array();
    const body = '{"test": 2432232314}';
    expect(signWebhook(key, "msg_p5jXN8AQM9LWM0D4loKWxJek", "1614265330", body)).toBe(
      "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    );
  });

  test("has the id of the message, the second of the attempt and a signature of its bytes", async () => {
    const url = "https://hooks.example/a?b=c";
    const { headers, body } = createWebhookRequest(webhook(url), MESSAGE, NOW);
    const signed = `msg_0123456789abcdef.1795195800.${body}`;
    const signature = createHmac("sha256", "k".repeat(32)).update(signed).digest("base64");
    expect(headers).toEqual({
      "Content-Type": "application/json",
      "webhook-id": "msg_0123456789abcdef",
      "webhook-timestamp": "1795195800",
      "webhook-signature": `v1,${signature}`,
    });
    expect(JSON.parse(body)).toEqual({
      type: "alert.thesis",
      timestamp: "2026-11-20T08:00:00.000Z",
      data: {
        alert: "fpt-thesis",
        title: MESSAGE.title,
        text: MESSAGE.body,
        link: MESSAGE.link,
        facts: { symbol: "FPT" },
      },
    });
  });

  test("has the documented schema, alone and with others", async () => {
    const readme = await Bun.file(join(import.meta.dir, "../../src/alerts/README.md")).text();
    const [example, schema] = [...readme.matchAll(/```json\n(.*?)```/gs)].map(
      ([, json = ""]) => JSON.parse(json) as object,
    );
    // OpenAPI has the same.
    expect(schema).toEqual({
      $schema: "https://json-schema.org/draft/2020-12/schema",
      ...webhookSchema({ $ref: "#" }),
    });
    const ajv = addFormats(new Ajv2020());
    const check = ajv.compile(schema ?? {});
    const bodyOf = (message: OutgoingMessage) =>
      JSON.parse(createWebhookRequest(webhook("https://a.example"), message, NOW).body) as unknown;
    const several = joinMessages("msg_1", [MESSAGE, { ...MESSAGE, link: null }], {});
    for (const body of [example, bodyOf(MESSAGE), bodyOf(several)])
      expect([check(body), check.errors]).toEqual([true, null]);
    expect(check(bodyOf({ ...MESSAGE, title: 1 as unknown as string }))).toBe(false);
  });

  test.each([
    ["https://discord.com/api/webhooks/1/x", "content", 2_000],
    ["https://discordapp.com/api/webhooks/1/x", "content", 2_000],
    ["https://canary.discord.com/api/webhooks/1/x", "content", 2_000],
    ["https://ptb.discordapp.com/api/v10/webhooks/1/x", "content", 2_000],
    ["https://discord.com/api/webhooks/1/x/slack", "text", 4_000],
    ["https://hooks.slack.com/services/T/B/x", "text", 4_000],
    ["https://hooks.slack-gov.com/services/T/B/x", "text", 4_000],
  ])("to %s has the text as %s", async (url, field, most) => {
    const read = (message: OutgoingMessage) =>
      JSON.parse(createWebhookRequest(webhook(url), message, NOW).body) as Record<string, string>;
    const text = `${MESSAGE.title}\n${MESSAGE.body}\n${MESSAGE.link}`;
    const slack = text.replace("< 25 &", "&lt; 25 &amp;");
    expect(read(MESSAGE)[field]).toBe(field === "text" ? slack : text);
    const long = read({ ...MESSAGE, body: "😀".repeat(9_000) })[field] ?? "";
    expect(long.length).toBeLessThanOrEqual(most);
    expect(long.isWellFormed()).toBe(true);
    expect(long).toEndWith(`…\n${MESSAGE.link}`);
  });

  test.each(["constructor", "__proto__"])("to https://%s is no chat's", (host) => {
    const { body } = createWebhookRequest(webhook(`https://${host}/`), MESSAGE, NOW);
    const plain = createWebhookRequest(webhook("https://a.example"), MESSAGE, NOW);
    expect(body).toBe(plain.body);
  });

  test("mentions everyone in no channel of Discord", async () => {
    const url = "https://discord.com/api/webhooks/1/x";
    const { body } = createWebhookRequest(webhook(url), MESSAGE, NOW);
    expect(JSON.parse(body)).toMatchObject({ allowed_mentions: { parse: [] } });
  });
});

describe("ntfy", () => {
  test("gets title, priority, tags, click, id and token as headers", () => {
    expect(
      createNtfyRequest({ ...ntfy, secret: "tk_1" }, { ...MESSAGE, title: "FPT fell" }),
    ).toEqual({
      headers: {
        "Content-Type": "text/plain; charset=utf-8",
        Title: "FPT fell",
        Priority: "4",
        Tags: "warning",
        Click: "https://data.example.com/symbol/VN/FPT",
        "X-Sequence-ID": "msg_0123456789abcdef",
        Authorization: "Bearer tk_1",
      },
      body: MESSAGE.body,
    });
    const bare = createNtfyRequest(ntfy, { ...MESSAGE, kind: "condition", link: null, body: "" });
    expect(Object.keys(bare.headers)).not.toContain("Authorization");
    expect(Object.keys(bare.headers)).not.toContain("Click");
    expect([bare.headers["Priority"], bare.body]).toEqual(["3", MESSAGE.title]);
  });

  test.each([
    "FPT: luận điểm không còn đúng",
    "トヨタ自動車の株価が2,800円を下回りました。".repeat(4),
    "😀".repeat(40),
    " spaces at both ends ",
    "=?UTF-8?B?no?=",
    "é",
  ])("reads the title %j", (title) => {
    const header = encodeHeader(title);
    expect(header).toMatch(/^[\x21-\x7e]([\x20-\x7e]*[\x21-\x7e])?$/);
    // As Go's mime.WordDecoder: the words one after another, without the spaces between them.
    const words = header.split(" ").map((word) => {
      expect(word.length).toBeLessThanOrEqual(75);
      return /^=\?UTF-8\?B\?(.+)\?=$/.exec(word)?.[1] ?? "";
    });
    const decoder = new TextDecoder("utf-8", { fatal: true });
    expect(words.map((word) => decoder.decode(Buffer.from(word, "base64"))).join("")).toBe(title);
  });

  test("gets a title of ASCII as it is", () => {
    expect(encodeHeader("AAPL < 380 USD")).toBe("AAPL < 380 USD");
  });

  test("gets at most 4,096 bytes, because more arrive as a file", () => {
    const { body } = createNtfyRequest(ntfy, { ...MESSAGE, body: "株".repeat(3_000) });
    expect(Buffer.byteLength(body)).toBeLessThanOrEqual(4_096);
    expect(body).toBe(`${"株".repeat(1_364)}…`);
  });
});

test("a text is cut between characters", () => {
  expect(cutToBytes("aé😀", 7)).toBe("aé😀");
  expect(cutToBytes("aé😀b", 7)).toBe("aé…");
  expect(cutToLength("a😀bc", 4)).toBe("a😀…".slice(0, 4));
  expect(cutToLength("aa😀bc", 4)).toBe("aa…");
});

describe("a channel", () => {
  const mail = {
    host: "m",
    port: 1,
    isTls: true,
    user: null,
    password: null,
    from: "b@example.com",
  };
  const HOME = { mail: null, networks: ["192.168.1.0/24"] };
  test.each<[Partial<Channel>, typeof CLOSED | typeof HOME, string]>([
    [{ kind: "mail", address: "anna@example.com" }, CLOSED, "This service sends no mail."],
    [{ url: "ftp://hooks.example/x" }, CLOSED, "begins with https://"],
    [{ url: "http://hooks.example/x" }, CLOSED, "Over plain http"],
    [{ url: "https://anna:pw@hooks.example/x" }, CLOSED, "has a user and a password"],
    [{ kind: "ntfy", url: "https://ntfy.sh" }, CLOSED, "with the topic at its end"],
    [{ kind: "ntfy", url: "https://ntfy.sh/" }, HOME, "with the topic at its end"],
    [{ url: "https://192.168.1.5/x" }, CLOSED, "can allow private ones with BOURSE_ALERT_NETWORKS"],
    [{ url: "https://2130706433/x" }, HOME, "no public address"],
    [{ url: "https://[::ffff:10.0.0.1]/x" }, HOME, "no public address"],
    [{ url: "http://192.168.2.5/x" }, HOME, "not in a network that BOURSE_ALERT_NETWORKS allows"],
    [{ kind: "ntfy", url: "http://127.0.0.1:2586/topic" }, CLOSED, "BOURSE_ALERT_NETWORKS"],
    [{ url: "https://hooks.example/x", secret: "abc" }, CLOSED, "is whsec_ and base64"],
    [{ url: "https://hooks.example/x", secret: "whsec_YWJj" }, CLOSED, "24 to 64 bytes"],
  ])("is refused: %j", (channel, places, why) => {
    const fault = findChannelFault({ name: "one", kind: "webhook", ...channel }, places);
    expect(fault).toContain(why);
    expect(fault).not.toContain("pw");
  });

  test.each<[Partial<Channel>]>([
    [{ url: "https://hooks.example/x" }],
    [{ url: "https://8.8.8.8/x" }],
    [{ url: "https://[2606:4700::1111]/x" }],
    [{ url: "http://192.168.1.5:8123/api/webhook/x", secret: createWebhookSecret() }],
    [{ kind: "ntfy", url: "https://ntfy.sh/topic", secret: "tk_x" }],
    [{ kind: "mail", address: "anna@example.com" }],
  ])("is accepted: %j", (channel) => {
    const places = { mail, networks: ["192.168.1.0/24"] };
    expect(findChannelFault({ name: "one", kind: "webhook", ...channel }, places)).toBeNull();
  });
});

/** A host at an address that is played. */
function play(respond: (url: URL) => Promise<Response>, addresses = ["93.184.215.14"]) {
  const asked: string[] = [];
  const network: OutsideNetwork = {
    async resolve(host) {
      asked.push(`resolve ${host}`);
      return addresses;
    },
    fetchFrom(address, url) {
      asked.push(`post ${address}`);
      return respond(url);
    },
  };
  return { asked, network };
}

const partsOf = (network: OutsideNetwork, more: Partial<SendParts> = {}): SendParts => ({
  places: CLOSED,
  network,
  clock: () => NOW,
  timeoutMs: 30_000,
  ...more,
});
const URL_WITH_TOKEN = "https://hooks.example/api/T0KEN-1234?key=k3y-5678";

describe("an answer", () => {
  const answer = (status: number, headers = {}, body = "") =>
    new Response(body || null, { status, headers: { "Content-Type": "text/plain", ...headers } });
  const none = { waitMs: 0 };
  test.each<[string, Response, object]>([
    ["204", answer(204), { is: "sent", said: "The receiver answers 204" }],
    [
      "200",
      answer(200, {}, "ok\u0007 fine"),
      { is: "sent", said: "The receiver answers 200: ok� fine" },
    ],
    ["301", answer(301, { Location: "http://169.254.169.254/" }), { is: "failed", ...none }],
    [
      "404",
      answer(404),
      { is: "failed", error: "The receiver answers 404. Check the url of the channel.", ...none },
    ],
    [
      "410",
      answer(410),
      { is: "gone", error: "The receiver answers 410: it wants no more messages.", ...none },
    ],
    ["429", answer(429, { "Retry-After": "1.5" }), { is: "failed", waitMs: 1_500 }],
    [
      "503 until a date",
      answer(503, { "Retry-After": "Fri, 20 Nov 2026 17:31:00 GMT" }),
      { is: "failed", waitMs: 59_500 },
    ],
    [
      "503 for a year",
      answer(503, { "Retry-After": "31536000" }),
      { is: "failed", waitMs: 86_400_000 },
    ],
    ["503 with nonsense", answer(503, { "Retry-After": "soon" }), { is: "failed", ...none }],
    ["503 in the past", answer(503, { "Retry-After": "-5" }), { is: "failed", ...none }],
  ])("of %s", async (_, response, outcome) => {
    const { network } = play(async () => response);
    expect(await send(partsOf(network), webhook(URL_WITH_TOKEN), MESSAGE)).toMatchObject(outcome);
  });

  test("that repeats the address and the secret shows neither", async () => {
    const { network } = play(async (url) =>
      answer(400, {}, `no ${url.href} ${SECRET} T0KEN-1234 k3y-5678`),
    );
    const outcome = JSON.stringify(await send(partsOf(network), webhook(URL_WITH_TOKEN), MESSAGE));
    expect(outcome).toContain("no … … … …");
    for (const secret of [SECRET, "T0KEN", "k3y"]) expect(outcome).not.toContain(secret);
  });

  test.each([
    ["where it is cut", (url: URL) => `${"x".repeat(190)} ${url.pathname}`],
    ["decoded", (url: URL) => decodeURIComponent(url.pathname).slice(5)],
    ["as a query without a name", (url: URL) => `unknown ${url.search.slice(1)}`],
    ["after a number sign", (url: URL) => url.hash],
    ["in JSON with escapes", (url: URL) => url.pathname.slice(4).replaceAll("/", String.raw`\/`)],
  ])("that repeats a part %s shows none", async (_, repeat) => {
    const url = "https://hooks.example/api/S%C3%A9cr%C3%A9t/T0KEN-1?Whol3Query#Fr4gment";
    const { network } = play(async (asked) => answer(400, {}, repeat(asked)));
    const outcome = JSON.stringify(await send(partsOf(network), webhook(url), MESSAGE));
    expect(outcome).toContain("…");
    expect(outcome).not.toMatch(/S.{0,8}cr|T0K|Whol3|Fr4g/);
  });

  test.each([
    ["a loopback address", ["127.0.0.1"]],
    ["one private address of two", ["93.184.215.14", "10.0.0.1"]],
    ["the metadata of a cloud", ["169.254.169.254"]],
    ["no address", []],
  ])("is not asked of a host at %s", async (_, addresses) => {
    const { asked, network } = play(async () => answer(200), addresses);
    const outcome = await send(partsOf(network), webhook(URL_WITH_TOKEN), MESSAGE);
    expect(outcome).toMatchObject({ is: "failed" });
    expect(JSON.stringify(outcome)).toContain("no public address");
    expect(asked).toEqual(["resolve hooks.example"]);
  });

  test("is asked of a network that the operator allows, there over plain http", async () => {
    const home = { places: { mail: null, networks: ["192.168.1.0/24"] } };
    const at = (address: string) => play(async () => answer(200), [address]);
    const hook = webhook("http://homeassistant.local:8123/api/webhook/x");
    const inside = at("192.168.1.5");
    expect(await send(partsOf(inside.network, home), hook, MESSAGE)).toMatchObject({ is: "sent" });
    for (const address of ["93.184.215.14", "192.168.2.5", "127.0.0.1"]) {
      const { asked, network } = at(address);
      const outcome = JSON.stringify(await send(partsOf(network, home), hook, MESSAGE));
      expect(outcome).toContain("BOURSE_ALERT_NETWORKS");
      expect(asked).toHaveLength(1);
    }
  });
});

describe("a test of a channel", () => {
  const open = (respond: () => Response) => {
    const time = { now: NOW };
    const { asked, network } = play(async () => respond());
    const tests = new ChannelTests({
      ...partsOf(network, { clock: () => time.now }),
      publicUrl: null,
    });
    const run = (user = "anna") => tests.test(user, webhook(URL_WITH_TOKEN), { language: "vi" });
    return { asked, time, run };
  };

  test("says what the receiver answers", async () => {
    expect(await open(() => new Response(null, { status: 204 })).run()).toEqual({
      isSent: true,
      said: "The receiver answers 204",
    });
    expect(await open(() => new Response(null, { status: 410 })).run()).toEqual({
      isSent: false,
      said: "The receiver answers 410: it wants no more messages.",
    });
  });

  test("is refused after ten in a minute", async () => {
    const { asked, time, run } = open(() => new Response());
    for (let i = 0; i < 10; i++) await run();
    const { message } = await expectError(run, "rate_limited");
    expect(message).toBe("A user may test channels 10 times a minute. Wait a minute.");
    await run("ben");
    time.now += 60_000;
    await run();
    expect(asked.filter((line) => line.startsWith("post"))).toHaveLength(12);
  });
});

describe("a receiver", () => {
  const places = { mail: null, networks: ["127.0.0.0/8"] };
  const seen: { headers: Headers; body: string }[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const { pathname } = new URL(request.url);
      seen.push({ headers: request.headers, body: await request.text() });
      if (pathname === "/hang") return new Promise<Response>(() => {});
      if (pathname === "/redirect") return Response.redirect("/elsewhere", 307);
      const endless = new ReadableStream({
        pull: (stream) => stream.enqueue(new Uint8Array(65_536).fill(0x61)),
      });
      if (pathname === "/endless")
        return new Response(endless, { headers: { "Content-Type": "text/plain" } });
      return new Response("taken", { headers: { "Content-Type": "text/plain" } });
    },
  });
  const secure = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { key: CLIENT_KEY, cert: CLIENT_CERTIFICATE },
    fetch: () => new Response(),
  });
  afterAll(() => Promise.all([server.stop(true), secure.stop(true)]));
  const at = (path: string) => webhook(`http://127.0.0.1:${server.port}${path}`);
  const sendTo = (channel: Channel, timeoutMs = 30_000, network = OUTSIDE_NETWORK) =>
    send(partsOf(network, { places, timeoutMs }), channel, MESSAGE);

  test("gets the request as it was signed", async () => {
    expect(await sendTo(at("/hook"))).toEqual({
      is: "sent",
      said: "The receiver answers 200: taken",
    });
    const { headers, body } = seen.at(-1) ?? { headers: new Headers(), body: "" };
    const signed = `${headers.get("webhook-id")}.${headers.get("webhook-timestamp")}.${body}`;
    const signature = createHmac("sha256", "k".repeat(32)).update(signed).digest("base64");
    expect(headers.get("webhook-signature")).toBe(`v1,${signature}`);
    expect(headers.get("user-agent")).toBe("bourse");
  });

  test("that is ntfy gets its headers", async () => {
    const url = `http://127.0.0.1:${server.port}/topic`;
    expect(await sendTo({ ...ntfy, url })).toMatchObject({ is: "sent" });
    expect(seen.at(-1)?.headers.get("title")).toStartWith("=?UTF-8?B?");
    expect(seen.at(-1)?.headers.get("priority")).toBe("4");
    expect(seen.at(-1)?.body).toBe(MESSAGE.body);
  });

  test.each([
    ["hangs", "/hang", 50, { is: "failed", error: "The receiver does not answer in time." }],
    [
      "answers without an end",
      "/endless",
      30_000,
      { is: "sent", said: "The receiver answers 200" },
    ],
    ["redirects", "/redirect", 30_000, { is: "failed" }],
  ])("that %s", async (_, path, timeoutMs, outcome) => {
    const before = seen.length;
    expect(await sendTo(at(path), timeoutMs)).toMatchObject(outcome);
    expect(seen).toHaveLength(before + 1);
  });

  test("that is not there or has a wrong certificate is named without its address", async () => {
    const closed = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() });
    await closed.stop(true);
    const gone = await sendTo(webhook(`http://127.0.0.1:${closed.port}/x`));
    expect(gone).toMatchObject({ error: "The receiver cannot be reached." });
    const alone = await sendTo(webhook(`https://127.0.0.1:${secure.port}/x`));
    expect(JSON.stringify(alone)).toContain("does not prove by its certificate");
    const named: OutsideNetwork = {
      resolve: async () => ["127.0.0.1"],
      fetchFrom: (...request) => fetchPinned(...request, CLIENT_CERTIFICATE),
    };
    const other = `https://other.example:${secure.port}/x`;
    expect(JSON.stringify(await sendTo(webhook(other), 30_000, named))).toContain("ALTNAME");
    const right = webhook(`https://client.example:${secure.port}/x`);
    expect(await sendTo(right, 30_000, named)).toMatchObject({ is: "sent" });
    const unknown = await sendTo(webhook("https://nowhere.invalid/x"));
    expect(JSON.stringify(unknown)).not.toContain("nowhere");
  });
});

describe("mail", () => {
  const channel: Channel = { name: "mail", kind: "mail", address: "anna@example.com" };
  const sendBy = (
    { port }: { readonly port: number },
    server: { isTls?: boolean; user?: string | null; host?: string } = {},
    more: Partial<SendParts> = {},
  ) => {
    const { isTls = false, user = "bourse@example.com", host = "localhost" } = server;
    const password = user === null ? null : "pässword";
    const mail = { host, port, isTls, user, password, from: "bourse@example.com" };
    const parts = { places: { mail, networks: [] }, mailCa: LOCALHOST_CERTIFICATE, ...more };
    return send(partsOf(OUTSIDE_NETWORK, parts), channel, MESSAGE);
  };

  test.each([["starttls", false] as const, ["tls", true] as const])(
    "is sent with %s, signed in",
    async (tls, isTls) => {
      using smtp = await playSmtp({ tls });
      expect(await sendBy(smtp, { isTls })).toMatchObject({ is: "sent" });
      const [mail] = smtp.mails;
      expect(mail).toMatchObject({ isSecret: true, signIn: "bourse@example.com pässword" });
      expect([mail?.from, mail?.to]).toEqual(["<bourse@example.com>", "<anna@example.com>"]);
      expect(mail?.text).toContain("Message-ID: <msg_0123456789abcdef@example.com>\n");
      expect(mail?.text).toContain("Date: Fri, 20 Nov 2026 17:30:00 +0000\n");
      expect(mail?.text).toContain("Auto-Submitted: auto-generated\n");
      const subject = /Subject: ((?:.|\n )*)\n/.exec(mail?.text ?? "")?.[1] ?? "";
      // Words of RFC 2047 in quoted-printable.
      const bytes = [...subject.matchAll(/=\?UTF-8\?Q\?(.*?)\?=/g)]
        .map(([, word = ""]) => word.replaceAll("_", " "))
        .join("")
        .replaceAll(/=(..)/g, (_code, hex: string) =>
          String.fromCharCode(Number.parseInt(hex, 16)),
        );
      expect(Buffer.from(bytes, "latin1").toString()).toBe(MESSAGE.title);
    },
  );

  test("is sent to a relay without a user, with TLS or without", async () => {
    for (const [tls, isSecret] of [["none", false] as const, ["starttls", true] as const]) {
      using smtp = await playSmtp({ tls });
      // Its certificate is valid for another name.
      expect(await sendBy(smtp, { user: null, host: "127.0.0.1" })).toMatchObject({ is: "sent" });
      expect(smtp.mails[0]).toMatchObject({ isSecret, signIn: null });
    }
  });

  test.each([
    ["has no TLS", "none", {}, {}, "failed", "has no TLS with a valid certificate"],
    [
      "has a wrong certificate",
      "tls",
      { isTls: true, host: "127.0.0.1" },
      {},
      "failed",
      "valid certificate",
    ],
    [
      "has a wrong certificate later",
      "starttls",
      { host: "127.0.0.1" },
      {},
      "failed",
      "valid certificate",
    ],
    [
      "refuses the password",
      "starttls",
      {},
      { AUTH: "535 no pässword" },
      "failed",
      "refuses the user",
    ],
    [
      "refuses the mailbox",
      "starttls",
      {},
      { RCPT: "550 no anna@example.com" },
      "refused",
      "answers 550",
    ],
    ["is busy", "starttls", {}, { RCPT: "451 later" }, "failed", "answers 451"],
    ["refuses the text", "starttls", {}, { DATA: "554 spam" }, "refused", "answers 554"],
    ["speaks nonsense", "none", {}, { GREETING: "SSH-2.0" }, "failed", "does not answer as"],
  ] as const)("to a server that %s", async (_, tls, server, answers, is, why) => {
    using smtp = await playSmtp({ tls, answers });
    const outcome = await sendBy(smtp, server);
    expect(outcome).toMatchObject({ is });
    expect(JSON.stringify(outcome)).toContain(why);
    for (const secret of ["pässword", "anna@", "localhost"])
      expect(JSON.stringify(outcome)).not.toContain(secret);
    expect(smtp.mails).toEqual([]);
  });

  test("is given up if the server hangs", async () => {
    using smtp = await playSmtp({ tls: "none", answers: { GREETING: "" } });
    expect(await sendBy(smtp, {}, { timeoutMs: 50 })).toMatchObject({ is: "failed" });
  });
});
