import { API, readError, type Resource, useResource } from "./api.ts";
import { withBase } from "./router.ts";

/** An operation, as the document describes it. */
export interface ApiOperation {
  readonly operationId: string;
  /** The tool of MCP, if it has another name than the operation, with the arguments that the path implies. */
  readonly "x-mcp-tool"?: {
    readonly name: string;
    readonly arguments: Readonly<Record<string, string>>;
  };
  /** Those that several operations share are references. */
  readonly parameters?: readonly { readonly $ref?: string }[];
}

/** The OpenAPI document of the service. */
export interface ApiDocument {
  /** The operations by path and method in small letters. */
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>;
}

/** The OpenAPI document, which needs no session. */
export function useApiDocument(): Resource<ApiDocument> {
  return useResource("openapi", async () => {
    const response = await fetch(withBase(`${API}/openapi.json`));
    if (!response.ok) throw await readError(response);
    return (await response.json()) as ApiDocument;
  });
}
