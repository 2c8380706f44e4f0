import {
  type ApiDocument,
  type ApiOperation,
  type Header,
  type Parameter,
  resolve,
  type Response,
} from "#console/app/openapi.ts";
import { MISSING } from "#console/app/format.ts";
import { DataTable } from "#console/app/parts/data-table.tsx";
import { Fields, limitsOf, Prose, typeOf } from "./schema.tsx";
import { TryIt } from "./try.tsx";
import { asIs } from "#console/app/words.ts";

/** An operation with its address. */
export interface Endpoint {
  readonly method: string;
  readonly path: string;
  readonly operation: ApiOperation;
}

/** An operation; its details are made when it is open. */
export function OperationCard(props: {
  readonly document: ApiDocument;
  readonly endpoint: Endpoint;
  readonly isOpen: boolean;
  readonly onToggle: () => void;
}) {
  const { document, endpoint, isOpen, onToggle } = props;
  const { method, path, operation } = endpoint;
  const { operationId, summary } = operation;
  return (
    <article class="operation" id={operationId} aria-label={operationId}>
      <div class="operation-head">
        <h3>
          <button type="button" aria-expanded={isOpen} onClick={onToggle}>
            <span class="method">{method}</span>
            <span class="operation-name">{operationId}</span>
            <span class="muted">{summary}</span>
          </button>
        </h3>
        <a class="anchor" href={`#${operationId}`} aria-label={`Link to ${operationId}`}>
          #
        </a>
      </div>
      <code class="operation-path">{path}</code>
      {isOpen && <Details document={document} endpoint={endpoint} />}
    </article>
  );
}

function Details(props: { readonly document: ApiDocument; readonly endpoint: Endpoint }) {
  const { document, endpoint } = props;
  const { operation } = endpoint;
  const tool = operation["x-mcp-tool"];
  const parameters = (operation.parameters ?? []).map((one) => resolve<Parameter>(document, one));
  const responses = Object.entries(operation.responses).map(
    ([status, one]) => [status, resolve<Response>(document, one)] as const,
  );
  const [, success] = responses.find(([status]) => status === "200") ?? [];
  const answer = success?.content?.["application/json"]?.schema;
  const body = operation.requestBody?.content["application/json"].schema;
  return (
    <div class="operation-body">
      <p>
        <Prose text={operation.description} />
      </p>
      {tool && (
        <p class="muted">
          Over MCP it is the tool <code>{tool.name}</code> with{" "}
          <code>{JSON.stringify(tool.arguments)}</code>.
        </p>
      )}
      <h4>Parameters</h4>
      {parameters.length === 0 ? (
        <p class="muted">It has none.</p>
      ) : (
        <Parameters document={document} parameters={parameters} />
      )}
      {body && (
        <>
          <h4>Body</h4>
          <Fields document={document} schema={body} />
        </>
      )}
      {endpoint.method === "GET" && endpoint.path.includes("/data/") && (
        <TryIt operation={operation} parameters={parameters} document={document} />
      )}
      {answer && (
        <>
          <h4>Answer</h4>
          <Fields document={document} schema={answer} />
        </>
      )}
      {success?.headers && (
        <>
          <h4>Headers of the answer</h4>
          <Headers document={document} response={success} />
        </>
      )}
      <h4>Statuses</h4>
      <Statuses responses={responses} />
    </div>
  );
}

function Parameters(props: {
  readonly document: ApiDocument;
  readonly parameters: readonly Parameter[];
}) {
  const { document, parameters } = props;
  return (
    <ul class="fields">
      {parameters.map((parameter) => {
        const { name, required, schema, description, example } = parameter;
        const limits = limitsOf(document, schema);
        return (
          <li key={name}>
            <p class="field">
              <code class="field-name">{name}</code>{" "}
              <span class="muted">
                {typeOf(document, schema)} in the {parameter.in}
              </span>
              {required && <b class="required"> required</b>}{" "}
              <Prose text={description ?? resolve(document, schema).description ?? MISSING} />
              {limits !== null && <span class="muted"> ({limits})</span>}
              {example !== undefined && (
                <span class="muted">
                  {" "}
                  Example: <code>{String(example)}</code>
                </span>
              )}
            </p>
          </li>
        );
      })}
    </ul>
  );
}

function Headers(props: { readonly document: ApiDocument; readonly response: Response }) {
  const { document, response } = props;
  return (
    <ul class="fields">
      {Object.entries(response.headers ?? {}).map(([name, one]) => {
        const { description, schema } = resolve<Header>(document, one);
        return (
          <li key={name}>
            <p class="field">
              <code class="field-name">{name}</code>{" "}
              <span class="muted">{typeOf(document, schema)}</span> <Prose text={description} />
            </p>
          </li>
        );
      })}
    </ul>
  );
}

function Statuses(props: { readonly responses: readonly (readonly [string, Response])[] }) {
  return (
    <DataTable
      label={asIs("Statuses")}
      columns={[
        { title: "Status", cell: ([status]) => status },
        { title: asIs("When"), cell: ([, { description }]) => <Prose text={description} /> },
        {
          title: asIs("Own headers"),
          cell: ([, { headers = {} }]) =>
            Object.keys(headers)
              .filter((name) => !/^x?-?ratelimit/i.test(name))
              .join(", ") || MISSING,
          isExtra: true,
        },
      ]}
      rows={props.responses}
      keyOf={([status]) => status}
    />
  );
}
