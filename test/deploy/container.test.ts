import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

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
