import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { BourseError } from "#domain/errors.ts";
import type { NodeInfo } from "#domain/cluster-node.ts";
import { PROGRAM } from "#lib/compiled.ts";
import { UpdateCheck } from "#service/updates.ts";
import packageJson from "../../package.json" with { type: "json" };
import { CHROMIUM, openConsole } from "../support/browser.ts";
import { ConsoleClient } from "../support/console-client.ts";
import { ReleaseServer } from "../support/release-server.ts";

// Not part of the suite (no .test in its name): it needs Chromium.

/** The texts of the cells of a row of a table. */
const rowOf = (label: string, text: string) => `(() => {
  const row = [...document.querySelectorAll("[aria-label=" + ${JSON.stringify(JSON.stringify(label))} + "] tbody tr")]
    .find((one) => one.innerText.includes(${JSON.stringify(text)}));
  return row && [...row.cells].map((cell) => cell.innerText);
})()`;

describe.skipIf(CHROMIUM === null)("Admin", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => void (opened = await openConsole()));
  afterAll(() => opened?.close());

  test("shows the state of the service", async () => {
    const { page } = opened;
    await page.goto("/console/admin");
    const text = await page.text("[aria-label=Status]");
    expect(text).toContain(packageJson.version);
    expect(text).toContain("sample");
    expect(await page.text("[aria-label=Files]")).toContain("market.db");
    expect(await page.text("[aria-label='Health of the service']")).toContain("All is well");
  });

  test("and About are in Japanese and Vietnamese, except names, terms and what is written in a terminal", async () => {
    const { page } = opened;
    const texts = () =>
      page.evaluate<string[]>(`(() => {
        const found = [];
        const walk = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
        while (walk.nextNode()) {
          const isGiven = walk.currentNode.parentElement.closest("code, pre, a[rel]" + (location.pathname.endsWith("about") ? ", td" : ""));
          if (!isGiven) found.push(walk.currentNode.textContent.trim());
        }
        for (const name of ["aria-label", "title", "placeholder"])
          for (const one of document.querySelectorAll("main [" + name + "]"))
            found.push(one.getAttribute(name));
        return [...new Set(found)].filter((text) => /[A-Za-z]{3}/.test(text));
      })()`);
    const open = async (path: string, language: string) => {
      await page.evaluate(`fetch("/console/api/settings", {
        method: "PUT",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ language: ${JSON.stringify(language)} }),
      }).then(({ ok }) => ok)`);
      await page.goto(path);
      return texts();
    };
    const NAMES = ["owner", "free", "pro", "max", "unlimited", "bourse", "MIT"];
    const NOTICE = /TradingView/;
    for (const [name, path] of [
      ["admin", "/console/admin"],
      ["admin-users", "/console/admin?part=users"],
      ["about", "/console/about"],
    ] as const) {
      const english = await open(path, "en");
      expect(english.length).toBeGreaterThan(10);
      for (const language of ["ja", "vi"]) {
        const own = await open(path, language);
        expect([
          path,
          language,
          own.filter(
            (text) => english.includes(text) && !NAMES.includes(text) && !NOTICE.test(text),
          ),
        ]).toEqual([path, language, []]);
        for (const width of [390, 1440]) {
          await page.resize(width);
          await page.settle();
          expect([path, width, await page.isWide()]).toEqual([path, width, false]);
          await page.screenshot(`${name}-${language}-${width}`);
        }
        expect(await page.violations()).toEqual([]);
      }
    }
    await open("/console/admin", "en");
  });

  test("adds a user, whose link signs in", async () => {
    const { page, service } = opened;
    await page.clickText("Users");
    await page.fill("input[name=name]", "anna");
    await page.clickText("Add");
    await page.waitFor(rowOf("All users", "anna"));
    const cells = await page.evaluate<string[]>(rowOf("All users", "anna"));
    expect(cells.slice(0, 3)).toEqual(["anna", "user", "free"]);

    const link = new URL(await page.text("[aria-label='Add a user'] pre"));
    const key = new URLSearchParams(link.hash.slice(1)).get("key");
    const answer = await new ConsoleClient(service).send("POST", "session", { body: { key } });
    expect(await answer.json()).toMatchObject({ user: "anna", plan: "free", role: "user" });
  });

  test("finds a user, and shows the tokens and another link", async () => {
    const { page, service } = opened;
    service.accounts.createToken("anna", "laptop", null);
    await page.fill("[aria-label='Find a user']", "free ann");
    await page.press("Enter");
    await page.waitFor(
      `document.querySelectorAll("[aria-label='All users'] tbody tr").length === 1`,
    );
    await page.clickText("anna", "[aria-label='All users']");
    expect(await page.text("dialog[open] [aria-label='Live tokens']")).toContain("laptop");
    await page.clickText("Create a link", "dialog[open]");
    expect(await page.text("dialog[open] pre")).toContain("#key=");
    expect(await page.violations()).toEqual([]);
    await page.press("Escape");
    await page.waitFor(`!document.querySelector("dialog[open]")`);
    await page.fill("[aria-label='Find a user']", "");
    await page.press("Enter");
  });

  test("refuses a name that exists, with the server's sentence", async () => {
    const { page } = opened;
    await page.fill("input[name=name]", "anna");
    await page.clickText("Add");
    expect(await page.text(".failure")).toContain("anna");
  });

  test("changes the plan and the role of a user", async () => {
    const { page, service } = opened;
    await page.clickText("anna", "[aria-label='All users']");
    await page.evaluate(`(() => {
      document.querySelector("dialog[open] select[name=plan]").value = "pro";
      document.querySelector("dialog[open] select[name=role]").value = "admin";
    })()`);
    await page.clickText("Save", "dialog[open]");
    await page.waitFor(`${rowOf("All users", "anna")}?.[2] === "pro"`);
    const anna = service.accounts.listUsers().find(({ name }) => name === "anna");
    expect(anna).toMatchObject({ plan: "pro", role: "admin" });
  });

  test("removes a user after a confirmation", async () => {
    const { page, service } = opened;
    await page.clickText("anna", "[aria-label='All users']");
    await page.clickText("Remove anna?");
    await page.clickText("Remove", "dialog[aria-label='Remove anna?']");
    await page.waitFor(`!${rowOf("All users", "anna")}`);
    expect(service.accounts.listUsers().map(({ name }) => name)).toEqual(["owner"]);
  });

  test("keeps the only admin, and says why", async () => {
    const { page, service } = opened;
    await page.clickText("owner", "[aria-label='All users']");
    await page.clickText("Remove owner?");
    await page.clickText("Remove", "dialog[aria-label='Remove owner?']");
    expect(await page.text("dialog[open] .failure")).toContain("admin");
    expect(service.accounts.listUsers()).toHaveLength(1);
    await page.press("Escape");
    await page.waitFor(`!document.querySelector("dialog[open] dialog[open]")`);
    await page.press("Escape");
    await page.waitFor(`!document.querySelector("dialog[open]")`);
  });

  test("shows calls by user and day, and why some were refused", async () => {
    const { page, service, user } = opened;
    await page.goto("/console/admin");
    await page.clickText("Usage", "main");
    await page.waitFor(`document.body.innerText.includes("No call in the last 7 days.")`, 3_000);
    service.accounts.addUser("ben", "free");
    for (const name of ["ben", user]) {
      const { token } = service.accounts.createToken(name, "program", null);
      for (const country of ["JP", "US", "XX"])
        await service.request(`/data/markets?country=${country}`, token);
    }
    await page.goto("/console/admin?part=usage");
    const label = "Calls by user and day";
    await page.waitFor(rowOf(label, "ben"), 3_000);
    const rest = ["3", "1", "invalid_argument 1", "get_markets 2"];
    for (const name of ["ben", user])
      expect(await page.evaluate<string[]>(rowOf(label, name))).toEqual([
        "20 Nov 2026",
        name,
        ...rest,
      ]);
    await page.clickText("Calls", `[aria-label='${label}'] thead`);
    await page.fill("[aria-label='Find a user']", "BEN");
    await page.press("Enter");
    await page.waitFor(`!${rowOf(label, user)}`);
    const file = await page.evaluate<string>(
      `fetch(document.querySelector("a[download]").href).then((answer) => answer.text())`,
    );
    expect(file.split("\r\n")[2]).toStartWith(`2026-11-20,${user},3,1,`);
    for (const [language, words] of [
      ["en", "Operations are not stored."],
      ["ja", "操作は保存されません。"],
      ["vi", "Thao tác không được lưu."],
    ]) {
      await page.evaluate(`fetch("/console/api/settings", {
        method: "PUT",
        headers: { "Content-Type": "application/json" },
        body: JSON.stringify({ language: "${language}" }),
      })`);
      await page.goto(`/console/admin?part=usage&reader=${language}`);
      await page.waitFor(`document.body.innerText.includes("${words}")`);
      for (const width of [390, 1440]) {
        await page.resize(width);
        await page.settle();
        expect([language, width, await page.isWide()]).toEqual([language, width, false]);
        expect(await page.violations()).toEqual([]);
        await page.screenshot(`admin-usage-${language}-${width}`);
      }
    }
    await page.evaluate(`fetch("/console/api/settings", {
      method: "PUT",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ language: "en" }),
    })`);
    service.accounts.removeUser("ben");
    await page.goto("/console/admin?part=users");
  });

  test("says that the sample market has no sources", async () => {
    await opened.page.clickText("Sources");
    await opened.page.waitFor(
      `document.body.innerText.includes("The sample market has no sources")`,
    );
  });

  test("lists what was done, newest first, with older entries on request", async () => {
    const { page, service } = opened;
    // Each of these makes two entries; the log answers 100 at a time.
    for (let count = 0; count < 60; count++) {
      service.accounts.addUser(`u${count}`, "free");
      service.accounts.removeUser(`u${count}`);
    }
    await page.goto("/console/admin?part=audit");
    const rows = `document.querySelectorAll("[aria-label=Entries] tbody tr").length`;
    expect(await page.evaluate<number>(rows)).toBe(100);
    const [, , , subject] = await page.evaluate<string[]>(rowOf("Entries", ""));
    expect(subject).toStartWith("user u59");
    await page.clickText("Load older entries");
    await page.waitFor(`${rows} > 100`);
    expect(await page.evaluate<string[]>(rowOf("Entries", "user anna"))).not.toBeNull();
    await page.fill("[aria-label='Find entries']", "USER REMOVED user anna");
    await page.press("Enter");
    await page.waitFor(`${rows} === 1`);
    const file = await page.evaluate<string>(
      `fetch(document.querySelector("a[download]").href).then((answer) => answer.text())`,
    );
    expect(file).toMatch(
      /^at,actor,action,subject,address\r\n.*,owner,user removed,"user anna .*\r\n$/,
    );
    expect(page.problems).toEqual([]);
  });
});

describe.skipIf(CHROMIUM === null)("Admin for other users", () => {
  test("is refused, and not in the menu", async () => {
    const { page, close } = await openConsole({ role: "user" });
    await page.goto("/console/admin");
    expect(await page.text("main")).toContain("Only admins");
    expect(await page.text("nav")).not.toContain("Admin");
    await close();
  });
});

describe.skipIf(CHROMIUM === null)("About", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  beforeAll(async () => void (opened = await openConsole({ signedIn: false })));
  afterAll(() => opened?.close());

  test("has the terms of every source, without a session", async () => {
    const { page, service } = opened;
    await page.goto("/console/about");
    const terms = await new ConsoleClient(service).get("terms");
    const text = await page.text("[aria-label='All sources']");
    for (const one of terms) expect(text).toContain(one.terms);
    expect(terms.length).toBeGreaterThan(10);
  });

  test("opens at how to go live", async () => {
    const { page } = opened;
    await page.resize(1440, 300);
    await page.goto("/console/about");
    await page.click(".chip.sample");
    await page.clickText("Go live", "#sample-text");
    await page.waitFor(`document.getElementById("live").getBoundingClientRect().top < 200`);
  });
});

describe.skipIf(CHROMIUM === null)("Admin of a cluster", () => {
  let opened: Awaited<ReturnType<typeof openConsole>>;
  let isDown = false;
  const nodeOf = (host: string, more: Partial<NodeInfo>): NodeInfo => ({
    id: host,
    host,
    version: "1.2.3",
    url: "http://10.0.0.1:8787",
    upMs: 7_200_000,
    applied: 1_234,
    leases: 0,
    seenMs: 400,
    lag: 0,
    isLeader: false,
    isGone: false,
    fault: null,
    differs: [],
    ...more,
  });
  const list = () => {
    if (isDown) throw new BourseError("unavailable", "The cluster's database is down.");
    return [
      nodeOf("one.example", { isLeader: true, leases: 1_017 }),
      nodeOf("two.example", { url: "http://10.0.0.2:8787", lag: 12, seenMs: 42_000, isGone: true }),
      nodeOf("three.example", {
        lag: 1_234,
        fault: "replaces its market",
        differs: ["plan-free", "build"],
      }),
    ];
  };
  const releases = new ReleaseServer();
  beforeAll(async () => {
    const env = { ...releases.env, BOURSE_UPDATES: "on" };
    opened = await openConsole({ node: { list }, env });
  });
  afterAll(async () => {
    await opened?.close();
    await releases[Symbol.asyncDispose]();
  });

  test("shows the hours without answers of each source by day", async () => {
    const { page } = opened;
    const hour = 3_600_000;
    const today = Math.floor(opened.service.time.now / (24 * hour)) * 24 * hour;
    const source = {
      source: "sec",
      official: true,
      state: "ready",
      fills: "",
      terms: "",
      lastSuccessAt: today,
      lastErrorAt: null,
      lastError: null,
      faulty: 0,
      blockedUntil: null,
      verdict: "works",
      advice: [],
      kinds: [],
      // 22:30 to 01:00: an hour and a half, and an hour.
      outages: [{ from: today - 1.5 * hour, to: today + hour }],
    };
    // The service of this test has the sample market, which has no sources.
    const { identifier } = await page.cdp<{ identifier: string }>(
      "Page.addScriptToEvaluateOnNewDocument",
      {
        source: `const ask = fetch;
          fetch = (url, ...more) => String(url).includes("api/sources")
            ? Promise.resolve(Response.json(${JSON.stringify([source])})) : ask(url, ...more);`,
      },
    );
    await page.goto("/console/admin?part=sources");
    const cells = await page.evaluate<[string, string][]>(
      `[...document.querySelectorAll("[aria-label='Hours without answers'] td")].map((one) => [one.innerText, one.className])`,
    );
    expect(cells).toHaveLength(15);
    expect(cells.slice(-3)).toEqual([
      ["·", "number"],
      ["1.5", "number shade-loss-1"],
      ["1.0", "number shade-loss-1"],
    ]);
    expect(await page.violations()).toEqual([]);
    await page.cdp("Page.removeScriptToEvaluateOnNewDocument", { identifier });
  });

  test("names the newest version, if the service asks for it", async () => {
    const { page, service } = opened;
    const text = () => page.text("[aria-label=Status]");
    await page.goto("/console/admin");
    expect(await text()).toContain("Not asked yet");
    await releases.publish("999.1.0", { "linux-x64": "" });
    const config = { isOn: true, server: releases.settings };
    const clock = () => service.time.now;
    const check = { dataFolder: service.folder, config, clock, log: service.log };
    await new UpdateCheck(check).runIfDue();
    await page.goto("/console/admin");
    expect(await text()).toContain(
      `this installs version 999.1.0, or says how: ${PROGRAM} upgrade`,
    );
  });

  test("shows the nodes, and which one leads", async () => {
    const { page } = opened;
    await page.goto("/console/admin");
    const cellsOf = (host: string) => page.evaluate<string[]>(rowOf("Nodes of the cluster", host));
    const one = await cellsOf("one.example");
    const two = await cellsOf("two.example");
    expect(one?.[0]).toBe("one.example leader\nhttp://10.0.0.1:8787");
    expect(one?.slice(1)).toEqual(["1.2.3", "2 h", "0 s ago", "0", "1,017"]);
    expect(two?.[0]).toBe("two.example gone\nhttp://10.0.0.2:8787");
    const three = await cellsOf("three.example");
    expect(three?.[0]).toBe(
      "three.example replaces its market\nhttp://10.0.0.1:8787\nOther than on the leader: plan-free, build",
    );
    expect(two?.slice(1)).toEqual(["1.2.3", "2 h", "42 s ago", "12", "0"]);
  });

  test("fits a phone and breaks no rule of accessibility", async () => {
    const { page } = opened;
    for (const theme of ["light", "dark"] as const) {
      await page.setTheme(theme);
      for (const width of [360, 768, 1440]) {
        await page.resize(width);
        expect(await page.isWide()).toBe(false);
        expect(await page.violations()).toEqual([]);
        await page.screenshot(`admin-nodes-${width}-${theme}`);
      }
    }
  });

  test("says on the page Tokens that the counts may be ahead", async () => {
    const { page, service, user } = opened;
    service.accounts.createToken(user, "busy", null);
    await page.goto("/console/tokens");
    await page.waitFor(
      `document.body.innerText.includes("Other nodes count calls up to 10 s in advance")`,
    );
  });

  test("says if the cluster's database does not answer", async () => {
    const { page } = opened;
    isDown = true;
    await page.goto("/console/admin");
    expect(await page.text("[aria-label=Nodes]")).toContain("database does not answer");
    expect(page.problems).toEqual([]);
  });
});
