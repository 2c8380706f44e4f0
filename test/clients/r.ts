import { afterAll, beforeAll, expect, test } from "bun:test";
import { join } from "node:path";
import { type ClientService, startForClients } from "../support/client-service.ts";

// Not part of the suite (no .test in its name): it needs the Debian packages r-base-core, r-cran-curl and r-cran-jsonlite.

const PACKAGES = "stopifnot(requireNamespace('curl'), requireNamespace('jsonlite'))";
const hasR = Bun.spawnSync(["sh", "-c", `Rscript -e "${PACKAGES}" 2>&1`]).success;
if (!hasR) {
  process.stderr.write("SKIPPED: bourse.R needs r-base-core, r-cran-curl and r-cran-jsonlite.\n");
}

let service: ClientService;
beforeAll(async () => {
  service = await startForClients();
  await service.save("bourse.R");
}, 600_000);
afterAll(() => service.stop());

test.skipIf(!hasR)(
  "bourse.R from /clients/ gives the figures and sentences of the service",
  async () => {
    const { code, stdout, stderr } = await service.run(
      "Rscript",
      join(import.meta.dir, "bourse_test.R"),
    );
    expect({ code, stdout, stderr }).toEqual({ code: 0, stdout: "all passed\n", stderr: "" });
  },
);
