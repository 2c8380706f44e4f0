import { signal } from "@preact/signals";
import { t } from "#console/app/words.ts";

/** The text with which the search was opened; null while it is closed. */
export const searched = signal<string | null>(null);

/** A button that opens the search with a text. */
export function SearchButton({ text }: { readonly text: string }) {
  return (
    <button type="button" onClick={() => void (searched.value = text)}>
      {text === "" ? t("Search") : t("Search for {text}", { text })}
    </button>
  );
}
