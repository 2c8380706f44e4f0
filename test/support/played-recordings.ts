import { existsSync, readFileSync } from "node:fs";
import { csvRows } from "#lib/csv.ts";

const DATA = new URL("../../../shared/data/", import.meta.url);

/** True where the folder of recorded answers lies beside the repository. */
export const hasRecordings = existsSync(DATA);

/** The evening of the session that most recordings are of: a Friday, all three exchanges closed. */
export const RECORDED = Date.parse("2026-08-21T22:30:00Z");

/** Technology companies of Viet Nam that are played as FPT again: the same prices and statements. */
export const DOUBLES_OF_FPT: readonly string[] = ["CMG", "ELC", "ITD", "SAM", "ICT"];

/** A request as it came to a played source. */
export interface PlayedRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: string;
}

/** What a source answers in its normal mode; a text that begins with `{` or `[` goes out as JSON. */
export interface PlayedBody {
  readonly status?: number;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a request; null for an address that the source does not have. */
export type PlayedAnswer = (request: PlayedRequest) => PlayedBody | null;

/** A recorded file as bytes. */
export const bytes = (path: string) => readFileSync(new URL(path, DATA));
/** A recorded file as text. */
export const text = (path: string) => readFileSync(new URL(path, DATA), "utf8");
/** A recorded file as JSON, of any form, as it is reshaped here. */
// oxlint-disable-next-line typescript/no-explicit-any
export const json = (path: string): any => JSON.parse(text(path));

/** The rows of a recorded CSV by the names of their columns. */
export function rows(path: string): Record<string, string>[] {
  const [header, ...lines] = csvRows(text(path));
  return lines.map(({ cells }) =>
    Object.fromEntries((header?.cells ?? []).map((name, i) => [name, cells[i] ?? ""])),
  );
}

/** Makes something when it is first asked for, and then keeps it. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

/** An answer of JSON. */
export const answer = (value: unknown, status = 200): PlayedBody => ({
  status,
  body: JSON.stringify(value),
});
/** An answer of lines of text. */
export const lines = (list: readonly string[]): PlayedBody => ({ body: `${list.join("\n")}\n` });
