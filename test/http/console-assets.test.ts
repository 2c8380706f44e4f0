import { afterAll, describe, expect, test } from "bun:test";
import { pack } from "#http/console-assets.ts";
import { loadAssets } from "#http/assets.ts";
import packages from "../../package.json";
import { startService } from "../support/service.ts";

const assets = new Map((await loadAssets()).map(({ path, bytes }) => [path, bytes]));
const service = await startService({ sample: false });
const origin = new URL(service.base).origin;
const page = await (await fetch(`${origin}/console`)).text();
afterAll(() => service.stop());

const fileUrls = () =>
  [...page.matchAll(/(?:src|href)="(\/chunk-[^"]+)"/g)].map(([, url]) => origin + url);

/** The most bytes of a page with everything that it loads, compressed by gzip. */
const PAGE_BYTES = 110_000;
const OWN_LIMITS: Readonly<Record<string, number>> = { symbol: 130_000, markets: 80_000 };
/** The most files of a page, each a request. */
const PAGE_FILES = 20;
const OWN_FILES: Readonly<Record<string, number>> = { markets: 15 };
/** The parts of pages that load when a reader first opens them, by a text in their code, and their most bytes. */
const ON_USE: readonly (readonly [text: string, bytes: number])[] = [
  ["history-choices", 8_000],
  ["correlation-body", 3_000],
  ["course-chart", 2_000],
  ["welcome-card", 2_000],
  ["20, 100", 2_000],
  ["−2σ", 3_000],
  ["statement-choice", 3_000],
];

describe("the compressed size of a page with all its files", () => {
  const read = (path: string) => new TextDecoder().decode(assets.get(path));
  const [, entry = ""] = /src="(\/chunk-[^"]+)"/.exec(page) ?? [];
  const shared = ["/console.html", ...fileUrls().map((url) => new URL(url).pathname)];
  /** These files and all that they import. */
  const loaded = (paths: readonly string[], imports: RegExp, known = new Set<string>()) => {
    const found = new Set(paths);
    // The loop reaches what is added to the set.
    for (const path of found) {
      if (known.has(path)) continue;
      for (const [, next = ""] of read(path).matchAll(imports)) found.add(next);
    }
    return found;
  };
  const first = loaded(shared, /(?:from|import)"(\/chunk-[^"]+)"/g);
  const routes = [
    ...read(entry).matchAll(/pattern:\/(\S+?)\$\/,.{0,150}?import\("(\/chunk-[^"]+)"/g),
  ];

  const packedSize = async (files: readonly string[]) => {
    const packed = await Promise.all(
      files.map((file) => pack(assets.get(file) ?? new Uint8Array(), "gzip")),
    );
    return packed.reduce((sum, { size }) => sum + size, 0);
  };
  const onUse = [...assets.keys()].flatMap((file) => {
    const limit = ON_USE.find(([text]) => file.endsWith(".js") && read(file).includes(text));
    return limit ? [[file, limit] as const] : [];
  });

  test.each(ON_USE)("the part with %s is one file below %i bytes", async (text, bytes) => {
    const files = onUse.flatMap(([file, [of]]) => (of === text ? file : []));
    expect(files).toHaveLength(1);
    expect(await packedSize(files)).toBeLessThan(bytes);
  });
  test("is known of each page", () => {
    expect(routes.length).toBe(read(entry).match(/pattern:\//g)?.length ?? 0);
  });
  test.each(routes.map(([, pattern = "", path = ""]) => [nameOf(pattern), path]))(
    "%s",
    async (name, path) => {
      // A page may load more by itself; the code that all pages share loads one page.
      const known = new Set([...first, ...onUse.map(([file]) => file)]);
      const own = loaded([path], /(?:from|import\(?)"(\/chunk-[^"]+)"/g, known);
      const files = new Set([...first, ...own]).difference(new Set(onUse.map(([file]) => file)));
      expect(
        await packedSize([...files]),
        "Load what is not seen first by import(), or shorten the CSS.",
      ).toBeLessThan(OWN_LIMITS[name] ?? PAGE_BYTES);
      expect(
        files.size,
        "Small parts of most pages are in console/app/common.ts.",
      ).toBeLessThanOrEqual(OWN_FILES[name] ?? PAGE_FILES);
    },
  );
});

/** The name of the page of a pattern. */
function nameOf(pattern: string): string {
  if (pattern.includes("<symbol>")) return "symbol";
  return /console\W*(?:\?:)?\W*([a-z-]+)/.exec(pattern)?.[1] ?? "";
}

describe("the page", () => {
  test("is the same at every path of the console", async () => {
    for (const path of ["/console/", "/console/US/AAPL", "/console/nothing", "/console?x=1"]) {
      const response = await fetch(origin + path);
      expect([response.status, await response.text()]).toEqual([200, page]);
    }
  });

  test("is answered under a Host with an impossible port, of which no URL can be made", async () => {
    for (const path of ["/console", "/chunk-1a2b3c4d.js"]) {
      const { status } = await fetch(origin + path, { headers: { Host: "127.0.0.1:99999" } });
      expect([path, status]).toEqual([path, path === "/console" ? 200 : 404]);
    }
  });

  test("names its script and its stylesheet by absolute paths", async () => {
    const types = await Promise.all(
      fileUrls().map(async (url) => (await fetch(url)).headers.get("content-type")),
    );
    expect(new Set(types)).toEqual(
      new Set(["text/css; charset=utf-8", "text/javascript; charset=utf-8"]),
    );
  });

  test("holds no inline script or style, which its policy forbids", () => {
    expect(page).not.toMatch(/<style|<script(?![^>]*\bsrc=)|\sstyle=|\son\w+=/);
  });

  test("is checked at each visit and not sent again while it is the same", async () => {
    const first = await fetch(`${origin}/console`);
    expect(first.headers.get("cache-control")).toBe("no-cache");
    const etag = first.headers.get("etag") ?? "";
    const second = await fetch(`${origin}/console`, { headers: { "If-None-Match": etag } });
    expect([second.status, await second.text()]).toEqual([304, ""]);
  });
});

describe("the consent page of OAuth", () => {
  test("stays connected to the window that opened it, and is still in no frame", async () => {
    const openerOf = async (path: string) => {
      const { headers } = await fetch(origin + path);
      expect(headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
      return headers.get("cross-origin-opener-policy");
    };
    expect(await openerOf("/console/connect?client_id=x")).toBe("unsafe-none");
    expect(await openerOf("/console")).toBe("same-origin");
    expect(await openerOf("/console/tokens")).toBe("same-origin");
  });
});

describe("every file", () => {
  test("has the security headers and no CORS header", async () => {
    for (const url of [`${origin}/console`, ...fileUrls()]) {
      const { headers } = await fetch(url, { headers: { Origin: "https://example.com" } });
      expect(headers.get("content-security-policy")).toBe(
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
          "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
          "require-trusted-types-for 'script'",
      );
      expect(headers.get("x-content-type-options")).toBe("nosniff");
      expect(headers.get("referrer-policy")).toBe("no-referrer");
      expect(headers.get("access-control-allow-origin")).toBeNull();
    }
  });

  test("with a hash in its path may be kept for ever", async () => {
    for (const url of fileUrls()) {
      const { headers } = await fetch(url);
      expect(headers.get("cache-control")).toBe("public, max-age=31536000, immutable");
    }
  });

  test("is compressed, and the same after decompression", async () => {
    for (const url of fileUrls()) {
      const plain = await (await fetch(url, { headers: { "Accept-Encoding": "identity" } })).text();
      for (const encoding of ["gzip", "zstd"]) {
        const response = await fetch(url, { headers: { "Accept-Encoding": encoding } });
        expect(response.headers.get("content-encoding")).toBe(encoding);
        expect(await response.text()).toBe(plain);
      }
    }
  });

  test("answers HEAD without a body", async () => {
    for (const url of [`${origin}/console`, ...fileUrls()]) {
      const response = await fetch(url, { method: "HEAD" });
      expect([response.status, await response.text()]).toEqual([200, ""]);
    }
  });

  test("refuses other methods", async () => {
    const response = await fetch(`${origin}/console`, { method: "POST" });
    expect([response.status, response.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
  });
});

test.each(["/chunk-00000000.js", "/chunk-x.css"])("%s is unknown", async (path) => {
  const response = await fetch(origin + path);
  const body = (await response.json()) as { error: { type: string } };
  expect([response.status, body.error.type]).toEqual([404, "not_found"]);
});

test("the old address of the reference of the API leads to the operations in the documentation", async () => {
  const response = await fetch(`${origin}/console/api-reference`);
  expect([response.status, response.url]).toEqual([200, `${origin}/docs/examples`]);
  expect(await response.text()).toContain("get_stock_technicals");
});

test("the licences are a text that names every package of the program with the licence that it declares", async () => {
  const response = await fetch(`${origin}/console/licences.txt`);
  expect(response.headers.get("content-type")).toBe("text/plain; charset=utf-8");
  const text = await response.text();
  // Types only: it is no part of the program.
  const names = Object.keys(packages.dependencies).filter((name) => name !== "bun-types");
  for (const name of names) {
    const manifest = Bun.file(`${import.meta.dir}/../../node_modules/${name}/package.json`);
    const { license } = (await manifest.json()) as { license: string };
    expect(text).toContain(`\n${name} (${license}): `);
  }
  expect(text).toContain("The above copyright notice and this permission notice shall be included");
});
