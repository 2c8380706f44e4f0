import { readFileSync } from "node:fs";
import { parseJson } from "#lib/json.ts";

/** The value of a JSON file of ours; null if the file is missing or damaged. */
export function readJsonFile<T>(path: string): T | null {
  try {
    return (parseJson(readFileSync(path, "utf8")) ?? null) as T | null;
  } catch {
    return null;
  }
}
