import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { findPassword } from "#store/users.ts";
import { type BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";
import { createKey } from "../support/console-client.ts";

type World = Awaited<ReturnType<typeof openConsole>>;

/** Opens an address of another server, which the page's own `goto` cannot. */
async function visit(page: BrowserPage, url: string): Promise<void> {
  await page.cdp("Page.navigate", { url });
  await page.waitFor(
    `location.href === ${JSON.stringify(url)} && document.readyState === "complete"`,
  );
}

/** The status of `GET me`, sent by a page of the console. */
const statusOfMe = (page: BrowserPage) =>
  page.evaluate<number>(`fetch("/console/api/me").then(({ status }) => status)`);

describe.skipIf(CHROMIUM === null)("in a real browser", () => {
  let world: World;
  let attacker: ReturnType<typeof Bun.serve>;
  /** A page on another port of this machine is the same site: the browser sends it our cookie. */
  let evil: string;
  beforeAll(async () => {
    world = await openConsole();
    attacker = Bun.serve({
      hostname: "127.0.0.1",
      port: 0,
      fetch: () => new Response("<!doctype html><title>evil</title>", HTML),
    });
    evil = `http://127.0.0.1:${attacker.port}/`;
  }, 600_000);
  afterAll(async () => {
    await attacker?.stop(true);
    await world?.close();
  });

  test("a link signs in, and its key leaves the address", async () => {
    expect(await statusOfMe(world.page)).toBe(200);
    expect(await world.page.evaluate<string>("location.href")).not.toContain("key=");
    expect(await world.page.evaluate<string>("document.cookie")).toBe("");
  });

  test("a page of another port can neither read nor change anything", async () => {
    const { page, service, user } = world;
    const api = `${service.origin}/console/api`;
    await visit(page, evil);
    const outcomes = await page.evaluate<string[]>(`Promise.all([
      fetch("${api}/me", { credentials: "include" }),
      fetch("${api}/users/${user}/link", { method: "POST", credentials: "include" }),
      fetch("${api}/session", { method: "DELETE", credentials: "include" }),
      fetch("${api}/password", {
        method: "POST", credentials: "include",
        headers: { "content-type": "application/json" }, body: '{"password":"planted password"}',
      }),
      fetch("${api}/password", {
        method: "POST", credentials: "include", mode: "no-cors", body: '{"password":"planted password"}',
      }),
      fetch("${api}/users/${user}/link", { method: "POST", credentials: "include", mode: "no-cors" }),
    ].map((one) => one.then(({ type }) => type, () => "refused")))`);
    // An opaque answer was sent without CORS, but no script can read it; the resource policy refuses it.
    expect(outcomes).toEqual(Array<string>(6).fill("refused"));
    expect(service.access.run(findPassword(1))).toBeNull();
    const actions = service.accounts
      .listAudit({ limit: 100 })
      .map(({ actor, action }) => [actor, action]);
    expect(actions).not.toContainEqual([user, "link created"]);
    expect(actions).not.toContainEqual([user, "sign-out"]);
  });

  test("a form of another page changes nothing", async () => {
    const { page, service } = world;
    await visit(page, evil);
    const target = `${service.origin}/console/api/password`;
    await page.evaluate(`(() => {
      const form = document.createElement("form");
      form.method = "post";
      form.enctype = "text/plain";
      form.action = ${JSON.stringify(target)};
      const field = document.createElement("input");
      field.name = '{"password":"planted password","x":"';
      field.value = '"}';
      form.append(field);
      document.body.append(form);
      form.submit();
      return 1;
    })()`);
    await page.waitFor(`location.href === ${JSON.stringify(target)}`);
    expect(await page.evaluate<string>("document.body.innerText")).toContain("another origin");
    expect(service.access.run(findPassword(1))).toBeNull();
  });

  test("a frame of another page does not show the console", async () => {
    const { page, service } = world;
    await visit(page, evil);
    const isEmpty = await page.evaluate<boolean>(`new Promise((done) => {
      const frame = document.createElement("iframe");
      frame.src = "${service.origin}/console";
      // A refused frame loads an error page of another origin, which has no document for us.
      frame.onload = () => done(frame.contentDocument === null);
      document.body.append(frame);
    })`);
    expect(isEmpty).toBe(true);
    const tree = await page.cdp<{ frameTree: { childFrames?: { frame: { url: string } }[] } }>(
      "Page.getFrameTree",
    );
    const urls = (tree.frameTree.childFrames ?? []).map(({ frame }) => frame.url);
    expect(urls.filter((url) => url.startsWith(service.origin))).toEqual([]);
  });

  test("the session continues after the attacks, and ends by signing out", async () => {
    const { page } = world;
    await page.goto("/console");
    expect(await statusOfMe(page)).toBe(200);
    const { cookies } = await page.cdp<{ cookies: { name: string; value: string }[] }>(
      "Network.getCookies",
    );
    expect(cookies.map(({ name }) => name)).toEqual(["bourse"]);
    await page.evaluate(`fetch("/console/api/session", { method: "DELETE" })`);
    const [cookie] = cookies;
    const stolen = await fetch(`${world.service.origin}/console/api/me`, {
      headers: { cookie: `bourse=${cookie?.value}` },
    });
    expect(stolen.status).toBe(401);
    expect(await statusOfMe(page)).toBe(401);
  });

  test("a link that was used or has expired says so", async () => {
    const { page, service, user } = world;
    const used = createKey(service, user);
    const expired = createKey(service, user);
    const post = (key: string) =>
      page.evaluate<string>(`fetch("/console/api/session", {
        method: "POST", headers: { "content-type": "application/json" },
        body: JSON.stringify({ key: "${key}" }),
      }).then((response) => response.text())`);
    expect(await post(used)).toContain(`"user":"${user}"`);
    expect(await post(used)).toContain("used before or has expired");
    service.time.now += 15 * 60_000;
    expect(await post(expired)).toContain("used before or has expired");
  });
});

const HTML = { headers: { "content-type": "text/html" } };
