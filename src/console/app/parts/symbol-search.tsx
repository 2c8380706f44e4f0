import { useEffect, useRef, useState } from "preact/hooks";
import { open } from "#console/app/router.ts";
import { symbolPath } from "./country.tsx";
import { SymbolField } from "./symbol-field.tsx";

/** The button and the dialog that find an instrument; `/` and Ctrl-K open it. */
export function SymbolSearch() {
  const dialog = useRef<HTMLDialogElement>(null);
  const [isOpen, setOpen] = useState(false);
  const show = () => {
    if (dialog.current?.open) return;
    setOpen(true);
    dialog.current?.showModal();
  };
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.matches("input, textarea, select");
      const isShortcut = (event.ctrlKey || event.metaKey) && event.key === "k";
      if (!isShortcut && (event.key !== "/" || isTyping)) return;
      event.preventDefault();
      show();
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <button type="button" class="search-button" onClick={show}>
        Search <kbd>/</kbd>
      </button>
      <dialog ref={dialog} class="search" aria-label="Search" onClose={() => setOpen(false)}>
        {isOpen && <Search onDone={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

function Search({ onDone }: { readonly onDone: () => void }) {
  return (
    <SymbolField
      label="Symbol or name"
      isFocused
      onPick={({ country, symbol }) => {
        onDone();
        open(symbolPath(country, symbol));
      }}
    />
  );
}
