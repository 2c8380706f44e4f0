import { API, readError, type Resource, useResource } from "./api.ts";

/** A JSON schema, as the document uses it. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  /** The unit of a metric: `money`, `multiple`, `percent`, … */
  readonly "x-unit"?: string;
  /** The group of similar metrics: `Valuation`. */
  readonly "x-group"?: string;
  /** Which values of a metric a shareholder prefers. */
  readonly "x-better"?: "low" | "high";
  readonly enum?: readonly (string | number)[];
  readonly const?: unknown;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: Schema | boolean;
  readonly format?: string;
  readonly default?: string | number | boolean;
  readonly minimum?: number;
  readonly maximum?: number;
}

/** A reference to a component of the document, or the component itself. */
type OrRef<T> = T | { readonly $ref: string };

/** An argument of an operation. */
export interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema: Schema;
  readonly example?: string | number | boolean;
}

/** An operation, as the document describes it. */
export interface ApiOperation {
  readonly operationId: string;
  /** The tool of MCP, if it has another name than the operation, with the arguments that the path implies. */
  readonly "x-mcp-tool"?: {
    readonly name: string;
    readonly arguments: Readonly<Record<string, string>>;
  };
  readonly parameters?: readonly OrRef<Parameter>[];
}

/** The OpenAPI document of the service. */
export interface ApiDocument {
  /** The operations by path and method in small letters. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The OpenAPI document, which needs no session. */
export function useApiDocument(): Resource<ApiDocument> {
  return useResource("openapi", async () => {
    const response = await fetch(`${API}/openapi.json`);
    if (!response.ok) throw await readError(response);
    return (await response.json()) as ApiDocument;
  });
}

/** A component, or the value itself if it is not a reference. */
export function resolve<T extends object>({ components }: ApiDocument, value: OrRef<T>): T {
  if (!("$ref" in value) || typeof value.$ref !== "string") return value as T;
  const [, , kind = "", name = ""] = value.$ref.split("/");
  // The document defines everything that it refers to.
  return components[kind]?.[name] as T;
}
