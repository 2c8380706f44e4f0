import { render } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { type Sentence, t } from "#console/app/words.ts";

/** The keys, and what each does. */
const KEYS: readonly (readonly [keys: string, action: Sentence])[] = [
  ["/  Ctrl K", "Search or do anything"],
  ["?", "Show the keys"],
  ["J  K", "Next or previous company of the screener"],
  ["Enter", "Open the company"],
  ["W", "Watch the company"],
  ["C", "Tick the company to compare"],
  ["Esc", "From a filter to the companies; close what is open"],
  ["←  →", "Mark a day of the chart"],
  ["+  −", "Zoom the chart that has the focus"],
  ["↑  ↓  ←  →", "Walk through the map or the explanations"],
];

/** Shows the keys of the console in a dialog, unless a dialog is open. */
export function showKeys(): void {
  // The key can be pressed again, also above another dialog.
  if (document.querySelector("dialog[open]")) return;
  const place = document.body.appendChild(document.createElement("div"));
  const close = () => {
    render(null, place);
    place.remove();
  };
  render(<KeyHelp onClose={close} />, place);
}

function KeyHelp({ onClose }: { readonly onClose: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  useLayoutEffect(() => dialog.current?.showModal(), []);
  return (
    <dialog ref={dialog} class="small" aria-label={t("Keys")} onClose={onClose}>
      <div class="panel-head">
        <h2>{t("Keys")}</h2>
        <button type="button" class="quiet" onClick={() => dialog.current?.close()}>
          {t("Close")}
        </button>
      </div>
      <dl class="figures">
        {KEYS.map(([keys, action]) => (
          <>
            <dt>{t(action)}</dt>
            <dd>
              <kbd>{keys}</kbd>
            </dd>
          </>
        ))}
      </dl>
    </dialog>
  );
}
