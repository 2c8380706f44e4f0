import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const FOLDER = new URL("../../../shared/data/", import.meta.url);

/** True if the folder of real answers, `../shared/data`, is next to the repository. */
export const hasRecordings = existsSync(FOLDER);

/** The path of a real answer, for a command line. */
export const recordedPath = (path: string) => fileURLToPath(new URL(path, FOLDER));

/** A real answer as bytes: `recordedBytes("jpx/data_j.xls")`. */
export const recordedBytes = (path: string) => readFileSync(new URL(path, FOLDER));

/** A real answer as text. */
export const recordedText = (path: string) => readFileSync(new URL(path, FOLDER), "utf8");

/** A real answer as JSON of any form; packed if the path ends with `.gz`. */
// oxlint-disable-next-line typescript/no-explicit-any
export const recordedJson = (path: string): any =>
  JSON.parse(
    path.endsWith(".gz") ? gunzipSync(recordedBytes(path)).toString() : recordedText(path),
  );
