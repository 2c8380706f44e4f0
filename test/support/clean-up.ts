import { afterAll } from "bun:test";
import { rmSync } from "node:fs";
import { SAMPLE_FOLDER } from "./service.ts";

// Preloaded by bunfig.toml, so that it runs once, after the last test of a run.
afterAll(() => rmSync(SAMPLE_FOLDER, { recursive: true, force: true }));
