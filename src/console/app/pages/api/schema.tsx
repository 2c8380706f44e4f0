import { type ApiDocument, resolve, type Schema } from "#console/app/openapi.ts";
import { MISSING } from "#console/app/format.ts";

/** Objects below the payload stay closed if they have more fields. */
const MANY_FIELDS = 8;

/** A text of the document, in which names and values are between backquotes. */
export function Prose({ text }: { readonly text: string }) {
  return (
    <>
      {text
        .split("`")
        .map((part, place) => (place % 2 === 1 ? <code key={place}>{part}</code> : part))}
    </>
  );
}

/** The type in words: `string or null`, `array of integer`, `string (date)`. */
export function typeOf(document: ApiDocument, schema: Schema): string {
  const { type, items, format, const: only } = resolve(document, schema);
  if (only !== undefined) return JSON.stringify(only);
  const types = typeof type === "string" ? [type] : (type ?? ["any"]);
  const words = types.map((one) =>
    one === "array" && items ? `array of ${typeOf(document, items)}` : one,
  );
  return words.join(" or ") + (format ? ` (${format})` : "");
}

/** What a value may be, beyond its type: `one of US, JP, VN`, `1 to 100`, `default 25`. */
export function limitsOf(document: ApiDocument, schema: Schema): string | null {
  const { enum: choices, minimum, maximum, default: usual } = resolve(document, schema);
  const parts = [
    choices && `one of ${choices.join(", ")}`,
    minimum !== undefined && maximum !== undefined && `${minimum} to ${maximum}`,
    minimum !== undefined && maximum === undefined && `at least ${minimum}`,
    usual !== undefined && `default ${String(usual)}`,
  ].filter((part) => typeof part === "string");
  return parts.length === 0 ? null : parts.join("; ");
}

/** The schema of the fields below a schema: its own, or of the entries of a list. */
function objectOf(document: ApiDocument, schema: Schema): Schema | null {
  const found = resolve(document, schema);
  if (found.properties || typeof found.additionalProperties === "object") return found;
  return found.items ? objectOf(document, found.items) : null;
}

/** The fields of an object, each with its type and description. */
export function Fields(props: {
  readonly document: ApiDocument;
  readonly schema: Schema;
  readonly depth?: number;
}) {
  const { document, schema, depth = 0 } = props;
  const object = objectOf(document, schema);
  if (!object) return <p class="muted">{typeOf(document, schema)}</p>;
  const { properties = {}, required = [], additionalProperties } = object;
  return (
    <ul class="fields">
      {Object.entries(properties).map(([name, field]) => (
        <Field
          key={name}
          document={document}
          name={name}
          schema={field}
          isOptional={!required.includes(name)}
          depth={depth}
        />
      ))}
      {typeof additionalProperties === "object" && (
        <Field
          document={document}
          name="(any name)"
          schema={additionalProperties}
          isOptional={false}
          depth={depth}
        />
      )}
    </ul>
  );
}

function Field(props: {
  readonly document: ApiDocument;
  readonly name: string;
  readonly schema: Schema;
  readonly isOptional: boolean;
  readonly depth: number;
}) {
  const { document, name, schema, isOptional, depth } = props;
  const inner = objectOf(document, schema);
  const limits = limitsOf(document, schema);
  const description = schema.description ?? resolve(document, schema).description;
  const count = inner ? Object.keys(inner.properties ?? {}).length : 0;
  return (
    <li>
      <p class="field">
        <code class="field-name">{name}</code>{" "}
        <span class="muted">
          {typeOf(document, schema)}
          {isOptional && ", can be left out"}
        </span>{" "}
        <Prose text={description ?? (inner ? "" : MISSING)} />
        {limits !== null && <span class="muted"> ({limits})</span>}
      </p>
      {inner && (
        <details open={depth === 0 || (depth === 1 && count <= MANY_FIELDS)}>
          <summary class="muted">{count > 0 ? `${count} fields` : "fields"}</summary>
          <Fields document={document} schema={inner} depth={depth + 1} />
        </details>
      )}
    </li>
  );
}
