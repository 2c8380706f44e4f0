import { Type } from "@sinclair/typebox";
import { checkRowCount } from "#sources/check-answer.ts";
import type { SourceClient } from "#sources/source.ts";
import { dataReader, VIETCAP_SERVICE } from "./answer.ts";
import { VIETCAP } from "./source.ts";

/** Instruments, prices and price targets are in the same answer, and are fetched one after the other. */
export const MAX_AGE_MS = 10 * 60_000;

const readRows = dataReader(Type.Array(Type.Unknown()));

/** Requests the list of all companies, at most `maxAgeMs` old. */
export async function fetchListing(
  client: SourceClient,
  maxAgeMs: number = MAX_AGE_MS,
): Promise<unknown> {
  // Language 2 is English.
  const address = `${VIETCAP_SERVICE}/v2/company/search-bar?language=2`;
  return (await client.request(address, { maxAgeMs })).json();
}

/** The exchanges on which shares trade; the list also has unlisted, suspended and over-the-counter companies. */
export const EXCHANGES: ReadonlySet<string> = new Set(["HOSE", "HNX", "UPCOM"]);

/** The rows of the list. @throws SourceError if the answer has another form */
export function readListing(raw: unknown): unknown[] {
  const rows = readRows(raw);
  checkRowCount(VIETCAP, rows.length);
  return rows;
}
