import { useState } from "preact/hooks";
import { queryOf } from "#console/app/api.ts";
import { formatBytes, formatNumber } from "#console/app/format.ts";
import {
  type ApiDocument,
  type ApiOperation,
  type Parameter,
  resolve,
} from "#console/app/openapi.ts";
import { asIs, t } from "#console/app/words.ts";
import { MoreButton } from "#console/app/parts/more-button.tsx";
import { CodeBlock } from "#console/app/parts/code-block.tsx";
import { type FormEvent, readForm, readText } from "#console/app/parts/form.ts";
import { Failure } from "#console/app/parts/panel.tsx";
import { me } from "#console/app/session.ts";

/** Longer bodies are cut off on the page. */
const SHOWN_CHARACTERS = 100_000;

/** An answer, as it arrived. */
interface Received {
  readonly status: string;
  readonly isError: boolean;
  readonly milliseconds: number;
  readonly bytes: number;
  readonly headers: readonly (readonly [string, string])[];
  readonly body: string;
  readonly args: Readonly<Record<string, string>>;
}

/** Runs an operation with arguments from a form, and shows the answer as it arrives. */
export function TryIt(props: {
  readonly operation: ApiOperation;
  readonly parameters: readonly Parameter[];
  readonly document: ApiDocument;
}) {
  const { operationId } = props.operation;
  const [received, setReceived] = useState<Received | string | null>(null);
  const [isBusy, setBusy] = useState(false);
  if (!me.value) {
    return <p class="muted">Sign in to try this operation here.</p>;
  }
  const inputs = props.parameters.filter((parameter) => parameter.in !== "header");
  const submit = async (event: FormEvent) => {
    const form = readForm(event);
    const entries = inputs.map(({ name }) => [name, readText(form, name).trim()] as const);
    setBusy(true);
    setReceived(await run(operationId, Object.fromEntries(entries.filter(([, text]) => text))));
    setBusy(false);
  };
  return (
    <section class="try" aria-label={`Try ${operationId}`}>
      <h4>Try it</h4>
      <p class="muted">
        This uses your session of the console. No token is needed and none is charged.
      </p>
      <form class="try-form" onSubmit={submit}>
        {inputs.map((parameter) => (
          <Input key={parameter.name} document={props.document} parameter={parameter} />
        ))}
        <button type="submit" class="primary" disabled={isBusy}>
          Run
        </button>
      </form>
      {typeof received === "string" && <Failure message={received} />}
      {received !== null && typeof received === "object" && (
        <Result operationId={operationId} received={received} />
      )}
    </section>
  );
}

/** The field of an argument. A required one starts with its example. */
function Input(props: { readonly document: ApiDocument; readonly parameter: Parameter }) {
  const { name, required = false, schema, example } = props.parameter;
  const { enum: choices, type, minimum, maximum } = resolve(props.document, schema);
  const start = required && example !== undefined ? String(example) : "";
  const options = choices?.map(String) ?? (type === "boolean" ? ["true", "false"] : null);
  return (
    <label>
      <span>
        {name}
        {required && <b class="required"> required</b>}
      </span>
      {options ? (
        <select name={name} required={required} defaultValue={start}>
          {!required && <option value="" />}
          {options.map((option) => (
            <option key={option} value={option} selected={option === start}>
              {option}
            </option>
          ))}
        </select>
      ) : (
        <input
          name={name}
          required={required}
          defaultValue={start}
          placeholder={example === undefined ? "" : String(example)}
          {...(type === "integer" && { type: "number", min: minimum, max: maximum })}
        />
      )}
    </label>
  );
}

/** Calls the operation, and returns its answer, errors included, or why there is none. */
async function run(
  operationId: string,
  args: Readonly<Record<string, string>>,
): Promise<Received | string> {
  const started = performance.now();
  try {
    const response = await fetch(`/console/api/data/${operationId}?${queryOf(args)}`);
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json") ?? false;
    return {
      status: `${response.status} ${response.statusText}`.trim(),
      isError: !response.ok,
      milliseconds: performance.now() - started,
      bytes: new TextEncoder().encode(text).length,
      headers: [...response.headers],
      body: isJson ? JSON.stringify(JSON.parse(text), null, 2) : text,
      args,
    };
  } catch {
    return "The service does not answer. Check that it is running, then retry.";
  }
}

function Result({ operationId, received }: { operationId: string; received: Received }) {
  const { status, isError, milliseconds, bytes, headers, body, args } = received;
  const isCut = body.length > SHOWN_CHARACTERS;
  return (
    <div class="result">
      <div class="panel-head">
        <p role="status">
          <b class={isError ? "loss" : "gain"}>{status}</b>{" "}
          <span class="muted">
            {formatNumber(milliseconds, 0)} ms, {formatBytes(bytes)}
          </span>
        </p>
        <MoreButton
          title={asIs(operationId)}
          text={t("Use in code")}
          calls={[{ operation: operationId, args }]}
        />
      </div>
      <details>
        <summary>Headers ({headers.length})</summary>
        <dl class="headers">
          {headers.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </details>
      <CodeBlock text={isCut ? `${body.slice(0, SHOWN_CHARACTERS)}\n…` : body} />
      {isCut && (
        <p class="muted">
          The body is cut off here. The answer has {formatNumber(body.length, 0)} characters.
        </p>
      )}
    </div>
  );
}
