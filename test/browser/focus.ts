import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { CHROMIUM, openConsole } from "../support/browser.ts";
import { ConsoleClient } from "../support/console-client.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

/** Something that the user does, after which the element that had the focus may be gone. */
interface Deed {
  readonly name: string;
  /** The page; the one before it if absent. */
  readonly path?: string;
  /** The names of the buttons, each with the part of the page that it is in. */
  readonly press: readonly (readonly [button: string, within?: string])[];
  /** What is true when it is done. */
  readonly until: string;
  /** The element that has the focus then, or one around it. */
  readonly focus: string;
}

const OPEN = "dialog[open]";
const row = (label: string) =>
  `[...document.querySelectorAll("tbody tr")].find((one) => one.innerText.includes(${JSON.stringify(label)}))`;

const DEEDS: readonly Deed[] = [
  {
    name: "a token is replaced at once, below on the page Connect",
    path: "/console/programs",
    press: [
      ["Replace laptop", "[aria-label='Your live tokens']"],
      ["Replace", `${OPEN} .buttons`],
    ],
    until: "document.querySelector('.new-token')",
    focus: ".new-token",
  },
  {
    name: "a link for a program is made",
    press: [["Google Sheets"], ["Create a feed link"]],
    until: "document.querySelector('#recipe pre').innerText.includes('bourse_feed_')",
    focus: "#recipe [role=status]",
  },
  {
    name: "a token is made",
    path: "/console/tokens",
    press: [["Create a token"]],
    until: "document.querySelector('.new-token')",
    focus: ".new-token",
  },
  {
    name: "a token is revoked",
    press: [
      ["Revoke phone?", "[aria-label='Your live tokens']"],
      ["Revoke", OPEN],
    ],
    until: `!document.querySelector("[aria-label='Your live tokens']").innerText.includes("phone")`,
    focus: "[aria-label='Your live tokens']",
  },
  {
    name: "a calendar link is made",
    path: "/console/calendar",
    press: [["Subscribe"], ["Create a feed link", OPEN]],
    until: `document.querySelector("${OPEN} pre").innerText.includes("bourse_feed_")`,
    focus: `${OPEN} [role=status]`,
  },
  {
    name: "an item leaves a list",
    path: "/console/lists/cars",
    press: [
      ["Edit 7203", "[aria-label='Items of the list']"],
      ["Remove", OPEN],
    ],
    until: `!${row("7203")}`,
    focus: "[aria-label='Items of the list']",
  },
  {
    name: "Undo of a toast is pressed",
    press: [["Undo", ".toasts"]],
    until: row("7203"),
    focus: "main",
  },
  {
    name: "a list is deleted, and all lists are shown",
    press: [
      ["Delete cars?", "main"],
      ["Delete", `${OPEN} .buttons`],
    ],
    until: "location.pathname === '/console/lists'",
    focus: "main",
  },
  {
    name: "a filter of a screen is removed",
    path: "/console/screen?where=pe<20,roe>10",
    press: [["Remove P/E < 20"]],
    until: "!location.search.includes('pe')",
    focus: "main",
  },
  {
    name: "a session is ended",
    path: "/console/account",
    press: [
      ["End", "[aria-label='Your sessions']"],
      ["End", OPEN],
    ],
    until: `document.querySelectorAll("[aria-label='Your sessions'] tbody tr").length === 1`,
    focus: "[aria-label='Your sessions']",
  },
  {
    name: "a sign-in link is made",
    path: "/console/admin?part=users",
    press: [
      ["ben", "[aria-label='All users']"],
      ["Create a link", OPEN],
    ],
    until: `document.querySelector("${OPEN} pre")?.innerText.includes("#key=")`,
    focus: `${OPEN} .drawer > [tabindex]`,
  },
  {
    name: "a user is removed",
    press: [
      ["Remove ben?", OPEN],
      ["Remove", "dialog[aria-label='Remove ben?']"],
    ],
    until: `!${row("ben")}`,
    focus: "[aria-label='All users']",
  },
];

describe.skipIf(CHROMIUM === null)("the focus", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => {
    opened = await openConsole();
    const { accounts } = opened.service;
    for (const label of ["laptop", "phone"]) accounts.createToken("owner", label, null);
    accounts.addUser("ben", "pro");
    await new ConsoleClient(opened.service).signIn("owner");
    await opened.page.evaluate(`fetch("/console/api/lists/cars", {
      method: "PUT",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ items: ["7203", "7267"].map((symbol) => ({ country: "JP", symbol })) }),
    })`);
  });
  afterAll(() => opened?.close());

  /** Presses a button with the keyboard. */
  const press = async (button: string, within = "main") => {
    const { page } = opened;
    await page.waitFor(`(() => {
      const found = [...document.querySelectorAll(${JSON.stringify(`${within} button`)})].find((one) =>
        !one.disabled && [one.innerText.trim(), one.ariaLabel].includes(${JSON.stringify(button)}));
      found?.focus();
      return Boolean(found);
    })()`);
    await page.press("Enter");
  };
  /** What has the focus, for the message of a failure. */
  const focused = "document.activeElement.outerHTML.slice(0, 150)";

  test.each(DEEDS.map((deed) => [deed.name, deed] as const))(
    "is on what appeared, or near its place, after %s",
    async (_, { path, press: buttons, until, focus }) => {
      const { page } = opened;
      if (path) await page.goto(path);
      if (path === "/console/tokens") await page.fill("input[name=label]", "tablet");
      for (const [button, within] of buttons) {
        await press(button, within);
        if (button.length > 7) await page.settle();
      }
      await page.waitFor(until);
      await page.settle();
      await page
        .waitFor(`document.activeElement.closest(${JSON.stringify(focus)})`)
        .catch(async () => {
          throw new Error(`the focus is on ${await page.evaluate<string>(focused)}`);
        });
      expect(await page.violations()).toEqual([]);
    },
  );

  test("goes into a dialog, to its first field, and back to the button that opened it", async () => {
    const { page } = opened;
    await page.goto("/console/tokens");
    await press("Rename laptop", "[aria-label='Your live tokens']");
    await page.waitFor("document.activeElement.matches('dialog[open] input[name=label]')");
    await page.press("Escape");
    await page.waitFor("document.activeElement.ariaLabel === 'Rename laptop'");
    await press("Rename laptop", "[aria-label='Your live tokens']");
    await page.fill(`${OPEN} input[name=label]`, "desk");
    await page.press("Enter");
    await page.waitFor("document.activeElement.ariaLabel === 'Rename desk'");
  });

  test("stays on a button whose action was refused", async () => {
    const { page } = opened;
    await page.goto("/console/tokens");
    await press("Rename desk", "[aria-label='Your live tokens']");
    await page.fill(`${OPEN} input[name=label]`, "tablet");
    await press("Rename", `${OPEN} .buttons`);
    expect(await page.text(`${OPEN} .failure`)).toBe(
      "Another live token has the label tablet. Choose a different one, so that lists and the call log name one token.",
    );
    await page.waitFor("document.activeElement.innerText === 'Rename'");
  });
});
