import { isObject, type JsonObject } from "./json-rpc.ts";

/**
 * The `params` of any method: an object, empty if left out. Null if they are not an object, or if `_meta`
 * is not one or its progress token is invalid. Read only fields that the method declares, because the
 * others can be large.
 */
export function readParams(params: unknown): JsonObject | null {
  if (params === undefined) return {};
  if (!isObject(params)) return null;
  const { _meta } = params;
  if (_meta === undefined) return params;
  if (!isObject(_meta)) return null;
  const { progressToken } = _meta;
  return progressToken === undefined || isProgressToken(progressToken) ? params : null;
}

const isProgressToken = (token: unknown) =>
  typeof token === "string" || Number.isSafeInteger(token);

/** The declared parameters of a `tools/call`. */
export interface CallParams {
  readonly name: string;
  readonly args: JsonObject;
}

/** The declared parameters of a `tools/call`, or null if they are missing or of a wrong type. */
export function readCallParams(params: unknown): CallParams | null {
  const { name, arguments: args = {} } = readParams(params) ?? {};
  return typeof name === "string" && isObject(args) ? { name, args } : null;
}

/** The message of the error for parameters that do not fit a method. */
export function invalidParamsText(method: string): string {
  return method === "tools/call"
    ? "Invalid params: tools/call takes `name`, a string, and `arguments`, an object."
    : `Invalid params: \`params\` does not fit ${method}.`;
}
