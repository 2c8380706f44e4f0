import { useEffect, useRef } from "preact/hooks";
import { isSettled, useResource } from "#console/app/api.ts";
import { open } from "#console/app/router.ts";
import { t } from "#console/app/words.ts";
import { symbolPath } from "#console/app/parts/country.tsx";
import { searched } from "#console/app/parts/search-button.tsx";
import { type Choice, SymbolField } from "#console/app/parts/symbol-field.tsx";

/** The button and the dialog that find everything; `/` and Ctrl-K open it. `?` shows all keys. */
export function Palette() {
  const dialog = useRef<HTMLDialogElement>(null);
  const text = searched.value;
  useEffect(() => {
    if (text !== null) dialog.current?.showModal();
  }, [text]);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      const isTyping =
        event.target instanceof Element && event.target.matches("input, textarea, select");
      const hasControl = (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
      // Caps Lock makes it a capital.
      const isShortcut = hasControl && event.key.toLowerCase() === "k";
      if (event.key === "?" && !isTyping)
        void import("./keys.tsx").then(
          ({ showKeys }) => showKeys(),
          () => {},
        );
      if (!isShortcut && (event.key !== "/" || isTyping)) return;
      event.preventDefault();
      searched.value ??= "";
    };
    document.addEventListener("keydown", onKey);
    return () => document.removeEventListener("keydown", onKey);
  }, []);
  return (
    <>
      <button type="button" class="search-button" onClick={() => void (searched.value = "")}>
        <span>
          <span class="search-short">{t("Search")}</span>
          <span class="search-more">{t("Search or do anything")}</span>
        </span>{" "}
        <kbd>Ctrl K</kbd>
      </button>
      <dialog
        ref={dialog}
        class="search"
        aria-label={t("Search")}
        onClose={() => void (searched.value = null)}
      >
        {text !== null && <Search text={text} onDone={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

function Search(props: { readonly text: string; readonly onDone: () => void }) {
  const { text: begun, onDone } = props;
  // What can be searched is not needed before.
  const loaded = useResource("choices of the search", () => import("./palette-choices.ts"));
  const choices = loaded.value;
  const names = useResource(choices && "names of series", choices?.loadNames ?? null);
  const closing = (choice: Choice): Choice => ({
    ...choice,
    run() {
      onDone();
      choice.run();
    },
  });
  const choicesOf = (text: string) =>
    (choices?.listChoices(text, names.value ?? choices.NO_NAMES) ?? []).map(closing);
  return (
    <SymbolField
      label={t("Company, page, series or action")}
      isFocused
      text={begun}
      choicesOf={isSettled(loaded) ? choicesOf : null}
      areChoicesKnown={isSettled(names) || loaded.error !== null}
      partOf={choices?.partOf}
      nothing={(text) =>
        t("Nothing found for “{text}”. Try a symbol, a company, an indicator or a page.", { text })
      }
      onPick={({ country, symbol }, part) => {
        onDone();
        open(symbolPath(country, symbol) + (part ? `/${part.key}` : ""));
      }}
    />
  );
}
