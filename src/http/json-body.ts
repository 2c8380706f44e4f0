import type { Static, TObject, TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { BourseError, invalidArgument } from "#domain/errors.ts";
import { parseJson } from "#lib/json.ts";
import { findJsonExcess } from "#lib/bounded-json.ts";
import { readBody, refuseOtherTypes } from "./request-body.ts";

/** How large the JSON body of a request may be. */
export interface BodyLimits {
  readonly maxBytes: number;
  /** Arrays and objects in all. */
  readonly maxContainers: number;
}

/** The limits of a small object. */
export const SMALL_BODY: BodyLimits = { maxBytes: 64 * 1024, maxContainers: 100 };

/**
 * Reads the JSON body of a request as the schema declares it. The `description` of a field is part of its
 * error: a sentence such as "It is text of at most 64 characters."
 *
 * @throws BourseError `unsupported_media_type`, `payload_too_large` or `invalid_argument`
 */
export async function readJsonBody<S extends TObject>(
  request: Request,
  schema: S,
  limits: BodyLimits = SMALL_BODY,
): Promise<Static<S>> {
  refuseOtherTypes(request);
  const body = parseJsonObject(await readBody(request, limits.maxBytes), limits);
  const names = Object.keys(schema.properties);
  const unknown = Object.keys(body).find((name) => !names.includes(name));
  if (unknown !== undefined) {
    throw invalidArgument(
      `The body has the unknown field ${JSON.stringify(unknown.slice(0, 40))}; it takes ${names.join(", ")}.`,
    );
  }
  for (const [name, property] of Object.entries<TSchema>(schema.properties)) {
    refuseWrong(name, property, schema.required?.includes(name) ?? false, body);
  }
  return body as Static<S>;
}

/** The JSON object of a body. @throws BourseError `invalid_argument` if it is none or too large */
export function parseJsonObject(bytes: Uint8Array, limits: BodyLimits): object {
  const body = parseSmallJson(bytes, limits);
  if (body === undefined) {
    throw invalidArgument("The body must be one small JSON object.");
  }
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw invalidArgument("The body must be a JSON object.");
  }
  return body;
}

function refuseWrong(name: string, schema: TSchema, isRequired: boolean, body: object): void {
  const isPresent = Object.hasOwn(body, name);
  if (!isPresent && !isRequired) return;
  if (isPresent && Value.Check(schema, Reflect.get(body, name))) return;
  throw new BourseError(
    isPresent ? "invalid_argument" : "missing_argument",
    [`The body's field ${name} is ${isPresent ? "invalid" : "missing"}.`, schema.description]
      .filter(Boolean)
      .join(" "),
    { param: name },
  );
}

/** The value of a JSON text in UTF-8; undefined if it is no JSON or has too many parts. */
export function parseSmallJson(
  bytes: Uint8Array,
  { maxContainers }: BodyLimits = SMALL_BODY,
): unknown {
  const text = new TextDecoder().decode(bytes);
  const excess = findJsonExcess(text, { maxDepth: 8, maxContainers });
  return excess === null ? parseJson(text) : undefined;
}
