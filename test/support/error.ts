import { expect } from "bun:test";
import { OAuthError } from "#access/oauth-error.ts";
import { BourseError, type ErrorCode } from "#domain/errors.ts";

/** Runs `work`, which must throw a `BourseError` with that code, and returns the error. */
export async function expectError(work: () => unknown, code: ErrorCode): Promise<BourseError> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof BourseError)) throw error;
    expect(error.code).toBe(code);
    return error;
  }
  throw new Error(`nothing was thrown; expected ${code}`);
}

/** The message of the `OAuthError` that ends the work, or "accepted". */
export async function oauthRefusalOf(work: Promise<unknown>): Promise<string> {
  try {
    await work;
  } catch (error) {
    if (error instanceof OAuthError) return error.message;
    throw error;
  }
  return "accepted";
}
