import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { type ClientService, startForClients } from "../support/client-service.ts";

// Not part of the suite (no .test in its name): it needs the Debian package python3-pandas.

/** Another Python, with another pandas: `TEST_PYTHON=…/bin/python`. */
const PYTHON = process.env["TEST_PYTHON"] ?? "/usr/bin/python3";
const hasPandas = Bun.spawnSync(["sh", "-c", `${PYTHON} -c "import pandas"`]).success;
if (!hasPandas)
  process.stderr.write("SKIPPED: bourse.py needs the Debian package python3-pandas.\n");

let service: ClientService;
beforeAll(async () => {
  service = await startForClients();
  await service.save("bourse.py");
}, 600_000);
afterAll(() => service.stop());

describe.skipIf(!hasPandas)("bourse.py from /clients/ with Debian's pandas", () => {
  test.each(["History", "Downloads", "Company", "Interface", "Connection"])("%s", async (name) => {
    const tests = join(import.meta.dir, "bourse_test.py");
    const { code, stderr } = await service.run(PYTHON, tests, name);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("\nOK\n") });
  });

  const scripts = join(import.meta.dir, "yfinance-scripts");
  test.each(readdirSync(scripts).toSorted())("runs %s with another import line", async (name) => {
    const written = await Bun.file(join(scripts, name)).text();
    const script = written.replace(/^import yfinance as yf$/m, "import bourse as yf");
    expect(script).not.toBe(written);
    await Bun.write(join(service.folder, name), script);
    const { code, stdout, stderr } = await service.run(PYTHON, name);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout.length).toBeGreaterThan(40);
  });
});
