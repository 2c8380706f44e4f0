import { existsSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { COMMAND_LINE } from "#access/audit.ts";
import type { Role } from "#access/roles.ts";
import { UserData } from "#access/user-data.ts";
import type { ConnectionNetwork } from "#service/connection-network.ts";
import { createKey } from "./console-client.ts";
import { type PlayedNode, startService } from "./service.ts";

/** A Chromium of this machine, or null. */
export const CHROMIUM: string | null =
  Bun.env.BUN_CHROME_PATH ??
  Bun.which("chromium") ??
  Bun.which("google-chrome") ??
  Bun.which("chromium-browser");

if (CHROMIUM === null) {
  process.stderr.write("SKIPPED: tests in a browser need Chromium (apt-get install chromium)\n");
}

/** Where screenshots are kept. */
export const SCREENSHOTS = join(import.meta.dir, "../../dist/screenshots");

const AXE = join(import.meta.dir, "../../node_modules/axe-core/axe.min.js");
/** Only ends a test that hangs: a busy machine may draw a page late. */
const WAIT_MS = 120_000;
const POLL_MS = 20;

export type Theme = "light" | "dark";

/** True for the error of a call whose page was replaced by another one. */
const hasNavigated = (error: unknown): boolean =>
  error instanceof Error && error.message.includes("navigated or closed");

/** The console in a real browser, with real clicks and keys. */
export class BrowserPage {
  /** Console errors, exceptions, violations of the policy, and requests to other hosts. */
  readonly problems: string[] = [];
  readonly #view: Bun.WebView;
  readonly #origin: string;

  private constructor(view: Bun.WebView, origin: string) {
    this.#view = view;
    this.#origin = origin;
  }

  /** Opens an empty page for a service, without cookies. @param origin `http://127.0.0.1:8787` */
  static async open(origin: string, { width = 1440, height = 900 } = {}): Promise<BrowserPage> {
    if (CHROMIUM === null) throw new Error("no Chromium is installed");
    const view = new Bun.WebView({
      width,
      height,
      // As root, Chromium starts without its sandbox only.
      backend: { type: "chrome", path: CHROMIUM, argv: ["--no-sandbox", "--lang=en-US"] },
    });
    const page = new BrowserPage(view, origin);
    await view.navigate("about:blank");
    await page.#watch();
    return page;
  }

  /** Collects what a page must not do. */
  async #watch(): Promise<void> {
    const view = this.#view;
    for (const domain of ["Network", "Runtime", "Log", "Page"]) await view.cdp(`${domain}.enable`);
    await view.cdp("Network.clearBrowserCookies");
    // They take their width from the page, but not from its screenshots.
    await view.cdp("Emulation.setScrollbarsHidden", { hidden: true });
    const report = (problem: string) => this.problems.push(problem);
    view.addEventListener<{ entry: { level: string; text: string; url?: string } }>(
      "Log.entryAdded",
      ({ data: { entry } }) => {
        // The browser logs every answer that is not 2xx; tests check such answers themselves.
        if (entry.level === "error" && !entry.text.startsWith("Failed to load resource")) {
          report(entry.text);
        }
      },
    );
    view.addEventListener<{ type: string; args: { value?: unknown; description?: string }[] }>(
      "Runtime.consoleAPICalled",
      ({ data: { type, args } }) => {
        if (type !== "error" && type !== "warning") return;
        report(
          `console.${type}: ${args.map(({ value, description }) => description ?? JSON.stringify(value)).join(" ")}`,
        );
      },
    );
    view.addEventListener<{
      exceptionDetails: { text: string; exception?: { description?: string } };
    }>("Runtime.exceptionThrown", ({ data: { exceptionDetails } }) =>
      report(exceptionDetails.exception?.description ?? exceptionDetails.text),
    );
    view.addEventListener<{ request: { url: string } }>(
      "Network.requestWillBeSent",
      ({ data: { request } }) => {
        const isOwn = request.url.startsWith(`${this.#origin}/`) || request.url.startsWith("data:");
        if (!isOwn && request.url !== "about:blank") report(`a request to ${request.url}`);
      },
    );
  }

  /** Opens a path of the service, and waits until the page is complete. */
  async goto(path: string): Promise<void> {
    // A page that is still opening, after a click, ends the first attempt.
    await this.#retry(() => this.#view.navigate(this.#origin + path));
    await this.settle();
  }

  /** Waits until nothing is being loaded: no placeholder, no request in flight. */
  settle(): Promise<void> {
    return this.#retry(async () => {
      await this.waitFor(
        `document.querySelector("h1, .failure") && !document.querySelector(".loading")`,
      );
      await this.evaluate(
        "new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))",
      );
    });
  }

  /** Does something again, up to three times, if another page opened meanwhile. */
  async #retry<T>(run: () => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++) {
      try {
        return await run();
      } catch (error) {
        if (tries === 3 || !hasNavigated(error)) throw error;
      }
    }
  }

  /** Waits until an expression in the page is truthy, and returns its value. */
  async waitFor<T = unknown>(expression: string, ms = WAIT_MS): Promise<T> {
    const end = performance.now() + ms;
    while (performance.now() < end) {
      const value = await this.evaluate<T>(expression).catch(() => undefined);
      if (value) return value;
      await Bun.sleep(POLL_MS);
    }
    const text = await this.evaluate<string>("document.body.innerText.slice(0, 600)");
    throw new Error(`not true after ${ms} ms: ${expression}\nThe page says: ${text}`);
  }

  /** The value of an expression in the page. */
  evaluate<T = unknown>(expression: string): Promise<T> {
    return this.#view.evaluate<T>(expression);
  }

  /** The value of an expression that changes nothing: from the next page, if that opened meanwhile. */
  #read<T>(expression: string): Promise<T> {
    return this.#retry(() => this.evaluate<T>(expression));
  }

  /** The visible text of the first element that matches. */
  text(selector: string): Promise<string> {
    return this.waitFor<string>(`document.querySelector(${JSON.stringify(selector)})?.innerText`);
  }

  /** The texts of all elements that match. */
  texts(selector: string): Promise<string[]> {
    return this.#read<string[]>(
      `[...document.querySelectorAll(${JSON.stringify(selector)})].map((one) => one.innerText.trim())`,
    );
  }

  /** The payload of an operation, as the console gets it. */
  async answer<T>(operation: string, query: string | Record<string, string>): Promise<T> {
    const path = `/console/api/data/${operation}?${new URLSearchParams(query).toString()}`;
    const { data } = await this.#read<{ data: T }>(
      `fetch(${JSON.stringify(path)}).then((response) => response.json())`,
    );
    return data;
  }

  /** Clicks the first element that matches; once more if it moved away under the mouse. */
  async click(selector: string): Promise<void> {
    for (let tries = 0; tries < 3; tries++) {
      await this.#retry(async () => {
        await this.#view.scrollTo(selector, { block: "nearest", timeout: WAIT_MS });
        await this.evaluate(`(() => {
          const aim = window.aim ??= {};
          if (!aim.selector)
            addEventListener("click", ({ target }) => (aim.hit ||= Boolean(target.closest(aim.selector))), true);
          Object.assign(aim, { selector: ${JSON.stringify(selector)}, hit: undefined });
        })()`);
      });
      await this.#view.click(selector, { timeout: WAIT_MS });
      // If the click opened another page, there is nothing to check.
      if (!(await this.evaluate<boolean>("window.aim?.hit === false").catch(() => false))) return;
    }
  }

  /** Clicks the first button, link or option with that text, once it is enabled. */
  async clickText(text: string, within = "body"): Promise<void> {
    const find = `[...document.querySelectorAll(${JSON.stringify(`${within} :is(button, a, [role=option], summary, label)`)})]
      .find((one) => !one.disabled && ((one.innerText ?? "").trim() === ${JSON.stringify(text)} || one.ariaLabel === ${JSON.stringify(text)}))`;
    await this.waitFor(`(() => {
      document.querySelectorAll("[data-test-target]").forEach((one) => one.removeAttribute("data-test-target"));
      const found = ${find};
      found?.setAttribute("data-test-target", "");
      return Boolean(found);
    })()`);
    await this.click("[data-test-target]");
  }

  /** Types into the first element that matches, replacing its text. */
  async fill(selector: string, text: string): Promise<void> {
    await this.click(selector);
    await this.evaluate("document.activeElement.select()");
    await this.#view.type(text);
  }

  /** Types where the focus is. */
  type(text: string): Promise<void> {
    return this.#view.type(text);
  }

  /** Presses a key. It may open another page, which ends the wait for the key. */
  async press(key: string, options: Bun.WebView.PressOptions = {}): Promise<void> {
    await this.#view.press(key, options).catch((error: unknown) => {
      if (!hasNavigated(error)) throw error;
    });
  }

  resize(width: number, height = 900): Promise<void> {
    return this.#view.resize(width, height);
  }

  /** Shows the page as on a system with that theme. */
  async setTheme(theme: Theme): Promise<void> {
    await this.#view.cdp("Emulation.setEmulatedMedia", {
      features: [{ name: "prefers-color-scheme", value: theme }],
    });
  }

  /** A command of the Chrome DevTools Protocol. */
  cdp<T = unknown>(method: string, params: Record<string, unknown> = {}): Promise<T> {
    return this.#view.cdp<T>(method, params);
  }

  /** Keeps a screenshot of the whole page as `dist/screenshots/NAME.png`. */
  async screenshot(name: string): Promise<void> {
    if (!existsSync(SCREENSHOTS)) mkdirSync(SCREENSHOTS, { recursive: true });
    const { data } = await this.cdp<{ data: string }>("Page.captureScreenshot", {
      captureBeyondViewport: true,
      optimizeForSpeed: true,
    });
    await Bun.write(join(SCREENSHOTS, `${name}.png`), Buffer.from(data, "base64"));
  }

  /**
   * The violations of accessibility rules (WCAG 2.2 AA and best practices), one line each.
   *
   * @param rules only those; all if absent
   */
  async violations(rules?: readonly string[]): Promise<string[]> {
    // What is loaded again is drawn paler for a moment.
    await this.waitFor('!document.querySelector(".reloading")');
    if (!(await this.evaluate<boolean>("'axe' in window")))
      await this.evaluate(`(() => { ${await Bun.file(AXE).text()}; return 1; })()`);
    // Elements that keep the rules need not be described.
    const options = { resultTypes: ["violations"], ...(rules && { runOnly: rules }) };
    return this.evaluate<
      string[]
    >(`axe.run(document, ${JSON.stringify(options)}).then(({ violations }) =>
      violations.flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) =>
        id + ": " + html.slice(0, 200) + " " + failureSummary)))`);
  }

  /**
   * From the next page on, answers come late and in an order of their own, so what is drawn before each of
   * them can be seen.
   *
   * @param seed another number is another order
   */
  async answerLate(seed: number): Promise<void> {
    await this.cdp("Page.addScriptToEvaluateOnNewDocument", {
      source: `{
        const { fetch } = window;
        window.fetch = async (input, init) => {
          let hash = ${seed};
          for (const letter of String(input)) hash = Math.imul(hash ^ letter.charCodeAt(0), 16777619);
          await new Promise((done) => setTimeout(done, 50 + 100 * ((hash >>> 8) % 4)));
          return fetch(input, init);
        };
      }`,
    });
  }

  /**
   * What has moved by itself since the page was opened: the browser's score and the elements, with their
   * places and heights before and after. Below a thousandth of the window nobody sees it.
   */
  shifts(): Promise<string[]> {
    return this.#read<string[]>(`new Promise((done) => {
      const moved = [];
      const nameOf = (node) => node?.nodeName.toLowerCase() + "." + (node?.className ?? "") + " " + node?.textContent?.slice(0, 30);
      const placeOf = ({ y, height }) => Math.round(y) + "+" + Math.round(height);
      new PerformanceObserver((list) => {
        for (const { value, sources } of list.getEntries()) {
          if (value < 0.001) continue;
          const what = sources.map(({ node, previousRect, currentRect }) =>
            nameOf(node) + " " + placeOf(previousRect) + " to " + placeOf(currentRect));
          moved.push(value.toFixed(4) + ": " + what.join("; "));
        }
      }).observe({ type: "layout-shift", buffered: true });
      setTimeout(() => done(moved), 100);
    })`);
  }

  /** True if the page is wider than the window. */
  isWide(): Promise<boolean> {
    return this.#read("document.documentElement.scrollWidth > window.innerWidth");
  }

  close(): void {
    this.#view.close();
  }
}

/** The console of a new service with the sample market, signed in by a link. */
export async function openConsole({
  role = "admin" as Role,
  signedIn = true,
  /** True for a user who has never chosen a setting. */
  isNew = false,
  node,
  env = {},
  port = 0,
  connectionNetwork,
  ...size
}: {
  role?: Role;
  signedIn?: boolean;
  isNew?: boolean;
  node?: PlayedNode;
  env?: Readonly<Record<string, string>>;
  /** Any free one if left out. */
  port?: number;
  /** Calls the public address for its check. */
  connectionNetwork?: ConnectionNetwork;
  width?: number;
  height?: number;
} = {}) {
  // The clock stands still, so all pages of a file are opened in one minute.
  const service = await startService({
    env,
    port,
    perUser: Infinity,
    ...(node && { node }),
    ...(connectionNetwork && { connectionNetwork }),
  });
  // The first user is always an admin.
  service.accounts.addUser("owner", "unlimited");
  if (role === "user") service.accounts.addUser("anna", "pro");
  const user = role === "user" ? "anna" : "owner";
  const page = await BrowserPage.open(service.origin, size);
  // The first questions are a test of their own.
  if (!isNew) {
    const { access } = service;
    const clock = () => service.time.now;
    const data = new UserData({ access, clock, user, actor: COMMAND_LINE });
    await data.saveSettings({ welcomed: true });
  }
  if (signedIn) await page.goto(`/console#key=${createKey(service, user)}`);
  const close = async () => {
    page.close();
    await service.stop();
  };
  return { service, page, user, close };
}
