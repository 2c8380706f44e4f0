import { describe, expect, test } from "bun:test";
import { Database } from "bun:sqlite";
import { join } from "node:path";
import { createWebhookSecret } from "#alerts/channel.ts";
import { createWebhookRequest } from "#alerts/webhook.ts";
import { messageText } from "#operations/alerts/message-text.ts";
import type { AlertFacts } from "#operations/alerts/message.ts";
import { putMessage } from "#store/alerts.ts";
import { findUser } from "#store/users.ts";
import { childEnv, outputOf } from "../support/child-process.ts";
import { installTools } from "../support/npm-tools.ts";
import { startForPrograms } from "../support/program-service.ts";

// Not part of the suite: it needs the Debian package newsboat, and an npm package.

const { service, folder } = await startForPrograms();
const APPLE = { country: "US", symbol: "AAPL", name: "Apple & Söhne", assetType: "stock" } as const;
const rating = (after: string): AlertFacts => ({
  kind: "event",
  event: "rating_change",
  of: APPLE,
  before: "Buy",
  after,
});

describe.skipIf(!Bun.which("newsboat"))("newsboat", () => {
  const { user } = service.createToken();
  const userId = service.access.run(findUser(user))?.id ?? 0;
  const { token: link } = service.accounts.createToken(
    user,
    "n",
    null,
    "feed",
    [],
    ["alerts:read"],
  );
  const put = (id: string, minute: number, facts: AlertFacts) =>
    service.access.run(
      putMessage(
        userId,
        {
          id,
          alert: "rating",
          kind: "event",
          at: service.time.now + minute * 60_000,
          facts: JSON.stringify(facts),
        },
        [],
      ),
    );
  const cache = join(folder, "cache.db");
  const reload = async () => {
    await Bun.write(join(folder, "urls"), `${service.origin}/feed/${link}/alerts.atom\n`);
    const files = ["-u", join(folder, "urls"), "-c", cache, "-C", join(folder, "config")];
    await Bun.write(join(folder, "config"), "");
    await outputOf(["newsboat", ...files, "-x", "reload"], {
      env: childEnv({ HOME: folder, LC_ALL: "C.UTF-8" }),
    });
    using database = new Database(cache, { readonly: true });
    return database
      .query<{ title: string; pubDate: number; unread: number }, []>(
        "SELECT title, pubDate, unread FROM rss_item ORDER BY pubDate",
      )
      .all();
  };

  test("reads each message once, with its title and time", async () => {
    put("msg_1", 0, rating("Hold"));
    put("msg_2", 1, rating("Sell"));
    const at = Math.floor(service.time.now / 1_000);
    const shown = (facts: AlertFacts, minute: number) => ({
      title: messageText(facts, {}).title,
      pubDate: at + minute * 60,
      unread: 1,
    });
    const first = [shown(rating("Hold"), 0), shown(rating("Sell"), 1)];
    expect(await reload()).toEqual(first);
    put("msg_3", 2, rating("Strong Buy"));
    expect(await reload()).toEqual([...first, shown(rating("Strong Buy"), 2)]);
  });
});

const npm = await installTools(folder, { standardwebhooks: "1.1.1" });

describe.skipIf(!npm.isInstalled)("standardwebhooks", () => {
  const VERIFY = `
    import { Webhook } from "standardwebhooks";
    const [secret, headers, body] = process.argv.slice(2);
    try {
      console.log(JSON.stringify(new Webhook(secret).verify(body, JSON.parse(headers))));
    } catch (error) {
      console.log(error.message);
    }`;

  test("verifies a webhook, and refuses a changed, an old and a foreign one", async () => {
    await npm.write("verify.mjs", VERIFY);
    const secret = createWebhookSecret();
    const facts = rating("Hold");
    const { title, body: text } = messageText(facts, { language: "ja" });
    const message = { id: "msg_1", alert: "rating", kind: "event", at: 0, link: null } as const;
    const create = (now: number) =>
      createWebhookRequest(
        { name: "hook", kind: "webhook", url: "https://hooks.example/x", secret },
        { ...message, title, body: text, facts },
        now,
      );
    const { headers, body } = create(Date.now());
    const verify = async (...args: [string, object, string]) => {
      const [key, sent, content] = args;
      const line = await npm.run("node", "verify.mjs", key, JSON.stringify(sent), content);
      return line.output.trim();
    };
    expect(JSON.parse(await verify(secret, headers, body))).toEqual(JSON.parse(body));
    const refused = "No matching signature found";
    expect(await verify(secret, headers, body.replace("rating", "rated"))).toBe(refused);
    expect(await verify(createWebhookSecret(), headers, body)).toBe(refused);
    const old = create(Date.now() - 600_000);
    expect(await verify(secret, old.headers, old.body)).toBe("Message timestamp too old");
  });
});
