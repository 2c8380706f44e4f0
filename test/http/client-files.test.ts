import { afterAll, describe, expect, test } from "bun:test";
import { CLIENT_FILES } from "#clients/index.ts";
import { startService } from "../support/service.ts";

const service = await startService({ sample: false });
afterAll(() => service.stop());
const get = (path: string, init: RequestInit = {}) =>
  fetch(`${service.origin}/clients/${path}`, init);

describe("files for other programs", () => {
  test.each(CLIENT_FILES.map((file) => [file.name, file] as const))(
    "%s is served without a token, as it is in the repository, and has no secret or address of a service",
    async (name, { type, text }) => {
      const response = await get(name);
      expect(response.status).toBe(200);
      expect(response.headers.get("content-type")).toBe(type);
      expect(response.headers.get("content-disposition")).toBe(`attachment; filename="${name}"`);
      expect(await response.text()).toBe(text);
      const source = Bun.file(`${import.meta.dir}/../../src/clients/${name}`);
      expect(text).toBe(await source.text());
      expect(text).not.toMatch(/bourse_feed_\w{8}/);
      expect(text).not.toContain(service.origin);
    },
  );

  test("answer HEAD, and 304 for the same ETag", async () => {
    const name = CLIENT_FILES[0]?.name ?? "";
    const head = await get(name, { method: "HEAD" });
    expect([head.status, await head.text()]).toEqual([200, ""]);
    const etag = head.headers.get("etag") ?? "";
    expect((await get(name, { headers: { "if-none-match": etag } })).status).toBe(304);
  });

  test("refuse other names and methods, and say which files there are", async () => {
    const unknown = await get("unknown.py");
    expect(unknown.status).toBe(404);
    expect(await unknown.text()).toContain("/clients/bourse_price.py");
    const post = await get("Bourse.pm", { method: "POST" });
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});
