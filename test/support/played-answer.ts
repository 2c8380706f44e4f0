import { readFileSync } from "node:fs";

const FAKES = new URL("../sources/", import.meta.url);

/** The time at which the fake answers are current: a Friday evening, all three exchanges are closed. */
export const PLAYED_AT = Date.parse("2026-08-21T22:30:00Z");

/** A request to a played source. */
export interface PlayedRequest {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: Headers;
  readonly body: string;
}

/** The answer of a source in its normal mode. */
export interface PlayedBody {
  readonly status?: number;
  readonly body: string | Uint8Array;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Answers a request; null for an address that the source does not have. */
export type PlayedSource = (request: PlayedRequest) => PlayedBody | null;

/** The answer in a fake file: `fake("fred/UNRATE.fake.csv")`. The path is below `test/sources`. */
export const fake = (path: string): PlayedBody => ({
  body: readFileSync(new URL(path, FAKES), "utf8"),
});

/** A fake file that is not in UTF-8. */
export const fakeBytes = (path: string): { body: Uint8Array } => ({
  body: readFileSync(new URL(path, FAKES)),
});

/** A fake file as JSON of any form. */
// oxlint-disable-next-line typescript/no-explicit-any
export const fakeJson = (path: string): any =>
  JSON.parse(readFileSync(new URL(path, FAKES), "utf8"));

/** An answer in JSON. */
export const answer = (value: unknown, status = 200): PlayedBody => ({
  status,
  body: JSON.stringify(value),
});

/** An answer in lines of text. */
export const lines = (list: readonly string[]): PlayedBody => ({ body: `${list.join("\n")}\n` });
