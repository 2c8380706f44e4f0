import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { BrowserPage, CHROMIUM, openConsole } from "../support/browser.ts";
import { ConsoleClient } from "../support/console-client.ts";
import { freePort } from "../support/free-port.ts";
import { PlayedProvider } from "../support/played-provider.ts";
import { startProxy } from "../support/played-proxy.ts";
import { COMMAND_LINE } from "#access/audit.ts";
import { SignIn } from "#access/sign-in.ts";
import { UserData } from "#access/user-data.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

const heading = (text: string) => `document.querySelector("h1")?.innerText === "${text}"`;
const SIZES = [
  [390, 844],
  [1024, 768],
  [1440, 900],
] as const;

describe.skipIf(CHROMIUM === null)("sign-in by an OpenID provider", () => {
  const provider = new PlayedProvider();
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    const port = freePort();
    const env = { ...provider.env, BOURSE_PUBLIC_URL: `http://127.0.0.1:${port}` };
    opened = await openConsole({ env, port, signedIn: false });
    provider.person = { sub: "1", preferred_username: "carla" };
  });
  afterAll(async () => {
    await opened?.close();
    await provider.stop();
  });
  /** Requests to the provider are wanted. */
  const problems = () => opened.page.problems.filter((one) => !one.includes(provider.issuer));

  test("a click leads to the provider and back to the page that was wanted, without the code", async () => {
    const { page, service } = opened;
    await page.goto("/console/tokens?client=Cursor");
    for (const theme of ["light", "dark"] as const) {
      await page.setTheme(theme);
      for (const [width, height] of SIZES) {
        await page.resize(width, height);
        await page.screenshot(`sign-in-provider-${width}-${theme}`);
        expect(await page.isWide()).toBe(false);
      }
    }
    expect(await page.violations()).toEqual([]);
    await page.clickText(`Sign in with ${new URL(provider.issuer).host}`);
    await page.waitFor(heading("Tokens"));
    expect(await page.evaluate<string>("location.pathname + location.search")).toBe(
      "/console/tokens?client=Cursor",
    );
    expect(await page.text(".user")).toBe("carla");
    expect(await page.evaluate<string>("document.cookie")).toBe("");
    // The address with the code is not in the history.
    await page.evaluate("history.back()");
    await page.waitFor(`!location.href.includes("code=")`);
    expect(service.accounts.listUsers().map(({ name, role }) => [name, role])).toEqual([
      ["carla", "user"],
      ["owner", "admin"],
    ]);
  });

  test("the page Account disconnects it, and connects it again", async () => {
    const { page, service } = opened;
    const { access, time } = service;
    const data = new UserData({
      access,
      clock: () => time.now,
      user: "carla",
      actor: COMMAND_LINE,
    });
    await data.saveSettings({ welcomed: true });
    await page.goto("/console/account");
    await page.waitFor(`document.body.innerText.includes("signs you in here.")`);
    await page.clickText("Disconnect");
    await page.clickText("Disconnect", "dialog[open]");
    await page.waitFor(`document.body.innerText.includes("Connect your account at")`);
    await page.clickText("Connect", "main");
    await page.waitFor(`document.body.innerText.includes("Your account at")`);
    expect(await page.text("h1")).toBe("Account");
    for (const language of ["ja", "vi", "en"] as const) {
      await data.saveSettings({ welcomed: true, language });
      for (const [width, height] of SIZES) {
        await page.resize(width, height);
        await page.goto("/console/account");
        await page.screenshot(`account-provider-${language}-${width}`);
        expect(await page.isWide()).toBe(false);
      }
    }
  });

  test("an account of another user is refused where the user can read it", async () => {
    const { page, service } = opened;
    await page.clickText("Disconnect");
    await page.clickText("Disconnect", "dialog[open]");
    await page.waitFor(`document.body.innerText.includes("Connect your account at")`);
    // Meanwhile another user connects the same account.
    service.access.run(
      (function* () {
        yield {
          sql: "INSERT INTO identities VALUES ($issuer, '1', (SELECT id FROM users WHERE name = 'owner'))",
          values: { issuer: provider.issuer },
        };
      })(),
    );
    await page.clickText("Connect", "main");
    await page.waitFor(`document.querySelector(".failure") !== null`);
    expect(await page.text("h1")).toBe("Account");
    expect(await page.text(".failure")).toContain("Another user of this service");
  });

  test("signs out, and a refusal of the provider is a sentence on the page", async () => {
    const { page } = opened;
    await page.clickText("Sign out", "[aria-label=You]");
    await page.waitFor(heading("Sign in"));
    provider.faults = { error: "access_denied" };
    await page.clickText(`Sign in with ${new URL(provider.issuer).host}`);
    await page.waitFor(`document.querySelector(".failure") !== null`);
    expect(await page.text(".failure")).toContain("did not sign you in: access_denied");
    expect(problems()).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === null)("sign-in by a proxy", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  let through: BrowserPage;
  let user = "anna";
  const proxy = startProxy({
    isPlain: true,
    request: (headers) => headers.set("Remote-User", user),
  });
  beforeAll(async () => {
    const env = { BOURSE_SIGN_IN_HEADER: "Remote-User", BOURSE_SIGN_IN_PROXIES: "127.0.0.1" };
    opened = await openConsole({ env, role: "user" });
    proxy.origin = opened.service.origin;
    opened.page.close();
    through = await BrowserPage.open(`http://127.0.0.1:${proxy.port}`);
  });
  afterAll(async () => {
    through?.close();
    await opened?.service.stop();
    await proxy.stop();
  });

  test("opens the wanted page at once, and follows the proxy to another user", async () => {
    await through.goto("/console/account");
    expect(await through.text("h1")).toBe("Account");
    expect(await through.text(".user")).toBe("anna");
    await through.clickText("Sign out", "[aria-label=You]");
    await through.waitFor(heading("Sign in"));
    expect(await through.texts("input[name=password]")).toEqual([]);
    await through.screenshot("sign-in-proxy");
    await through.clickText("Sign in as anna");
    await through.waitFor(heading("Account"));
    user = "owner";
    await through.goto("/console/account");
    expect(await through.text(".user")).toBe("owner");
    expect(through.problems).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === null)("an invitation", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => void (opened = await openConsole()));
  afterAll(() => opened?.close());
  const open = `document.querySelectorAll("[aria-label='Open invitations'] tbody tr").length`;

  test("is made and revoked on the page Admin", async () => {
    const { page } = opened;
    await page.goto("/console/admin?part=users");
    for (const note of ["Dora", "Emil"]) {
      await page.fill("input[name=note]", note);
      await page.clickText("Invite");
      await page.waitFor(`document.body.innerText.includes("${note}")`);
    }
    await page.waitFor(`${open} === 2`);
    for (const theme of ["light", "dark"] as const) {
      await page.setTheme(theme);
      for (const [width, height] of SIZES) {
        await page.resize(width, height);
        await page.screenshot(`admin-invitations-${width}-${theme}`);
        expect(await page.isWide()).toBe(false);
      }
    }
    expect(await page.violations()).toEqual([]);
    // The newest one is the first row.
    await page.clickText("Revoke", "[aria-label='Open invitations'] tbody tr");
    await page.waitFor(`${open} === 1`);
  });

  test("makes another person of the same browser a user, whose key leaves the address", async () => {
    const { page, service, user } = opened;
    const made = new SignIn(service.access, () => service.time.now).invite(
      { plan: "pro", note: "" },
      { name: user, address: null },
    );
    const { key } = await made;
    await page.goto(`/console#invite=${key}`);
    await page.waitFor(heading("You are invited"));
    expect(await page.evaluate<string>("location.href")).not.toContain("invite");
    for (const [width, height] of SIZES) {
      await page.resize(width, height);
      await page.screenshot(`invited-${width}`);
      expect(await page.isWide()).toBe(false);
    }
    expect(await page.violations()).toEqual([]);
    await page.fill("input[name=user]", user);
    await page.fill("input[name=password]", "correct horse battery");
    await page.clickText("Become a user");
    await page.waitFor(`document.querySelector(".failure") !== null`);
    expect(await page.text(".failure")).toContain("is taken");
    await page.fill("input[name=user]", "dora");
    await page.clickText("Become a user");
    await page.waitFor(`document.querySelector(".user")?.innerText === "dora"`);
    expect(page.problems.filter((one) => !one.includes("400"))).toEqual([]);
    const again = await new ConsoleClient(service).send("POST", "session", {
      body: { invitation: key, user: "eve", password: "correct horse battery" },
    });
    expect(again.status).toBe(401);
  });

  test("leaves a user who is signed in already alone", async () => {
    const { page } = opened;
    await page.goto("/console/account");
    await page.goto(`/console#invite=${"x".repeat(43)}`);
    await page.waitFor(heading("You are invited"));
    await page.clickText("I am a user already");
    await page.waitFor(`document.querySelector(".user")?.innerText === "dora"`);
  });
});
