import { describe, expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, normalize } from "node:path";
import { Glob } from "bun";
import packages from "../package.json";

const SRC = join(import.meta.dir, "../src");

/** The rooms that each room may import; "" has the files beside the rooms. Type-only imports count. */
const MAY_IMPORT: Readonly<Record<string, readonly string[]>> = {
  lib: [],
  domain: ["lib"],
  analytics: ["domain", "lib"],
  sources: ["analytics", "domain", "lib"],
  sample: ["analytics", "domain", "lib"],
  imports: ["sources", "analytics", "domain", "lib"],
  store: ["domain", "lib"],
  panels: ["analytics", "domain", "lib"],
  ingest: ["sources", "sample", "store", "analytics", "domain", "lib"],
  access: ["store", "domain", "lib"],
  rollups: ["analytics", "store", "domain", "lib"],
  operations: ["rollups", "panels", "analytics", "store", "domain", "lib"],
  exports: ["operations", "rollups", "panels", "analytics", "store", "domain", "lib"],
  mcp: ["operations", "access", "domain", "lib"],
  // Types only, see below.
  console: ["http", "operations", "domain"],
  alerts: ["operations", "rollups", "analytics", "store", "domain", "lib"],
  feeds: ["operations", "domain", "lib"],
  clients: [],
  // And the Markdown files of every room.
  docs: ["clients", "lib"],
  http: [
    "alerts",
    // The console's own figures: a histogram and lines of indicators.
    "analytics",
    "console",
    "exports",
    "feeds",
    "clients",
    "docs",
    "mcp",
    "operations",
    "access",
    "domain",
    "lib",
  ],
  deploy: ["cli", "http", "operations", "domain", "lib"],
  // prettier-ignore
  service: [
    "", "http", "mcp", "exports", "alerts", "operations", "rollups", "access", "ingest", "imports", "sources", "store",
    "analytics", "domain", "lib",
  ],
};

/** The packages that a room may import, in addition to TypeBox, in which all schemas are written. */
const FOREIGN: Readonly<Record<string, RegExp>> = {
  "": /^node:tty$/,
  http: /^(elysia|@elysiajs\/cors|node:net|oauth4webapi)$/,
  mcp: /^@modelcontextprotocol\//,
  // The files of the program, by which it is known.
  domain: /^node:(fs|path)$/,
  // `async_hooks` for the throttle: it orders work by the caller.
  lib: /^(fastest-levenshtein|html-entities|hyparquet(\/src\/\w+\.js)?|hyparquet-writer|node:(async_hooks|crypto|net|zlib))$/,
  // It sends mail.
  alerts: /^nodemailer$/,
  store: /^(bun:sqlite$|node:(fs|path)$)/,
  access: /^node:crypto$/,
  exports: /^node:(fs|path)$/,
  // To collect the garbage of a part of a long list.
  ingest: /^bun:jsc$/,
  console: /^(preact|preact\/hooks|@preact\/signals|lightweight-charts|d3-hierarchy)$/,
  // The TypeScript client is a package of its own.
  clients: /^openapi-fetch$/,
  service: /^bun:ffi$|^node:(dns\/promises|fs|net|os|path|tls)$/,
  cli: /^node:(fs|os|path|util)$/,
  deploy: /^node:(fs|path|util|zlib)$/,
};

interface Import {
  readonly file: string;
  readonly room: string;
  readonly specifier: string;
  /** The imported file, relative to `src`, or null for a package. */
  readonly target: string | null;
  /** True if the imported file is loaded together with this one. */
  readonly isAtStart: boolean;
  readonly isType: boolean;
}

const sources = new Map<string, string>();
for await (const file of new Glob("**/*.{ts,tsx}").scan(SRC)) {
  sources.set(file, await Bun.file(join(SRC, file)).text());
}

const imports: Import[] = [...sources].flatMap(([file, text]) =>
  [
    ...text.matchAll(
      /^(?:import|export)\b[^;]*?\bfrom "([^"]+)"|^import "([^"]+)"|\bimport\("([^"]+)"\)/gm,
    ),
  ].map((match) => {
    const specifier = match.slice(1).find((one) => one !== undefined) ?? "";
    const target = specifier.startsWith("#")
      ? specifier.slice(1)
      : specifier.startsWith(".")
        ? normalize(join(dirname(file), specifier))
        : null;
    const isAtStart = !/^import(\(| type\b)/.test(match[0]);
    const isType = match[0].startsWith("import type ");
    return { file, room: roomOf(file), specifier, target, isAtStart, isType };
  }),
);

function roomOf(file: string): string {
  return file.includes("/") ? (file.split("/")[0] ?? "") : "";
}

/** The places of a cycle, the first one also at its end; null without a cycle. */
function findCycle(next: ReadonlyMap<string, ReadonlySet<string>>): readonly string[] | null {
  const done = new Set<string>();
  const walk = (place: string, path: readonly string[]): readonly string[] | null => {
    if (path.includes(place)) return [...path, place];
    if (done.has(place)) return null;
    for (const target of next.get(place) ?? []) {
      const cycle = walk(target, [...path, place]);
      if (cycle) return cycle;
    }
    done.add(place);
    return null;
  };
  for (const place of next.keys()) {
    const cycle = walk(place, []);
    if (cycle) return cycle;
  }
  return null;
}

/** The files that read the environment: those with which bourse and the making of a release begin. */
const PROGRAMS = ["main.ts", "deploy/release.ts"];

/** The console runs in the browser, which has its own clock. */
const isBrowserCode = (file: string) =>
  // A macro reads the table of words when the browser's code is bundled.
  file.startsWith("console/app/") && file !== "console/app/words/table.ts";

const show = ({ file, specifier }: Import) => `${file} imports ${specifier}`;

describe("the rooms", () => {
  test("every room has its line in the table, except cli, which may import everything", () => {
    const rooms = new Set([...sources.keys()].map(roomOf).filter((room) => room !== ""));
    expect([...rooms].toSorted()).toEqual([...Object.keys(MAY_IMPORT), "cli"].toSorted());
  });

  test("imports only run downward", () => {
    const wrong = imports.filter(
      ({ room, specifier, target }) =>
        target !== null &&
        room in MAY_IMPORT &&
        !specifier.endsWith("package.json") &&
        roomOf(target) !== room &&
        !MAY_IMPORT[room]?.includes(roomOf(target)),
    );
    expect(wrong.map(show)).toEqual([]);
  });

  test("imports across folders are #room/…, imports within a folder ./…, never ../", () => {
    const wrong = imports.filter(({ file, room, specifier, target }) => {
      if (target === null || specifier.endsWith("package.json")) return false;
      if (specifier.startsWith("../")) return true;
      return specifier.startsWith("#")
        ? dirname(target) === dirname(file)
        : roomOf(target) !== room;
    });
    expect(wrong.map(show)).toEqual([]);
  });

  test("browser code has types of other rooms only, and nothing of Bun or Node", () => {
    const values = imports.filter(
      ({ file, target, isType }) =>
        isBrowserCode(file) && target !== null && roomOf(target) !== "console" && !isType,
    );
    const names = [...sources].filter(
      ([file, text]) =>
        isBrowserCode(file) && /\bBun\.|"(node|bun):|\bprocess\.(?!env\.BOURSE_TOKEN)/.test(text),
    );
    expect([...values.map(show), ...names.map(([file]) => file)]).toEqual([]);
  });

  test("the table allows no import that no file needs", () => {
    const used = new Set(
      imports.map(({ room, target }) => `${room} ${target === null ? "" : roomOf(target)}`),
    );
    const unused = Object.entries(MAY_IMPORT).flatMap(([room, allowed]) =>
      allowed.map((one) => `${room} ${one}`).filter((edge) => !used.has(edge)),
    );
    expect(unused).toEqual([]);
  });

  test("there are no import cycles, neither of files nor of rooms", () => {
    // A text imports nothing: the page of the console, which `http` bundles, and a unit of systemd.
    const code = imports.filter(({ target }) => target !== null && sources.has(target));
    const roomOrFile = (file: string) => roomOf(file) || file;
    for (const placeOf of [(file: string) => file, roomOrFile]) {
      const next = new Map<string, Set<string>>();
      for (const { file, target } of code) {
        const [from, to] = [placeOf(file), placeOf(target ?? "")];
        if (from !== to) next.set(from, (next.get(from) ?? new Set()).add(to));
      }
      expect(findCycle(next)).toBeNull();
      expect(next.size).toBeGreaterThan(15);
    }
  });

  test("a command loads only the modules that it needs", () => {
    // Each 100 KB of code that is loaded adds a millisecond to the start.
    const loadedBy = (...entries: string[]) => {
      const loaded = new Set(entries);
      for (const file of loaded)
        for (const { target, isAtStart } of imports.filter((one) => one.file === file))
          if (target !== null && isAtStart) loaded.add(target);
      return [...loaded];
    };
    const version = loadedBy("main.ts");
    expect(version.length).toBeGreaterThan(30);
    expect(version.length).toBeLessThanOrEqual(60);
    // Bun collects garbage when a server begins to listen, so few modules are loaded by then.
    expect(loadedBy("main.ts", "service/start.ts").length).toBeLessThanOrEqual(60);
    const service = loadedBy("main.ts", "service/start.ts", "service/serve.ts");
    expect(service.length).toBeGreaterThan(250);
    expect(service.length).toBeLessThanOrEqual(430);
    const needless =
      /^(sources\/[^/]+\/|store\/postgres|cli\/(commands|status)\.ts|service\/(metrics|live)\.ts|feeds\/|clients\/|http\/openapi\.ts|sample\/(provider|universe)\.ts|ingest\/(refresh|plausibility)\.ts)/;
    expect(service.filter((file) => needless.test(file))).toEqual([]);
  });

  test("each package is imported by one room", () => {
    const wrong = imports.filter(
      ({ room, specifier, target }) =>
        target === null &&
        !specifier.startsWith("@sinclair/typebox") &&
        !FOREIGN[room]?.test(specifier),
    );
    expect(wrong.map(show)).toEqual([]);
  });

  test("each package that code or tests import is in package.json", async () => {
    const { dependencies, devDependencies } = packages;
    const declared = new Set([...Object.keys(dependencies), ...Object.keys(devDependencies)]);
    const root = join(SRC, "..");
    const wrong: string[] = [];
    // The bench declares the packages of its peers itself, and the TypeScript client its own.
    for await (const file of new Glob("{src,test}/**/*.{ts,tsx}").scan(root)) {
      if (/^(test\/bench|src\/clients\/typescript)\//.test(file)) continue;
      const text = await Bun.file(join(root, file)).text();
      for (const [, name = ""] of text.matchAll(
        /^(?:import|\}) .*?from "((?:@[^/"]+\/)?[^/".#:]+)/gm,
      ))
        if (!["bun", "node"].includes(name) && !declared.has(name)) wrong.push(`${file}: ${name}`);
    }
    expect(wrong).toEqual([]);
  });

  test("SQL is in the store only, and the environment is read where a program begins", () => {
    const wrong = [...sources].filter(
      ([file, text]) =>
        (roomOf(file) !== "store" &&
          /\b(SELECT\s.+\sFROM|INSERT\s+INTO|DELETE\s+FROM)\b/.test(text)) ||
        (!PROGRAMS.includes(file) &&
          !isBrowserCode(file) &&
          /\bprocess\.env\b(?!\.NODE_ENV")|\bBun\.env\b/.test(text)),
    );
    expect(wrong.map(([file]) => file)).toEqual([]);
  });
});

/** Files that may read the clock or generate random numbers, with the reason. */
const CLOCK_READERS: Readonly<Record<string, string>> = {
  "main.ts": "the composition root hands the clock to the command line",
  "worker.ts": "the composition root of the thread that writes the market",
  "service/live.ts": "random numbers spread the retries of sources; no answer depends on them",
};

/** The phrases that hide a subject. */
const HIDDEN_SUBJECT = /\b(?:that of|those of|(?:none )?of which)\b/gi;

const MAX_LINES = 70;

describe("the code", () => {
  test("of tests starts children by spawnChild, which ends them", async () => {
    const starters: string[] = [];
    for await (const file of new Glob("**/*.ts").scan(import.meta.dir)) {
      if (file.startsWith("bench/") || file === "support/child-process.ts") continue;
      const text = await Bun.file(join(import.meta.dir, file)).text();
      if (/\bBun\.spawn[(]/.test(text)) starters.push(file);
    }
    expect(starters).toEqual([]);
  });

  test("of tests has no time limit below ten minutes, because it only ends a test that hangs", async () => {
    const short: string[] = [];
    for await (const file of new Glob("**/*.ts").scan(import.meta.dir)) {
      if (file.startsWith("bench/")) continue;
      const text = await Bun.file(join(import.meta.dir, file)).text();
      for (const [, limit = ""] of text.matchAll(
        /^ *(?:\}, |(?:before|after)(?:All|Each)\(.*, )([\d_]+000)\);$/gm,
      ))
        if (Number(limit.replaceAll("_", "")) < 600_000) short.push(`${file}: ${limit}`);
    }
    expect(short).toEqual([]);
  });

  test("has no phrase that hides a subject in code and documents", async () => {
    const texts = [...sources.values()];
    for await (const file of new Glob("**/*.md").scan(SRC))
      texts.push(await Bun.file(join(SRC, file)).text());
    const found = texts.flatMap(
      (text) => text.replaceAll(/\n *(?:\*|\/\/)? */g, " ").match(HIDDEN_SUBJECT) ?? [],
    );
    expect(found).toEqual([]);
  });

  test("gets the time and random numbers as arguments", () => {
    const readers = [...sources].filter(
      ([file, text]) =>
        !isBrowserCode(file) &&
        /\bDate\.now\b|\bnew Date\(\)|\bperformance\.now\b|\bMath\.random\b/.test(text),
    );
    expect(readers.map(([file]) => file).toSorted()).toEqual(Object.keys(CLOCK_READERS).toSorted());
  });

  test("puts a text in a normal form by normalForm, whose time is in proportion to the text", () => {
    // The schemas of sign-in bound a password, and its hash must not change.
    const places = ["access/passwords.ts", "lib/normal-form.ts"];
    const found = [...sources].filter(
      ([file, text]) => !isBrowserCode(file) && /\.normalize\(/.test(text),
    );
    expect(found.map(([file]) => file).toSorted()).toEqual(places);
  });

  test("logs constant messages, because equal ones are counted", () => {
    const wrong = [...sources].filter(([, text]) =>
      /\blog\.(?:info|warn|error)\(\s*[^\s")]/.test(text),
    );
    expect(wrong.map(([file]) => file)).toEqual([]);
  });

  test(`has no function longer than ${MAX_LINES} lines`, async () => {
    const config = join(tmpdir(), `bourse-tidy-${process.pid}.json`);
    await Bun.write(
      config,
      JSON.stringify({
        categories: { correctness: "off" },
        rules: { "max-lines-per-function": ["error", { max: MAX_LINES }] },
      }),
    );
    const linter = join(SRC, "../node_modules/.bin/oxlint");
    const { stdout } = Bun.spawnSync([linter, "--config", config, "--format", "json", SRC]);
    rmSync(config);
    const { diagnostics } = JSON.parse(stdout.toString()) as {
      diagnostics: { filename: string; message: string }[];
    };
    const long = diagnostics.map(
      ({ filename, message }) => /`(\w+)`/.exec(message)?.[1] ?? `${filename}: ${message}`,
    );
    expect(long).toEqual([]);
  });
});
