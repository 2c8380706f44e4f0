import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CHROMIUM, openConsole } from "../support/browser.ts";
import { ConsoleClient, createKey } from "../support/console-client.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

const FIRST = "correct horse battery";
const SECOND = "another staple entirely";

describe.skipIf(CHROMIUM === null)("Account", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => void (opened = await openConsole({ role: "user" })));
  afterAll(() => opened?.close());

  test("shows the user, and ends another session after a confirmation", async () => {
    const { page, service } = opened;
    const other = await new ConsoleClient(service).signIn("anna");
    await page.goto("/console/account");
    expect(await page.text("[aria-label=You]")).toContain("anna");
    const buttons = `[...document.querySelectorAll("[aria-label='Your sessions'] td button")]`;
    expect(await page.evaluate<number>(`${buttons}.length`)).toBe(2);
    await page.evaluate(`${buttons}.find((one) => one.innerText === "End").click()`);
    await page.clickText("End", "dialog[open]");
    await page.waitFor(`${buttons}.length === 1`);
    expect((await other.send("GET", "me")).status).toBe(401);
  });

  test("sets a password, which then must be given to change it", async () => {
    const { page } = opened;
    await page.fill("input[name=password]", FIRST);
    await page.clickText("Set password");
    await page.waitFor(`document.body.innerText.includes("The password is set.")`);
    await page.fill("input[name=current]", "a wrong password");
    await page.fill("input[name=password]", SECOND);
    await page.clickText("Change password");
    expect(await page.text(".failure")).toContain("The current password is wrong.");
    await page.fill("input[name=current]", FIRST);
    await page.fill("input[name=password]", SECOND);
    await page.clickText("Change password");
    await page.waitFor(`document.body.innerText.includes("The password is set.")`);
    const answer = await new ConsoleClient(opened.service).send("POST", "session", {
      body: { user: "anna", password: SECOND },
    });
    expect(answer.status).toBe(200);
  });

  test("signs out, and in again with the password on the same page", async () => {
    const { page } = opened;
    await page.clickText("Sign out", "[aria-label=You]");
    await page.fill("input[name=user]", "anna");
    await page.fill("input[name=password]", SECOND);
    await page.clickText("Sign in");
    await page.waitFor(`document.querySelector("h1")?.innerText === "Account"`);
  });

  test("leads to the sign-in when the session has ended elsewhere", async () => {
    const { page, service } = opened;
    // A request that is still running would end the session on the page before the click.
    await page.settle();
    const other = await new ConsoleClient(service).signIn("anna");
    const sessions = await other.get("sessions");
    for (const { id, current } of sessions) {
      if (!current) await other.send("DELETE", `sessions/${id}`);
    }
    await page.clickText("Connect", "nav");
    expect(await page.text(".failure")).toContain("Your session has ended");
  });

  test("signs in by a link that is pasted where the sign-in is shown", async () => {
    const { page, service } = opened;
    await page.goto("/console");
    await page.evaluate(`location.assign("/console#key=${createKey(service, "anna")}")`);
    await page.waitFor(`document.querySelector(".user")?.innerText === "anna"`);
    expect(await page.evaluate<string>("location.href")).not.toContain("key=");
    await page.click(".user");
    await page.clickText("Sign out");
    await page.waitFor(`document.querySelector("h1")?.innerText === "Sign in"`);
  });

  test("opens the page that was wanted after the sign-in by a link", async () => {
    const { page, service } = opened;
    await page.goto("/console/tokens?client=Cursor");
    expect(await page.text("h1")).toBe("Sign in");
    await page.goto(`/console#key=${createKey(service, "anna")}`);
    await page.waitFor(`document.querySelector("h1")?.innerText === "Tokens"`);
    expect(await page.evaluate<string>("location.pathname + location.search + location.hash")).toBe(
      "/console/tokens?client=Cursor",
    );
    expect(page.problems).toEqual([]);
  });
});
