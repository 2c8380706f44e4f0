import { afterEach, expect, test } from "bun:test";
import { classNameOf } from "#console/app/parts/class-name.ts";
import { showLanguage } from "#console/app/words.ts";
import { formatLocalSector, LOCAL_SECTORS } from "#domain/local-sectors.ts";
import { INDUSTRIES, SECTORS } from "#domain/taxonomy.ts";

afterEach(() => showLanguage("en"));

test("a sector or an industry has the same name from its slug as in the answers of the service", async () => {
  for (const { slug, name } of [...SECTORS.values(), ...INDUSTRIES.values()]) {
    expect(classNameOf(slug)).toBe(name);
  }
  for (const one of LOCAL_SECTORS) {
    const [name] = one.names;
    expect(classNameOf(formatLocalSector(one)).replaceAll(",", "")).toBe(name.replaceAll(",", ""));
  }
  await showLanguage("ja");
  expect(classNameOf("JP:electric-appliances")).toBe("電気機器");
});
