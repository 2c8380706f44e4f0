import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { flagsOf } from "#cli/command.ts";
import { COMMANDS } from "#cli/commands.ts";

const DEPLOY = join(import.meta.dir, "../../src/deploy");
const page = readFileSync(join(DEPLOY, "README.md"), "utf8");
const lines = [...page.matchAll(/```sh\n(.*?)```/gs)].flatMap(([, block = ""]) =>
  block.trim().split("\n"),
);

/** The calls of bourse, in the shell or in a container of the image, without the name of the program. */
const calls = lines.flatMap((line) => {
  const found =
    /run --rm bourse (\S.*)$/.exec(line) ?? /(?:^|[^/]\bbourse )bourse (\S.*)$/.exec(line);
  return found?.[1] ?? [];
});

test("the page names every command with flags that it has", () => {
  expect(calls.length).toBeGreaterThan(15);
  for (const call of calls) {
    const command = COMMANDS.toSorted((a, b) => b.name.length - a.name.length).find(({ name }) =>
      `${call} `.startsWith(`${name} `),
    );
    expect([call, command === undefined]).toEqual([call, false]);
    const flags = [...call.matchAll(/ --([\w-]+)/g)].map(([, flag = ""]) => flag);
    const known = command ? Object.keys(flagsOf(command)) : [];
    expect([call, flags.filter((flag) => !known.includes(flag))]).toEqual([call, []]);
  }
});

test("commands under systemd run as the user of the service, on its folder", () => {
  const asOthers = lines.filter(
    (line) =>
      /\bbourse (?:backup|restore|import|doctor|status|user|token) /.test(line) &&
      !line.startsWith("docker compose") &&
      !(line.startsWith("sudo -u bourse ") && line.includes(" --data /var/lib/bourse")),
  );
  expect(asOthers).toEqual([]);
});

test("commands of Docker name files, services and volumes that exist", () => {
  const read = (file: string) =>
    Bun.YAML.parse(readFileSync(join(DEPLOY, file), "utf8")) as {
      name: string;
      services: Record<string, unknown>;
      volumes: Record<string, unknown>;
    };
  const docker = lines.filter((line) => line.startsWith("docker compose"));
  expect(docker.length).toBeGreaterThan(15);
  for (const line of docker) {
    const [, file = "", rest = ""] =
      /^docker compose -f src\/deploy\/(\w+\.yaml) (.*)$/.exec(line) ?? [];
    const { services } = read(file);
    const named = rest
      .split(" ")
      .filter((word) => /^(?:bourse|node\d|postgres)(?::.*)?$/.test(word))
      .slice(0, 1)
      .map((word) => word.replace(/:.*/, ""));
    expect([line, named.filter((name) => !(name in services))]).toEqual([line, []]);
  }
  const { name, volumes } = read("compose.yaml");
  expect(page).toContain(`${name}_${Object.keys(volumes)[0]}:/data`);
  const user = /^USER (\d+)$/m.exec(readFileSync(join(DEPLOY, "Dockerfile"), "utf8"))?.[1];
  expect(page).toContain(`install -o ${user} -g ${user} `);
});
