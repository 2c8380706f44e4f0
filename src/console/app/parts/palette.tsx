import { useEffect, useRef, useState } from "preact/hooks";
import { type Answer, callOperation, useResource } from "#console/app/api.ts";
import { recentSymbols } from "#console/app/recent-symbols.ts";
import { open } from "#console/app/router.ts";
import { mayOpen, pathOf, ROUTES } from "#console/app/routes.ts";
import { signOut } from "#console/app/session.ts";
import { changeSettings } from "#console/app/settings.ts";
import type { PayloadOf } from "#operations/index.ts";
import { t, translate } from "#console/app/words.ts";
import { COUNTRY_NAMES, symbolPath } from "./country.tsx";
import { type Choice, SymbolField } from "./symbol-field.tsx";
import { showToast } from "./toast.tsx";

/** The button and the dialog that find everything; `/` and Ctrl-K open it. */
export function Palette() {
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
        <span>
          <span class="search-short">{t("Search")}</span>
          <span class="search-more">{t("Search or do anything")}</span>
        </span>{" "}
        <kbd>Ctrl K</kbd>
      </button>
      <dialog ref={dialog} class="search" aria-label="Search" onClose={() => setOpen(false)}>
        {isOpen && <Search onDone={() => dialog.current?.close()} />}
      </dialog>
    </>
  );
}

function Search({ onDone }: { readonly onDone: () => void }) {
  const series = useResource("names of series", loadSeries);
  const leave = (url: string) => () => {
    onDone();
    open(url);
  };
  const choicesOf = (text: string): Choice[] => {
    if (text === "") {
      return recentSymbols().map(({ country, symbol, name }) => ({
        key: `recent ${country} ${symbol}`,
        title: `${symbol} ${name}`,
        kind: "Recent",
        run: leave(symbolPath(country, symbol)),
      }));
    }
    const actions = actionsOf(text).map((action) => ({
      ...action,
      run() {
        onDone();
        action.run();
      },
    }));
    return [...actions, ...pagesLike(text, leave), ...seriesLike(text, series.value ?? [], leave)];
  };
  return (
    <SymbolField
      label={t("Company, page, series or action")}
      isFocused
      choicesOf={choicesOf}
      onPick={({ country, symbol }) => leave(symbolPath(country, symbol))()}
    />
  );
}

/** A macro series of a country. */
interface Series {
  readonly country: string;
  readonly name: string;
}

async function loadSeries(): Promise<Series[]> {
  const answers = await Promise.all(
    Object.keys(COUNTRY_NAMES).map(async (country) => {
      const answer: Answer<PayloadOf<"get_macro_indicators">> = await callOperation({
        operation: "get_macro_indicators",
        args: { country },
      });
      return Object.values(answer.data).flatMap((all) =>
        all.map(({ name }) => ({ country, name })),
      );
    }),
  );
  return answers.flat();
}

type Leave = (url: string) => () => void;

const MOST_ROWS = 6;

/** The pages whose name begins with the text. */
function pagesLike(text: string, leave: Leave): Choice[] {
  return ROUTES.flatMap((route) => {
    const name = translate(route.name ?? "");
    if (name === "" || !mayOpen(route) || !name.toLowerCase().startsWith(text.toLowerCase())) {
      return [];
    }
    const isExact = name.length === text.length;
    return [{ key: `page ${name}`, title: name, kind: "Page", run: leave(pathOf(route)), isExact }];
  });
}

/** The series that have every word of the text in their name or country: `CPI Japan`. */
function seriesLike(text: string, all: readonly Series[], leave: Leave): Choice[] {
  const words = text.toLowerCase().split(/\s+/);
  if (text.length < 2) return [];
  const found = all.filter(({ country, name }) => {
    const about = `${name} ${country} ${COUNTRY_NAMES[country]}`.toLowerCase();
    return words.every((word) => about.includes(word));
  });
  return found.slice(0, MOST_ROWS).map(({ country, name }) => ({
    key: `series ${country} ${name}`,
    title: `${name}, ${COUNTRY_NAMES[country]}`,
    kind: "Series",
    run: leave(`/console/economy?${new URLSearchParams({ country, series: name }).toString()}`),
  }));
}

/** The actions that the text asks for: `compare AAPL MSFT`, `dark`, `sign out`. */
function actionsOf(text: string): Choice[] {
  const symbols = /^compare\s+(.+)$/i.exec(text)?.[1]?.split(/[\s,]+/) ?? [];
  const compare = {
    key: "compare",
    title: `Compare ${symbols.join(" and ")}`,
    kind: "Action",
    isExact: true,
    run: () =>
      open(`/console/compare?${new URLSearchParams({ symbols: symbols.join(",").toUpperCase() })}`),
  };
  const theme = (name: "light" | "dark" | "system") => () =>
    void changeSettings({ theme: name }).catch((error: Error) =>
      showToast({ text: error.message }),
    );
  const actions = [
    ["New token", () => open("/console/tokens")],
    ["Documentation", () => window.location.assign("/docs")],
    ["Dark", theme("dark")],
    ["Light", theme("light")],
    ["System theme", theme("system")],
    ["Sign out", () => void signOut()],
  ] as const;
  const named = actions
    .filter(([title]) => text.length > 1 && title.toLowerCase().startsWith(text.toLowerCase()))
    .map(([title, run]) => ({
      key: title,
      title,
      kind: "Action",
      isExact: title.length === text.length,
      run,
    }));
  return symbols.length > 0 ? [compare, ...named] : named;
}
