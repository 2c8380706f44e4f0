import { useEffect, useRef, useState } from "preact/hooks";
import { useData } from "#console/app/api.ts";
import { open } from "#console/app/router.ts";
import { symbolPath } from "./country.tsx";
import type { Subject } from "./subject.ts";

const PAUSE_MS = 120;

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
  const [text, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  // The dialog opens before this is drawn, so its own focus finds no field.
  useEffect(() => input.current?.focus(), []);
  const query = useLater(text.trim(), PAUSE_MS);
  const found = useData(
    query === "" ? null : { operation: "list_symbols", args: { query, limit: 10 } },
  );
  const list = query === "" ? [] : (found.value?.data.symbols ?? []);
  const openSymbol = ({ country, symbol }: Subject) => {
    onDone();
    open(symbolPath(country, symbol));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step !== undefined) setChosen(Math.max(0, Math.min(list.length - 1, chosen + step)));
    const one = list[chosen];
    if (event.key === "Enter" && one) openSymbol(one);
    if (step !== undefined || event.key === "Enter") event.preventDefault();
  };
  return (
    <>
      <input
        role="combobox"
        aria-label="Symbol or name"
        aria-expanded={list.length > 0}
        aria-controls="search-list"
        aria-activedescendant={list[chosen] ? `found-${chosen}` : undefined}
        placeholder="Symbol or name"
        ref={input}
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
        }}
        onKeyDown={onKeyDown}
      />
      <ul id="search-list" role="listbox" aria-label="Instruments">
        {list.map((one, row) => (
          <li
            key={`${one.country} ${one.symbol}`}
            id={`found-${row}`}
            role="option"
            aria-selected={row === chosen}
            onClick={() => openSymbol(one)}
          >
            <b>{one.symbol}</b> <span class="found-name">{one.name}</span>{" "}
            <span class="muted">
              {one.country} {one.type}
            </span>
          </li>
        ))}
      </ul>
      {query !== "" && !found.isLoading && list.length === 0 && (
        <p class="empty">
          {found.error?.message ?? "No instrument has this in its symbol or name."}
        </p>
      )}
    </>
  );
}

/** The value, once it has not changed for that time. */
function useLater(value: string, ms: number): string {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return later;
}
