import { signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { type Shown, t, translate } from "#console/app/words.ts";

/** What was just done, in one sentence, and how to take it back. */
interface Toast {
  readonly text: Shown;
  /** If it fails, its error is shown in the same place. */
  readonly undo?: () => Promise<unknown>;
}

const SHOWN_MS = 8_000;
const shown = signal<Toast | null>(null);

/** Shows a sentence for some seconds, in place of an earlier one. */
export function showToast(toast: Toast): void {
  shown.value = toast;
}

/** The sentence that is shown now, for screen readers too. */
export function Toasts() {
  const toast = shown.value;
  const hide = () => void (shown.value = null);
  useEffect(() => {
    if (toast === null) return;
    const timer = setTimeout(hide, SHOWN_MS);
    return () => clearTimeout(timer);
  }, [toast]);
  return (
    <div class="toasts" role="status">
      {toast && (
        <div class="toast">
          <span>{toast.text}</span>
          {toast.undo && (
            <button
              type="button"
              class="quiet"
              onClick={() => {
                hide();
                toast
                  .undo?.()
                  .catch((error: Error) => showToast({ text: translate(error.message) }));
              }}
            >
              {t("Undo")}
            </button>
          )}
          <button type="button" class="quiet" aria-label={t("Close")} onClick={hide}>
            ×
          </button>
        </div>
      )}
    </div>
  );
}
