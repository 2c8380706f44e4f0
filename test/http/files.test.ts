import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { request as httpRequest } from "node:http";
import { join } from "node:path";
import fc from "fast-check";
import type { PlanName } from "#access/plans.ts";
import { openMarket } from "#store/index.ts";
import { openFolder } from "../support/access.ts";
import { runAt } from "../support/cli.ts";
import { ConsoleClient } from "../support/console-client.ts";
import { START, startService } from "../support/service.ts";
import { putSplitShare } from "../exports/split-share.ts";

const service = await startService({ sample: false, env: { BOURSE_ACCESS_LOG: "json" } });
afterAll(() => service.stop());

const PATH = "bars/US.parquet";
const source = openFolder();
const exports = join(service.folder, "exports");
const files = `${service.base}/files`;
let token = "";
let bytes: Buffer;
/** The bytes of an answer as text, which a failed test shows. */
const bodyOf = async (response: Response) =>
  Buffer.from(await response.arrayBuffer()).toString("base64");
const part = (from?: number, to?: number) => bytes.subarray(from, to).toString("base64");
let hash = "";

/** A token of a new administrator. */
function createReader(plan: PlanName) {
  const created = service.createToken(plan);
  service.accounts.setRole(created.user, "admin");
  return created;
}

/** Exports a market with one share into the place of a scheduled export. */
async function exportAs(name: string): Promise<void> {
  const result = await runAt(
    () => START,
    { BOURSE_DATA: source.path },
    "export",
    join(exports, name),
  );
  expect(result.code).toBe(0);
}

const get = (path: string, headers: Record<string, string> = {}, init: RequestInit = {}) =>
  fetch(`${files}${path}`, { ...init, headers: { authorization: `Bearer ${token}`, ...headers } });

beforeAll(async () => {
  const market = openMarket(source.path);
  putSplitShare(market);
  market.close();
  token = createReader("max").token;
  await exportAs("20261120T170000Z");
  bytes = readFileSync(join(exports, "20261120T170000Z", PATH));
  hash = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
});

test("Admin in the console lists the files of the newest export", async () => {
  service.accounts.addUser("owner", "unlimited");
  service.accounts.setRole("owner", "admin");
  const owner = await new ConsoleClient(service).signIn("owner");
  const { exported } = await owner.get("status");
  expect(exported.find(({ path }) => path === PATH)).toEqual({ path: PATH, bytes: bytes.length });
});

describe("a file", () => {
  test("is answered whole, with its SHA-256 as ETag", async () => {
    const response = await get(`/${PATH}`);
    expect(response.status).toBe(200);
    expect(await bodyOf(response)).toBe(part());
    expect(Object.fromEntries(response.headers)).toMatchObject({
      etag: `"${hash}"`,
      "accept-ranges": "bytes",
      "content-length": String(bytes.length),
      "content-type": "application/vnd.apache.parquet",
      "cache-control": "private, no-cache",
      "x-data-source": "sec, yahoo",
      "x-ratelimit-limit": "50000",
      "access-control-allow-origin": "*",
    });
  });

  test("has a list, which is the manifest", async () => {
    for (const path of ["", "/", "/manifest.json", "/manifest%2Ejson"]) {
      const manifest = (await (await get(path)).json()) as { files: { path: string }[] };
      expect(manifest.files.map((one) => one.path)).toContain(PATH);
    }
  });

  test("is 304 for a client that holds it, and HEAD has the same headers", async () => {
    for (const held of [`"${hash}"`, `W/"${hash}"`, `"x", "${hash}"`, "*"]) {
      const response = await get(`/${PATH}`, { "if-none-match": held });
      expect([response.status, response.headers.get("etag")]).toEqual([304, `"${hash}"`]);
    }
    expect((await get(`/${PATH}`, { "if-none-match": '"x"' })).status).toBe(200);
    const head = await get(`/${PATH}`, { range: "bytes=1-2" }, { method: "HEAD" });
    expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
      200,
      String(bytes.length),
      "",
    ]);
  });

  test.each([
    ["bytes=0-3", 0, 4],
    ["bytes=-8", -8, undefined],
    ["bytes=4-", 4, undefined],
    ["bytes=0-", 0, undefined],
    ["bytes=10-99999999", 10, undefined],
  ] as const)("is answered in part for %s", async (range, from, to) => {
    const response = await get(`/${PATH}`, { range });
    const { length } = bytes.subarray(from, to);
    const first = from < 0 ? bytes.length + from : from;
    expect(response.status).toBe(206);
    expect(response.headers.get("content-range")).toBe(
      `bytes ${first}-${first + length - 1}/${bytes.length}`,
    );
    expect(response.headers.get("content-length")).toBe(String(length));
    expect(await bodyOf(response)).toBe(part(from, to));
  });

  test("is 416 for a range behind its end, in the error envelope", async () => {
    const response = await get(`/${PATH}`, { range: `bytes=${bytes.length}-` });
    expect(response.status).toBe(416);
    expect(response.headers.get("content-range")).toBe(`bytes */${bytes.length}`);
    expect(response.headers.get("x-ratelimit-limit")).toBe("50000");
    expect(await response.json()).toEqual({
      error: {
        type: "invalid_request",
        code: "INVALID_REQUEST",
        message: expect.stringContaining(`${bytes.length} bytes`),
      },
    });
  });

  test("is whole if the client has parts of another version, or asks for several ranges", async () => {
    for (const headers of [
      { range: "bytes=0-3", "if-range": '"other"' },
      { range: "bytes=0-3", "if-range": "Fri, 20 Nov 2026 17:00:00 GMT" },
      { range: "bytes=0-3", "if-range": `W/"${hash}"` },
      { range: "bytes=0-3,5-6" },
      { range: "lines=0-3" },
      { range: "bytes=5-2" },
    ] as Record<string, string>[]) {
      const response = await get(`/${PATH}`, headers);
      expect(response.status).toBe(200);
      expect(await bodyOf(response)).toBe(part());
    }
    const same = await get(`/${PATH}`, { range: "bytes=0-3", "if-range": `"${hash}"` });
    expect([same.status, await same.text()]).toEqual([206, "PAR1"]);
  });

  test("has every range that a program can ask for", async () => {
    const position = fc.oneof(fc.nat({ max: bytes.length + 5 }).map(String), fc.constant(""));
    await fc.assert(
      fc.asyncProperty(position, position, async (from, to) => {
        const response = await get(`/${PATH}`, { range: `bytes=${from}-${to}` });
        const body = await bodyOf(response);
        if (response.status === 416) return;
        if (response.status === 200) return expect(body).toBe(part());
        const start = from === "" ? Math.max(0, bytes.length - Number(to)) : Number(from);
        const end =
          from === "" || to === "" ? bytes.length : Math.min(Number(to) + 1, bytes.length);
        expect([response.status, body]).toEqual([206, part(start, end)]);
      }),
      { numRuns: 150 },
    );
  });
});

describe("a path", () => {
  /** Sends a path as it is: `fetch` would remove `..`. */
  const raw = (path: string) =>
    new Promise<number>((resolve, reject) => {
      const { hostname, port } = new URL(service.base);
      httpRequest(
        { hostname, port, path, headers: { authorization: `Bearer ${token}` } },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      )
        .on("error", reject)
        .end();
    });

  test("never leads out of the export", async () => {
    writeFileSync(join(exports, "secret.txt"), "secret");
    mkdirSync(join(exports, "20261120T170000Z", "unlisted"), { recursive: true });
    writeFileSync(join(exports, "20261120T170000Z", "unlisted", "x.txt"), "x");
    for (const path of [
      "../secret.txt",
      "..%2fsecret.txt",
      "%2e%2e/secret.txt",
      "bars/../../../access.db",
      "bars/..%2f..%2f..%2faccess.db",
      "..\\secret.txt",
      "/etc/passwd",
      "%2fetc%2fpasswd",
      "bars/US.parquet%00",
      "bars//US.parquet",
      "bars/US.parquet/",
      "unlisted/x.txt",
      "BARS/US.parquet",
      "%",
      "%ff",
      "__proto__",
      "constructor",
    ])
      expect([path, await raw(`/api/v1/svc/files/${path}`)]).toEqual([path, 404]);
  });

  test("that is unknown names what there is; parameters are refused", async () => {
    const unknown = await get("/bars/FR.parquet");
    expect(unknown.status).toBe(404);
    expect(await unknown.json()).toMatchObject({
      error: {
        type: "not_found",
        code: "NOT_FOUND",
        hint: "The file manifest.json lists all, such as bars/US.parquet.",
      },
    });
    const parameter = await get(`/${PATH}?from=2020-01-01`);
    expect(parameter.status).toBe(400);
    expect(await parameter.json()).toMatchObject({ error: { param: "from" } });
    expect((await get(`/${PATH}?_=1&utm_source=x`)).status).toBe(200);
  });

  test("answers GET and HEAD only, before the token; then the token comes first", async () => {
    for (const method of ["POST", "PUT", "DELETE"]) {
      const refused = await fetch(`${files}/${PATH}`, { method });
      expect([refused.status, refused.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    }
    for (const path of ["", `/${PATH}`, "/nothing"]) {
      expect((await fetch(`${files}${path}`)).status).toBe(401);
      expect((await get(path, { authorization: "Bearer bourse_x" })).status).toBe(401);
    }
  });
});

describe("a user who is no administrator", () => {
  test("is refused by token and by link with a sentence, which counts, until the role is given", async () => {
    const { id, user, token: plain } = service.createToken("max");
    const link = service.accounts.createToken(user, "files", null, "feed").token;
    const ask = () => get(`/${PATH}`, { authorization: `Bearer ${plain}`, range: "bytes=0-3" });
    for (const response of [await ask(), await fetch(`${service.origin}/feed/${link}/files/`)]) {
      expect(response.headers.get("x-ratelimit-limit")).toBe("50000");
      expect([response.status, await response.json()]).toEqual([
        403,
        {
          error: {
            type: "invalid_request",
            code: "INVALID_REQUEST",
            message: expect.stringContaining("only tokens and feed links of administrators"),
            hint: expect.stringContaining("ask an administrator for the files"),
          },
        },
      ]);
    }
    expect(await service.used(id)).toBe(1);
    service.accounts.setRole(user, "admin");
    expect((await ask()).status).toBe(206);
    service.accounts.setRole(user, "user");
    expect((await ask()).status).toBe(403);
  });
});

test("a dated token and link of an administrator read no files, because they are of today", async () => {
  const { user } = createReader("max");
  const make = (kind: "api" | "feed") =>
    service.accounts.createToken(user, "", null, kind, [], undefined, "2023-03-31").token;
  const [dated, link] = [make("api"), make("feed")];
  for (const response of [
    await get(`/${PATH}`, { authorization: `Bearer ${dated}`, range: "bytes=0-3" }),
    await fetch(`${service.origin}/feed/${link}/files/`),
  ]) {
    expect(response.status).toBe(403);
    expect(await response.text()).toContain("this token is in 2023-03-31");
  }
});

describe("a feed link", () => {
  test("reads files below /feed/, in the path or in a header, and an API token does not belong in a URL", async () => {
    const { user, token: api } = createReader("max");
    const link = service.accounts.createToken(user, "files", null, "feed").token;
    const at = (path: string, headers: Record<string, string> = {}) =>
      fetch(`${service.origin}/feed/${path}`, { headers });
    const begin = await at(`${link}/files/${PATH}`, { range: "bytes=0-3" });
    expect([begin.status, await begin.text(), begin.headers.get("referrer-policy")]).toEqual([
      206,
      "PAR1",
      "no-referrer",
    ]);
    expect((await at(`files/${PATH}`, { authorization: `Bearer ${link}` })).status).toBe(200);
    expect((await at(`${link}/files/`)).status).toBe(200);
    for (const path of [`${api}/files/${PATH}`, `files/${PATH}`, `${link}x/files/${PATH}`]) {
      const refused = await at(path);
      expect(refused.status).toBe(401);
      expect(await refused.json()).toMatchObject({ error: { type: "authentication_error" } });
    }
    expect((await get(`/${PATH}`, { authorization: `Bearer ${link}` })).status).toBe(401);
    expect(service.logLines.join("\n")).not.toContain(link);
  });
});

describe("the quota", () => {
  test("counts a whole file each time, and parts of one file once a minute", async () => {
    const { id, token: own } = createReader("max");
    const used = async (path: string, headers: Record<string, string> = {}, method = "GET") => {
      const before = await service.used(id);
      await get(path, { authorization: `Bearer ${own}`, ...headers }, { method });
      return (await service.used(id)) - before;
    };
    const range = { range: "bytes=0-9" };
    expect(await used(`/${PATH}`)).toBe(1);
    expect(await used(`/${PATH}`)).toBe(1);
    expect(await used(`/${PATH}`, {}, "HEAD")).toBe(1);
    for (let i = 0; i < 5; i++) expect(await used(`/${PATH}`, range)).toBe(0);
    expect(await used("/splits/US.parquet", range)).toBe(1);
    service.time.now += 59_000;
    expect(await used(`/${PATH}`, range)).toBe(0);
    service.time.now += 1_000;
    expect(await used(`/${PATH}`, range)).toBe(1);
    expect(await used("/nothing")).toBe(1);
    const other = createReader("max");
    const before = await service.used(other.id);
    await get(`/${PATH}`, { authorization: `Bearer ${other.token}`, ...range });
    expect((await service.used(other.id)) - before).toBe(1);
  });

  test("refuses the 31st file of an hour of plan free with 429", async () => {
    const { token: free } = createReader("free");
    const statuses = [];
    for (let i = 0; i < 31; i++)
      statuses.push((await get(`/${PATH}`, { authorization: `Bearer ${free}` })).status);
    expect(statuses).toEqual([...Array<number>(30).fill(200), 429]);
  });
});

describe("the newest export", () => {
  test("is the one that is served, once it is complete", async () => {
    const market = openMarket(source.path);
    market.documents.put("splits", [{ country: "US", symbol: "SPLT", splits: [] }], {
      source: "yahoo",
      storedAt: START,
    });
    market.close();
    await exportAs("20261120T180000Z");
    const folder = join(exports, "20261120T180000Z");
    renameSync(join(folder, "manifest.json"), join(folder, "manifest.later"));
    const tagOf = async () => (await get(`/${PATH}`)).headers.get("etag");
    expect(await tagOf()).toBe(`"${hash}"`);
    renameSync(join(folder, "manifest.later"), join(folder, "manifest.json"));
    const newer = new Bun.CryptoHasher("sha256").update(readFileSync(join(folder, PATH)));
    expect(await tagOf()).toBe(`"${newer.digest("hex")}"`);
  });

  test("is missing: 404 says how to get one", async () => {
    renameSync(exports, `${exports}-away`);
    const response = await get("/");
    renameSync(`${exports}-away`, exports);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain("BOURSE_EXPORT_EVERY");
  });
});
