import { useState } from "preact/hooks";
import { type Caption, t, translate } from "#console/app/words.ts";

const COPIED_MS = 2_000;

/** A text to copy. */
export function CodeBlock({
  text,
  label = "Copy",
  canCopy = true,
}: {
  readonly text: string;
  readonly label?: Caption;
  /** False for a text that is of no use yet. */
  readonly canCopy?: boolean;
}) {
  return (
    <div class="code-block">
      <pre tabIndex={0}>
        <code>{text}</code>
      </pre>
      {canCopy && <CopyButton text={text} label={label} />}
    </div>
  );
}

/** A button that copies a text. */
export function CopyButton({
  text,
  label = "Copy",
}: {
  readonly text: string;
  readonly label?: Caption;
}) {
  const [state, setState] = useState<"ready" | "copied" | "failed">("ready");
  const copy = async () => {
    const isCopied = await copyText(text);
    setState(isCopied ? "copied" : "failed");
    setTimeout(() => setState("ready"), COPIED_MS);
  };
  const texts = {
    ready: translate(label),
    copied: t("Copied"),
    failed: t("Select and copy by hand"),
  };
  return (
    <button type="button" onClick={copy} aria-live="polite">
      {texts[state]}
    </button>
  );
}

/** Copies a text; false if the browser refuses. Over plain http it has a clipboard on loopback only. */
async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return copySelection(text);
  }
}

/** Copies a text by the old command, which works over plain http too. */
function copySelection(text: string): boolean {
  const field = document.createElement("textarea");
  field.value = text;
  field.readOnly = true;
  // In an open dialog, nothing outside of it can be selected.
  const place = document.querySelector("dialog[open]") ?? document.body;
  const focused = document.activeElement;
  place.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (focused instanceof HTMLElement) focused.focus();
  return isCopied;
}
