import { WEBHOOK_HEADERS, webhookSchema } from "#alerts/webhook.ts";
import { type TSchema, Type } from "@sinclair/typebox";
import { CountryCode } from "#domain/country.ts";
import { InstantOutput, type JsonSchema, Named, publishSchema } from "#domain/schema.ts";
import { DECIMALS } from "#lib/csv.ts";
import { LINK_FORMS } from "#operations/csv-link.ts";
import { AREAS, OPERATIONS } from "#operations/index.ts";
import { METRICS_SCHEMA } from "#operations/reading/metric-query.ts";
import { carriesCountry, type Operation, type Route, routesOf } from "#operations/operation.ts";
import { type ApiVersion, versionPrefix } from "./api-version.ts";
import { ERROR_CODES, ERROR_TYPES } from "./errors.ts";
import { FORMATS, hasRows, ROW_FORMS } from "./format.ts";

const text = (description: string): JsonSchema => ({ description, schema: { type: "string" } });
const whole = (description: string): JsonSchema => ({ description, schema: { type: "integer" } });

/** Every header that an answer can carry. */
const HEADERS: Record<string, JsonSchema> = {
  "X-RateLimit-Limit": whole(
    "Calls that the plan allows a day. If the limit of an address is exceeded: requests a minute.",
  ),
  "X-RateLimit-Remaining": whole("Calls left today."),
  "X-RateLimit-Reset": whole("Unix seconds of the next daily reset, midnight UTC."),
  "RateLimit-Policy": text("Both windows, daily and hourly, as the IETF draft writes them."),
  RateLimit: text("What is left of both windows and the seconds until each resets."),
  "Retry-After": whole("Seconds until the call could succeed."),
  ETag: text(
    'A weak tag, `W/"…"`: a hash of `data` alone. Send it back in `If-None-Match`, and the answer is 304 while the payload is unchanged.',
  ),
  "Cache-Control": text(
    "`private`, and for data `max-age=` with the rest of the 30 seconds for which an answer is cached.",
  ),
  "X-Data-Source": text(
    "The sources of the figures; left out if no record was found. `sample` means generated figures, not real ones.",
  ),
  "X-Data-Age": whole("Seconds since the oldest record of the answer was stored."),
  "X-Data-Missing": text(
    "What the answer lacks because sources refused: the source, the records and the reason, separated by ` | `. Left out if nothing is known to be missing.",
  ),
  "X-Understood-As": text(
    "Arguments as they were understood, if their values were not written so; other characters than ASCII are percent-encoded.",
  ),
  "X-Total-Count": whole("CSV: the number of rows on all pages; left out if all rows are here."),
  Link: text('CSV: the address of the next page, `rel="next"`; left out on the last page.'),
  "X-Request-Id": text(
    "The id of the failure in the service's log. Only failures of the service have one.",
  ),
  Allow: text("The method that the path answers."),
  "WWW-Authenticate": text("How to authenticate."),
};

const QUOTA = [
  "X-RateLimit-Limit",
  "X-RateLimit-Remaining",
  "X-RateLimit-Reset",
  "RateLimit-Policy",
  "RateLimit",
];
const DATA = [
  "ETag",
  "Cache-Control",
  "X-Data-Source",
  "X-Data-Age",
  "X-Data-Missing",
  "X-Understood-As",
];

const PAGE = ["X-Total-Count", "Link"];

const ref = (kind: string, name: string): JsonSchema => ({ $ref: `#/components/${kind}/${name}` });
const headers = (...names: string[]) =>
  Object.fromEntries(names.map((name) => [name, ref("headers", name)]));
const json = (schema: JsonSchema): JsonSchema => ({ "application/json": { schema } });

/** The parameters of requests that are not arguments of an operation. */
const REQUEST_PARAMETERS: Record<string, JsonSchema> = {
  // CSV is not declared as a content type: generated clients would type every answer as text or JSON.
  format: {
    name: "format",
    in: "query",
    ...text(
      "`csv` answers the rows as `text/csv`, below a header row with the column names. `Accept: text/csv` does the same. Errors are always JSON.",
    ),
    schema: { type: "string", enum: FORMATS, default: FORMATS[0] },
    example: FORMATS[0],
  },
  decimal: {
    name: "decimal",
    in: "query",
    ...text(
      "`comma` writes the numbers of CSV with a decimal comma (`0,236`) and separates cells by semicolons, as spreadsheets in German, French and Vietnamese read them. JSON does not change.",
    ),
    schema: { type: "string", enum: DECIMALS, default: DECIMALS[0] },
    example: DECIMALS[0],
  },
  as: {
    name: "as",
    in: "query",
    ...text(
      "`csv_link` answers, instead of the rows, a link to all rows of all pages as CSV: `csv_link`, `expires_at`, `columns` and `row_count`. The link needs no token. It works for an hour, for this call only; each download is a call. A `limit` is obeyed.",
    ),
    schema: { type: "string", enum: LINK_FORMS, default: LINK_FORMS[0] },
    example: LINK_FORMS[0],
  },
  rows: {
    name: "rows",
    in: "query",
    ...text(
      "`objects` answers each row of a table as an object by column. The answer then has the schema that `x-rows-objects` names.",
    ),
    schema: { type: "string", enum: ROW_FORMS, default: ROW_FORMS[0] },
    example: ROW_FORMS[0],
  },
  "If-None-Match": {
    name: "If-None-Match",
    in: "header",
    ...text("ETags of payloads that the client holds, comma-separated, or `*`."),
  },
  "MCP-Protocol-Version": {
    name: "MCP-Protocol-Version",
    in: "header",
    ...text("The client's revision of the protocol; required from 2026-07-28 on, as in `_meta`."),
  },
};

/** A response of several routes: an error envelope with these headers. */
const problem = (description: string, ...names: string[]): JsonSchema => ({
  description,
  headers: headers(...names),
  content: json(ref("schemas", "ErrorEnvelope")),
});

const RESPONSES: Record<string, JsonSchema> = {
  NotModified: {
    description: "The payload has an ETag of `If-None-Match`.",
    headers: headers(...QUOTA, ...DATA),
  },
  BadRequest: problem("A parameter is missing or invalid.", ...QUOTA),
  Unauthorized: problem(
    "The bearer token is missing, unknown, expired or revoked.",
    "WWW-Authenticate",
  ),
  Forbidden: problem("The token lacks the right to change lists or alerts.", ...QUOTA),
  NotFound: problem("An unknown symbol, category or country slice.", ...QUOTA),
  MethodNotAllowed: problem("The path does not answer this method.", "Allow"),
  PayloadTooLarge: problem("The body is larger than 10 MiB (REST) or 1 MiB (MCP)."),
  UnsupportedMediaType: problem("The `Content-Type` is not `application/json`."),
  TooManyRequests: problem(
    "A daily or hourly limit, or the limit of requests from an address, is exceeded.",
    ...QUOTA,
    "Retry-After",
  ),
  ServerError: problem("The service failed.", ...QUOTA, "X-Request-Id"),
  Unavailable: problem(
    "The data is unavailable at the moment.",
    ...QUOTA,
    "Retry-After",
    "X-Request-Id",
  ),
};

const COMMON_ERRORS = {
  401: ref("responses", "Unauthorized"),
  405: ref("responses", "MethodNotAllowed"),
  413: ref("responses", "PayloadTooLarge"),
  429: ref("responses", "TooManyRequests"),
  500: ref("responses", "ServerError"),
  503: ref("responses", "Unavailable"),
};

/** The tags of routes: the areas of operations, MCP and this document. */
const TAGS: Readonly<Record<string, string>> = {
  ...AREAS,
  mcp: "Model Context Protocol.",
  meta: "This document.",
};

/** What a document is made for. */
export interface DocumentFor {
  /** The address of the service, without a slash at the end; empty if unknown. */
  readonly address: string;
  /** `all` also describes the answers to `format=csv`, `rows=objects` and `as=csv_link`, for programs that check answers. */
  readonly answers: "json" | "all";
}

/** The OpenAPI 3.1 document of one version, derived from the list of operations. */
export function openApi(
  version: ApiVersion,
  { address, answers }: DocumentFor = { address: "", answers: "json" },
): JsonSchema {
  const prefix = versionPrefix(version);
  const schemas = new Map<string, JsonSchema>([
    ["ErrorEnvelope", ERROR_SCHEMA],
    ["Metrics", METRICS_SCHEMA],
    // Many generators of code know no schema that has itself.
    ["AlertMessage", webhookSchema({ type: "object", description: "As the whole body." })],
  ]);
  const parameters = sharedParameters(schemas);
  const paths: Record<string, JsonSchema> = {};
  for (const operation of OPERATIONS) {
    for (const route of routesOf(operation)) {
      paths[prefix + route.path] = {
        ...paths[prefix + route.path],
        [(route.method ?? "GET").toLowerCase()]: {
          ...(version.deprecation && { deprecated: true }),
          ...restOperation({ operation, route, schemas, shared: parameters, answers }),
        },
      };
    }
  }
  paths[`${prefix}/mcp`] = { post: MCP_OPERATION };
  paths[`${prefix}/openapi.json`] = { get: DOCUMENT_OPERATION };
  return {
    openapi: "3.1.0",
    info: {
      title: "bourse",
      version: version.name,
      summary: "Markets data for the United States, Japan and Viet Nam.",
      description:
        "Reads markets, and the lists of the token's user. Every call needs a bearer token and counts against its plan's daily and hourly limits. Figures under display labels are text; `—` and null mean missing, never zero. Answers to `format=csv`, `rows=objects` and `as=csv_link` are described in `openapi.json?answers=all`.",
      license: { name: "MIT", identifier: "MIT" },
    },
    servers: [{ url: address || "/" }],
    security: [{ bearer: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks: { alert: { post: WEBHOOK } },
    components: {
      securitySchemes: {
        bearer: {
          type: "http",
          scheme: "bearer",
          description: "A personal access token: `bourse_…`.",
        },
      },
      headers: HEADERS,
      parameters: { ...REQUEST_PARAMETERS, ...Object.fromEntries(parameters) },
      responses: RESPONSES,
      schemas: Object.fromEntries(schemas),
    },
  };
}

const DOCUMENT_OPERATION: JsonSchema = {
  operationId: "get_openapi",
  summary: "This document",
  description: "Describes every route, parameter, answer and error in OpenAPI 3.1.",
  tags: ["meta"],
  security: [],
  parameters: [
    {
      name: "answers",
      in: "query",
      ...text(
        "`all` also describes the answers to `format=csv`, `rows=objects` and `as=csv_link`, for programs that check answers. Clients are generated from the default.",
      ),
      schema: { type: "string", enum: ["json", "all"], default: "json" },
      example: "json",
    },
  ],
  responses: {
    200: {
      description: "OpenAPI 3.1.",
      headers: headers("ETag", "Cache-Control"),
      content: json({ type: "object" }),
    },
    304: {
      description: "The document has an ETag of `If-None-Match`.",
      headers: headers("ETag", "Cache-Control"),
    },
    405: ref("responses", "MethodNotAllowed"),
    429: ref("responses", "TooManyRequests"),
  },
};

/** Parameters that several operations declare in the same way, by name. */
function sharedParameters(schemas: Map<string, JsonSchema>): Map<string, JsonSchema> {
  const all = OPERATIONS.flatMap((operation) =>
    routesOf(operation).flatMap((route) => parametersOf(route, schemas, operation.withoutExample)),
  );
  const alike = [...Map.groupBy(all, (parameter) => JSON.stringify(parameter)).values()]
    .filter((group) => group.length > 1)
    .sort((a, b) => a.length - b.length);
  // Of two declarations with the same name, the later and more frequent one stays.
  return new Map(alike.flatMap(([one]) => (one ? [[String(one["name"]), one]] : [])));
}

/** The query and path parameters of a route, without references. */
function parametersOf(
  { input, path }: Route,
  schemas: Map<string, JsonSchema>,
  withoutExample: readonly string[] = [],
): JsonSchema[] {
  return Object.entries(input.properties).map(([name, property]) => {
    const schema = property as TSchema;
    const { description } = schema;
    const published = publishSchema(schema, schemas);
    if (!("$ref" in published)) delete published["description"];
    const inPath = path.includes(`{${name}}`);
    const choices = schema["enum"] as readonly string[] | undefined;
    const isAlone = !inPath && withoutExample.includes(name);
    const example: unknown = isAlone
      ? undefined
      : (schema["example"] ?? schema["default"] ?? choices?.[0]);
    return {
      name,
      in: inPath ? "path" : "query",
      required: inPath || (input.required?.includes(name) ?? false),
      description,
      schema: published,
      ...(example !== undefined && { example }),
    };
  });
}

/** The schema of the body of a PUT: the arguments that are not in the path. */
function bodyOf(route: Route, schemas: Map<string, JsonSchema>): JsonSchema {
  const fields = parametersOf(route, schemas).filter((one) => one["in"] === "query");
  return {
    type: "object",
    properties: Object.fromEntries(
      fields.map(({ name, description, schema }) => [
        name,
        { ...(schema as JsonSchema), description },
      ]),
    ),
    required: fields.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

function restOperation({
  operation,
  route,
  schemas,
  shared,
  answers,
}: {
  readonly operation: Operation;
  readonly route: Route;
  readonly schemas: Map<string, JsonSchema>;
  readonly shared: Map<string, JsonSchema>;
  readonly answers: DocumentFor["answers"];
}): JsonSchema {
  const body = route.method === "PUT" ? bodyOf(route, schemas) : null;
  const declared = parametersOf(route, schemas, operation.withoutExample);
  const parameters = (body ? declared.filter((one) => one["in"] === "path") : declared).map(
    (parameter) => {
      const name = String(parameter["name"]);
      const isShared = JSON.stringify(shared.get(name)) === JSON.stringify(parameter);
      return isShared ? ref("parameters", name) : parameter;
    },
  );
  return {
    operationId: route.name,
    summary: route.title,
    description: operation.description,
    tags: [route.path.split("/")[2]],
    // The tool has another name, and takes as an argument what the path implies.
    ...(route.implied && { "x-mcp-tool": { name: operation.name, arguments: route.implied } }),
    parameters: [
      ...parameters,
      ...(operation.table
        ? ["as", "format", "decimal"].map((name) => ref("parameters", name))
        : []),
      ...(hasRows(operation) ? [ref("parameters", "rows")] : []),
      ...(route.method ? [] : [ref("parameters", "If-None-Match")]),
    ],
    ...(body && { requestBody: { required: true, content: bodyContent(body, declared) } }),
    responses: {
      200: {
        description: "The payload in its envelope.",
        headers: headers(...QUOTA, ...DATA, ...(operation.table ? PAGE : [])),
        ...answerOf(operation, schemas, answers),
      },
      ...(!route.method && { 304: ref("responses", "NotModified") }),
      ...(operation.right && { 403: ref("responses", "Forbidden") }),
      ...(parameters.length > 0 && {
        400: ref("responses", "BadRequest"),
        404: ref("responses", "NotFound"),
      }),
      ...COMMON_ERRORS,
    },
  };
}

/** A body of these fields, with an example of the required ones, or of all if no field is required. */
function bodyContent(schema: JsonSchema, parameters: readonly JsonSchema[]): JsonSchema {
  const fields = parameters.filter((one) => one["in"] === "query" && one["example"] !== undefined);
  const required = fields.filter((one) => one["required"]);
  const shown = required.length > 0 ? required : fields;
  const example = Object.fromEntries(shown.map((one) => [String(one["name"]), one["example"]]));
  return { "application/json": { schema, example } };
}

/** The content of a successful answer, in the forms that the document describes. */
function answerOf(
  operation: Operation,
  schemas: Map<string, JsonSchema>,
  answers: DocumentFor["answers"],
): JsonSchema {
  const envelope = publishSchema(envelopeSchema(operation), schemas);
  const objects = hasRows(operation) ? publishRowObjects(operation, schemas) : null;
  if (answers === "json") {
    return { content: json(envelope), ...(objects && { "x-rows-objects": objects }) };
  }
  const withData = (data: JsonSchema): JsonSchema => ({
    type: "object",
    properties: { data },
    required: ["data", "as_of"],
  });
  const forms = [
    envelope,
    ...(objects ? [withData(objects)] : []),
    ...(operation.table ? [withData(LINK_SCHEMA)] : []),
  ];
  return {
    content: {
      ...json(forms.length > 1 ? { anyOf: forms } : envelope),
      ...(operation.table && { "text/csv": { schema: { type: "string" } } }),
    },
  };
}

/** The payload of `as=csv_link`. */
const LINK_SCHEMA: JsonSchema = {
  type: "object",
  properties: {
    csv_link: { type: "string", description: "The address of the CSV, which needs no token." },
    expires_at: { type: "string", format: "date-time" },
    columns: { type: "array", items: { type: "string" } },
    row_count: { type: "integer", minimum: 0 },
  },
  required: ["csv_link", "expires_at"],
};

/**
 * The body of an operation's answer, named after the operation: `StockOverviewAnswer` holds `StockOverview`.
 * A payload never has the operation's own name, because generated clients name the types of parameters
 * by that: `compare_stocks` has `CompareStocksResult`.
 */
function envelopeSchema(operation: Operation): TSchema {
  const { name, output } = operation;
  const noun = name.replace(/^(get|list)_/, "");
  const payload = (noun === name ? `${name}_result` : noun).replaceAll(
    /(?:^|_)(\w)/g,
    (_, letter: string) => letter.toUpperCase(),
  );
  return Named(
    `${payload}Answer`,
    Type.Object({
      ...(carriesCountry(operation) && { country: Type.Optional(CountryCode) }),
      data: "component" in output ? output : Named(payload, output),
      as_of: InstantOutput("When the answer was made, UTC."),
    }),
  );
}

/** Publishes the schema of an answer with `rows=objects`, such as `CompareStocksResultObjects`. */
function publishRowObjects(operation: Operation, schemas: Map<string, JsonSchema>): JsonSchema {
  const envelope = envelopeSchema(operation);
  const name = `${String(envelope["component"]).replace(/Answer$/, "")}Objects`;
  const row: JsonSchema = {
    type: "object",
    ...(Object.hasOwn(operation.input.properties, "metrics") && {
      allOf: [ref("schemas", "Metrics")],
    }),
    additionalProperties: { type: ["string", "number", "boolean", "null"] },
  };
  // The lists are written out, because they must not change where the other answers use them.
  schemas.set(name, withRows(publishSchema(operation.output), row));
  return ref("schemas", name);
}

/** The schema with these rows in each of its tables. */
function withRows(schema: JsonSchema, row: JsonSchema): JsonSchema {
  const fields = Object.entries(schema).map(([name, inner]) =>
    typeof inner === "object" && inner !== null && !Array.isArray(inner)
      ? ([name, withRows(inner as JsonSchema, row)] as const)
      : ([name, inner] as const),
  );
  const copy: JsonSchema = Object.fromEntries(fields);
  const { columns, rows } = copy as { columns?: JsonSchema; rows?: JsonSchema };
  if (columns?.["type"] !== "array" || !rows) return copy;
  return { ...copy, rows: { ...rows, items: row, description: "An object for each row." } };
}

const MCP_OPERATION: JsonSchema = {
  operationId: "mcp",
  summary: "The same operations as MCP tools",
  tags: ["mcp"],
  description:
    "Model Context Protocol, Streamable HTTP, stateless: one JSON-RPC 2.0 request in each POST. Revision 2025-06-18, and 2026-07-28 for requests that name it in `_meta`. Only `tools/call` counts against the quota.",
  parameters: [ref("parameters", "MCP-Protocol-Version")],
  requestBody: {
    required: true,
    content: json({
      type: "object",
      properties: {
        jsonrpc: { const: "2.0" },
        id: { type: ["string", "integer"] },
        method: {
          type: "string",
          examples: ["initialize", "ping", "server/discover", "tools/list", "tools/call"],
        },
        params: { type: "object" },
      },
      required: ["jsonrpc", "method"],
    }),
  },
  responses: {
    200: {
      description: "A JSON-RPC response, errors included.",
      headers: headers(...QUOTA),
      content: json({ type: "object" }),
    },
    202: { description: "A notification was accepted. No body.", headers: headers(...QUOTA) },
    400: {
      description:
        "The body cannot be parsed (-32700) or is not a JSON-RPC request (-32600). In revision 2026-07-28 also: incomplete `_meta` (-32602), headers that differ from the body (-32020), an unknown revision (-32022).",
      headers: headers(...QUOTA),
      content: json({ type: "object" }),
    },
    404: {
      description: "An unknown method in revision 2026-07-28 (-32601).",
      headers: headers(...QUOTA),
      content: json({ type: "object" }),
    },
    415: ref("responses", "UnsupportedMediaType"),
    ...COMMON_ERRORS,
  },
};

/** What a channel of the kind webhook gets. */
const WEBHOOK: JsonSchema = {
  operationId: "receive_alert",
  summary: "A message of an alert",
  description:
    "A request to the URL of a channel, by Standard Webhooks 1.0. It is tried again for two days until the answer is 2xx.",
  tags: ["alerts"],
  security: [],
  parameters: Object.entries(WEBHOOK_HEADERS).map(([name, description]) => ({
    name,
    in: "header",
    required: true,
    ...text(description),
  })),
  requestBody: { required: true, content: json(ref("schemas", "AlertMessage")) },
  responses: {
    "2XX": { description: "The message has arrived. Answer within 15 seconds." },
    410: { description: "The receiver wants no more messages." },
  },
};

const ERROR_SCHEMA: JsonSchema = {
  type: "object",
  description: "Every error over REST, and errors of MCP before JSON-RPC begins.",
  properties: {
    error: {
      type: "object",
      properties: {
        type: { type: "string", enum: ERROR_TYPES },
        code: { type: "string", enum: ERROR_CODES },
        message: { type: "string", description: "The error in words, which may change." },
        param: { type: "string", description: "The invalid parameter." },
        allowed: { type: "array", items: { type: "string" }, description: "Every allowed value." },
        hint: { type: "string", description: "What to do next." },
      },
      required: ["type", "code", "message"],
    },
  },
  required: ["error"],
};
