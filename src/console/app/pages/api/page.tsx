import { useEffect, useState } from "preact/hooks";
import { API } from "#console/app/api.ts";
import { type ApiDocument, resolve, type Schema, useApiDocument } from "#console/app/openapi.ts";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Empty, Loaded, Panel } from "#console/app/parts/panel.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { reader } from "#console/app/reader.ts";
import { me, service } from "#console/app/session.ts";
import { asIs, t } from "#console/app/words.ts";
import { type Endpoint, OperationCard } from "./operation.tsx";
import { Fields, Prose } from "./schema.tsx";

/** The API: every operation of the OpenAPI document, which can be tried with a session. */
export default function ApiReferencePage() {
  const document = useApiDocument();
  return (
    <>
      <PageTitle title={t("API")}>
        <a href="/docs/rest-and-mcp">{t("Errors, headers and MCP")}</a>
        <a href={`${API}/openapi.json`} download="openapi.json">
          openapi.json
        </a>
      </PageTitle>
      {reader.value.language !== "en" && (
        <p class="muted">{t("The reference is in English, as the service publishes it.")}</p>
      )}
      <Loaded of={document} lines={12}>
        {(value) => <Reference document={value} />}
      </Loaded>
    </>
  );
}

function Reference({ document }: { readonly document: ApiDocument }) {
  const { query, anchor } = place.value;
  const filter = query.get("filter") ?? "";
  const endpoints = endpointsOf(document);
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set([anchor]));
  useEffect(() => {
    if (anchor === "") return;
    setOpened((before) => new Set([...before, anchor]));
    window.document.getElementById(anchor)?.scrollIntoView();
  }, [anchor]);
  const found = endpoints.filter(({ words }) => matches(words, filter));
  const toggle = (id: string) => {
    const next = new Set(opened);
    if (!next.delete(id)) next.add(id);
    setOpened(next);
  };
  const groups = document.tags.flatMap((tag) => {
    const list = found.filter(({ operation }) => operation.tags.includes(tag.name));
    return list.length === 0 ? [] : [{ ...tag, list }];
  });
  return (
    <div class="reference" lang="en">
      <Contents groups={groups} />
      <div class="reference-body">
        <Introduction document={document} />
        <div class="row-form" role="search">
          <label>
            Filter
            <input
              type="search"
              value={filter}
              placeholder="Operation, parameter or field"
              onInput={(event) => setQuery({ filter: event.currentTarget.value || null })}
            />
          </label>
          <button
            type="button"
            onClick={() => setOpened(new Set(found.map(({ operation }) => operation.operationId)))}
          >
            Open all
          </button>
          <button type="button" onClick={() => setOpened(new Set())}>
            Close all
          </button>
        </div>
        {groups.length === 0 && (
          <Empty>No operation has “{filter}” in its name, text or fields.</Empty>
        )}
        {groups.map(({ name, description, list }) => (
          <Panel key={name} title={asIs(name)}>
            <p class="muted">{description}</p>
            {list.map((endpoint) => (
              <OperationCard
                key={endpoint.operation.operationId}
                document={document}
                endpoint={endpoint}
                isOpen={opened.has(endpoint.operation.operationId)}
                onToggle={() => toggle(endpoint.operation.operationId)}
              />
            ))}
          </Panel>
        ))}
        <ErrorsPanel document={document} />
      </div>
    </div>
  );
}

interface Group {
  readonly name: string;
  readonly list: readonly Endpoint[];
}

/** The operations beside the page, on wide screens. */
function Contents({ groups }: { readonly groups: readonly Group[] }) {
  return (
    <nav class="contents" aria-label="Operations">
      {groups.map(({ name, list }) => (
        <div key={name}>
          <p class="muted">{name}</p>
          {list.map(({ operation: { operationId } }) => (
            <a key={operationId} href={`#${operationId}`}>
              {operationId}
            </a>
          ))}
        </div>
      ))}
    </nav>
  );
}

function Introduction({ document }: { readonly document: ApiDocument }) {
  const base = service.value?.url ?? window.location.origin;
  return (
    <Panel title="All calls">
      <p>
        <Prose text={document.info.description} />
      </p>
      <dl class="figures-left">
        <dt>Base address</dt>
        <dd>
          <code>{base + API}</code>
        </dd>
        <dt>Header</dt>
        <dd>
          <code>Authorization: Bearer bourse_…</code>
        </dd>
        <dt>MCP</dt>
        <dd>
          <code>{`${base}${API}/mcp`}</code>, with a tool for each operation
        </dd>
      </dl>
      <p class="muted">
        {me.value ? (
          <>
            Tokens are made on the page <a href="/console/tokens">Tokens</a>.
          </>
        ) : (
          <>
            You can read this without signing in. <a href="/console/tokens">Sign in</a> to try
            operations and to make a token.
          </>
        )}
      </p>
    </Panel>
  );
}

function ErrorsPanel({ document }: { readonly document: ApiDocument }) {
  return (
    <Panel title="Errors">
      <p>
        Every error has this body. Match on <code>type</code> and <code>code</code>; the message is
        for people.
      </p>
      <Fields document={document} schema={{ $ref: "#/components/schemas/ErrorEnvelope" }} />
    </Panel>
  );
}

/** An operation with the text that the filter searches. */
interface Searchable extends Endpoint {
  readonly words: string;
}

const searchable = new WeakMap<ApiDocument, readonly Searchable[]>();

/** Every operation in the order of the document. */
function endpointsOf(document: ApiDocument): readonly Searchable[] {
  const known = searchable.get(document);
  if (known) return known;
  const made = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      const words = wordsOf(document, path, operation);
      return { method: method.toUpperCase(), path, operation, words };
    }),
  );
  searchable.set(document, made);
  return made;
}

/** The names and descriptions of an operation, its parameters and its fields, in small letters. */
function wordsOf(document: ApiDocument, path: string, operation: Endpoint["operation"]): string {
  const words = [path, JSON.stringify(operation.parameters?.map((one) => resolve(document, one)))];
  const seen = new Set<unknown>();
  const walk = (schema: Schema): void => {
    const found = resolve(document, schema);
    if (seen.has(found)) return;
    seen.add(found);
    words.push(found.description ?? "");
    for (const [name, field] of Object.entries(found.properties ?? {})) {
      words.push(name);
      walk(field);
    }
    if (found.items) walk(found.items);
  };
  const { operationId, summary, description, responses } = operation;
  words.push(operationId, summary, description);
  const answer = responses["200"] && resolve<{ content?: unknown }>(document, responses["200"]);
  const content = answer?.content as
    { "application/json"?: { readonly schema: Schema } } | undefined;
  if (content?.["application/json"]) walk(content["application/json"].schema);
  return words.join("\n").toLowerCase();
}

function matches(words: string, filter: string): boolean {
  return filter
    .toLowerCase()
    .split(/\s+/)
    .every((word) => words.includes(word));
}
