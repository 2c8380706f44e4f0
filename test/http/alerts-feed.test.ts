import { afterAll, describe, expect, test } from "bun:test";
import { messageText } from "#operations/alerts/message-text.ts";
import type { AlertFacts } from "#operations/alerts/message.ts";
import { putMessage } from "#store/alerts.ts";
import { findUser } from "#store/users.ts";
import { START, startService } from "../support/service.ts";

const service = await startService({ env: { BOURSE_PUBLIC_URL: "https://data.example.com" } });
afterAll(() => service.stop());

const { access, accounts } = service;
const APPLE = { country: "US", symbol: "AAPL", name: "Apple <Inc.>", assetType: "stock" } as const;
const FACTS: AlertFacts = {
  kind: "event",
  event: "rating_change",
  of: APPLE,
  before: "Buy",
  after: "Hold",
};

/** A user with as many messages, and a feed link that reads these lists. */
function createReader(messages: number, lists: readonly string[]) {
  const { user, token } = service.createToken();
  const userId = access.run(findUser(user))?.id ?? 0;
  for (let i = 0; i < messages; i++) {
    const id = `msg_${user}${i}`.replaceAll("-", "");
    const message = { id, alert: "a", kind: "event", at: START + i, facts: JSON.stringify(FACTS) };
    access.run(putMessage(userId, { ...message, kind: "event" }, []));
  }
  const { token: link } = accounts.createToken(user, "feed", null, "feed", [], lists);
  return { user, token, link };
}

const get = (path: string, init: RequestInit = {}) => fetch(`${service.origin}/feed/${path}`, init);

/** A part of XML as its parser gives it. */
const textsOf = async (xml: string, selector: string) => {
  const texts: string[] = [];
  let text = "";
  const rewriter = new HTMLRewriter().on(selector, {
    element(element) {
      text = "";
      element.onEndTag(() => void texts.push(text));
    },
    text: (chunk) => void (text += chunk.text),
  });
  await rewriter.transform(new Response(xml)).text();
  return texts;
};

describe("the feed of alerts", () => {
  test("has the messages of its user, newest first, with ids, text and links", async () => {
    const { link } = createReader(2, ["alerts:read"]);
    createReader(1, []);
    const response = await get(`${link}/alerts.atom`);
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toBe("application/atom+xml; charset=utf-8");
    const xml = await response.text();
    const { title, link: page } = messageText(FACTS, {});
    expect(await textsOf(xml, "entry > title")).toEqual([
      Bun.escapeHTML(title),
      Bun.escapeHTML(title),
    ]);
    expect(await textsOf(xml, "entry > updated")).toEqual(
      [START + 1, START].map((at) => new Date(at).toISOString()),
    );
    expect(xml).toContain(`<link href="https://data.example.com${page}"/>`);
    const ids = await textsOf(xml, "entry > id");
    expect(new Set(ids).size).toBe(2);
    expect(await (await get(`${link}/alerts.atom`)).text()).toBe(xml);
  });

  test("has at most 100, and none is a feed too", async () => {
    const many = createReader(101, ["alerts:read"]);
    const xml = await (await get(`${many.link}/alerts.atom`)).text();
    expect(await textsOf(xml, "entry > id")).toHaveLength(100);
    const none = createReader(0, ["alerts:read"]);
    expect(await (await get(`${none.link}/alerts.atom`)).text()).toContain("<updated>");
  });

  test("is read only by a link whose user ticked it, or by a token", async () => {
    const { user, token, link } = createReader(1, []);
    const refused = await get(`${link}/alerts.atom`);
    expect(refused.status).toBe(403);
    expect(await refused.text()).toContain('Tick "Messages of your alerts"');
    const headers = { authorization: `Bearer ${token}` };
    expect((await get("alerts.atom", { headers })).status).toBe(200);
    const dated = accounts.createToken(user, "d", null, "feed", [], [], "2026-01-01").token;
    const past = await get(`${dated}/alerts.atom`);
    expect([past.status, await past.text()]).toEqual([
      403,
      "This token is in 2026-01-01 and reads no alerts, because they are as of today.\n",
    ]);
  });

  test("gives a link no list, and no list gives it alerts", async () => {
    const { link } = createReader(1, ["alerts:read"]);
    const list = await get(`${link}/sheets/quotes.csv?symbols=list:alerts:read`);
    expect([list.status, (await list.text()).includes("No list can be read here.")]).toEqual([
      404,
      true,
    ]);
  });
});
