import { useState } from "preact/hooks";

const COPIED_MS = 2_000;

/** A text to copy. */
export function CodeBlock({
  text,
  label = "Copy",
}: {
  readonly text: string;
  readonly label?: string;
}) {
  return (
    <div class="code-block">
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      <CopyButton text={text} label={label} />
    </div>
  );
}

/** A button that copies a text. */
export function CopyButton({
  text,
  label = "Copy",
}: {
  readonly text: string;
  readonly label?: string;
}) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  const copy = async () => {
    // Over plain http, browsers have a clipboard on loopback only.
    const isCopied = await copyText(text);
    setState(isCopied ? "copied" : "failed");
    setTimeout(() => setState("ready"), COPIED_MS);
  };
  const texts = { ready: label, copied: "Copied", failed: "Select and copy by hand" };
  return (
    <button type="button" onClick={copy} aria-live="polite">
      {texts[state]}
    </button>
  );
}

function copyText(text: string): Promise<boolean> {
  if (!navigator.clipboard) return Promise.resolve(false);
  return navigator.clipboard.writeText(text).then(
    () => true,
    () => false,
  );
}
