import { expect } from "bun:test";
import { BourseError, type ErrorCode } from "#domain/errors.ts";
import type { FeedBody, FeedLayer } from "#feeds/layer.ts";
import { HTTP_ERRORS } from "#http/errors.ts";

/** The keys of a JSON body at all depths; null for other text. */
function keysOf(text: string): unknown {
  const keys = (value: unknown): unknown =>
    typeof value === "object" && value !== null
      ? Object.fromEntries(Object.entries(value).map(([key, one]) => [key, keys(one)]))
      : null;
  try {
    return keys(JSON.parse(text));
  } catch {
    return null;
  }
}

/**
 * Checks that an answer is that error in the form of the layer, with the headers of the contract, and returns its body.
 *
 * @param path the path below the layer, without a slash before it
 */
export async function expectFailure(
  layer: FeedLayer,
  response: Response,
  code: ErrorCode,
  path = "x",
  query = new URLSearchParams(),
): Promise<string> {
  const { status: ours } = HTTP_ERRORS[code];
  const request = { path, query };
  const form: FeedBody = layer.fail(new BourseError(code, "words"), ours, request);
  const text = await response.text();
  expect(response.status).toBe(form.status ?? ours);
  expect(response.headers.get("content-type")).toBe(form.type);
  expect(keysOf(text)).toEqual(keysOf(form.body));
  expect(response.headers.get("referrer-policy")).toBe("no-referrer");
  expect(response.headers.get("cache-control")).toBe("no-store");
  expect(response.headers.get("access-control-allow-origin")).toBe("*");
  expect(response.headers.has("retry-after")).toBe(
    code === "rate_limited" || code === "unavailable",
  );
  expect(response.headers.has("www-authenticate")).toBe(ours === 401);
  return text;
}
