import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { readConfig } from "#config.ts";

const ROOT = join(import.meta.dir, "../..");
const dockerfile = readFileSync(join(ROOT, "src/deploy/Dockerfile"), "utf8");
const manifest = readFileSync(join(ROOT, "package.json"), "utf8");

describe("the Dockerfile", () => {
  test("copies files that exist and that its ignore file lets through", () => {
    const ignored = readFileSync(join(ROOT, "src/deploy/Dockerfile.dockerignore"), "utf8");
    const copied = [...dockerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(
      ([, files = ""]) => files.split(" "),
    );
    expect(copied.length).toBeGreaterThan(3);
    for (const file of copied) {
      expect([file, existsSync(join(ROOT, file))]).toEqual([file, true]);
      expect(ignored.split("\n")).toContain(`!${file}`);
    }
  });

  test("copies every file outside src that the program imports", () => {
    const imported = new Set<string>();
    const sources = new Bun.Glob("**/*.{ts,tsx}").scanSync(join(ROOT, "src"));
    for (const file of sources) {
      const text = readFileSync(join(ROOT, "src", file), "utf8");
      for (const [, path = ""] of text.matchAll(/(?:from |import\()"((?:\.\.\/)+[^"]+)"/g)) {
        const target = join("src", dirname(file), path);
        if (!target.startsWith("src/")) imported.add(target);
      }
    }
    expect([...imported].toSorted()).toEqual(["README.md", "package.json"]);
    for (const file of imported) expect(dockerfile).toMatch(new RegExp(`^COPY .*\\b${file}`, "m"));
  });

  test("builds with the Bun version of the project and runs without root rights", () => {
    const version = /"bun-types": "([^"]+)"/.exec(manifest)?.[1];
    expect(dockerfile).toContain(`RUN npx -y bun@${version} run build`);
    expect(dockerfile).toMatch(/^USER \d+$/m);
  });
});

describe("compose.yaml", () => {
  const compose = Bun.YAML.parse(readFileSync(join(ROOT, "src/deploy/compose.yaml"), "utf8")) as {
    services: Record<string, Record<string, unknown>>;
  };

  test("runs bourse read-only, without rights, on loopback only", () => {
    expect(compose.services["bourse"]).toMatchObject({
      ports: ["127.0.0.1:8787:8787"],
      read_only: true,
      cap_drop: ["ALL"],
      security_opt: ["no-new-privileges:true"],
      volumes: ["data:/data"],
    });
  });
});

describe("cluster.yaml", () => {
  const { services } = Bun.YAML.parse(
    readFileSync(join(ROOT, "src/deploy/cluster.yaml"), "utf8"),
  ) as { services: Record<string, { environment?: Record<string, string> }> };
  const nodes = Object.values(services).flatMap(({ environment = {} }) =>
    environment["BOURSE_CLUSTER"] === undefined ? [] : [environment],
  );
  const BACKUPS = "BOURSE_BACKUP_EVERY";

  test("has two nodes with equal settings, and one of them backs up", () => {
    const every = nodes.map((one) => readConfig({}, { [BACKUPS]: one[BACKUPS] }).backups.everyMs);
    expect(every).toEqual([24 * 3_600_000, null]);
    const [first = {}, second = {}] = nodes;
    expect({ ...second, [BACKUPS]: undefined }).toEqual({ ...first, [BACKUPS]: undefined });
  });
});
