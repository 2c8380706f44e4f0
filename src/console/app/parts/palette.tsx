import { useEffect, useRef } from "preact/hooks";
import { isSettled, type Answer, callOperation, useResource } from "#console/app/api.ts";
import { recentSymbols } from "#console/app/recent-symbols.ts";
import { open } from "#console/app/router.ts";
import { mayOpen, pathOf, ROUTES } from "#console/app/routes.ts";
import { signOut } from "#console/app/session.ts";
import { changeSettings } from "#console/app/settings.ts";
import type { PayloadOf } from "#operations/index.ts";
import { type Sentence, t, translate, translateTerm } from "#console/app/words.ts";
import { COUNTRY_NAMES, countryName, symbolPath } from "./country.tsx";
import { countWords, hasWords, namesOfCountry, wordsOf } from "./search-words.ts";
import { searched } from "./search-button.tsx";
import { type Choice, SymbolField } from "./symbol-field.tsx";
import { showToast } from "./toast.tsx";

/** The button and the dialog that find everything; `/` and Ctrl-K open it. */
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
  const series = useResource("names of series", loadSeries);
  const leave = (url: string) => () => {
    onDone();
    open(url);
  };
  const choicesOf = (text: string): Choice[] => {
    const close = (action: Choice) => ({
      ...action,
      run() {
        onDone();
        action.run();
      },
    });
    if (text === "") {
      const recent = recentSymbols().map(({ country, symbol, name }) => ({
        key: `recent ${country} ${symbol}`,
        title: `${symbol} ${name}`,
        kind: t("Recent"),
        run: leave(symbolPath(country, symbol)),
      }));
      return [
        ...recent,
        ...EXAMPLES.flatMap(actionsOf).map((one) => ({ ...close(one), isExact: false })),
      ];
    }
    const actions = actionsOf(text).map(close);
    return [...actions, ...pagesLike(text, leave), ...seriesLike(text, series.value ?? [], leave)];
  };
  return (
    <SymbolField
      label={t("Company, page, series or action")}
      isFocused
      text={begun}
      choicesOf={choicesOf}
      areChoicesKnown={isSettled(series)}
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

/** A name in English and in the reader's language: both find it. */
const bothNames = (name: string) => `${name} ${translate(name)}`;

/** True if the text is the whole name in either language. */
const isWhole = (text: string, name: string) =>
  [name, translate(name)].some((one) => one.toLowerCase() === text.toLowerCase());

/** The pages whose name has the words of the text. */
function pagesLike(text: string, leave: Leave): Choice[] {
  return ROUTES.flatMap((route) => {
    const { name } = route;
    if (name === undefined || !mayOpen(route) || !hasWords(bothNames(name), text)) return [];
    return {
      key: `page ${name}`,
      title: translate(name),
      kind: t("Page"),
      run: leave(pathOf(route)),
      isExact: isWhole(text, name),
    };
  });
}

/** The series that have every word of the text in their name or country: `CPI Japan`, `vietnam gdp`. */
function seriesLike(text: string, all: readonly Series[], leave: Leave): Choice[] {
  if (text.length < 2) return [];
  const found = all.flatMap(({ country, name }) => {
    const about = `${name} ${translateTerm(name)} ${namesOfCountry(country)}`;
    return hasWords(about, text) ? [{ country, name, whole: countWords(about, text) }] : [];
  });
  // `us` begins more words than it is: whole words come first.
  const best = found.toSorted((a, b) => b.whole - a.whole).slice(0, MOST_ROWS);
  return best.map(({ country, name }) => ({
    key: `series ${country} ${name}`,
    title: `${translateTerm(name)}, ${countryName(country)}`,
    kind: t("Series"),
    run: leave(`/console/economy?${new URLSearchParams({ country, series: name }).toString()}`),
  }));
}

const theme = (name: "light" | "dark" | "system") => () =>
  void changeSettings({ theme: name }).catch((error: Error) => showToast({ text: error.message }));

const ACTIONS: readonly (readonly [Sentence, () => void])[] = [
  ["New token", () => open("/console/tokens")],
  ["Documentation", () => window.location.assign("/docs")],
  ["Dark", theme("dark")],
  ["Light", theme("light")],
  ["System theme", theme("system")],
  ["Sign out", () => void signOut()],
];

/** What can be typed beside companies, shown before anything is. */
const EXAMPLES = ["compare AAPL MSFT", "new token"];

/** The actions that the text asks for: `compare AAPL MSFT`, `dark`, `sign out`. */
function actionsOf(text: string): Choice[] {
  const named = ACTIONS.filter(
    ([title]) => text.length > 1 && hasWords(bothNames(title), text),
  ).map(([title, run]): Choice => ({
    key: title,
    title: translate(title),
    kind: t("Action"),
    isExact: isWhole(text, title),
    run,
  }));
  const first = wordsOf(text)[0] ?? "";
  const companies = text.slice(first.length).trim();
  const isComparison = ["compare", wordsOf(translate("Compare"))[0]].includes(first);
  if (!isComparison || companies === "") return named;
  const compare: Choice = {
    key: "compare",
    title: t("Compare {companies}", { companies: phrasesOf(companies).join(", ") }),
    kind: t("Action"),
    isExact: true,
    run: () =>
      void findCompanies(companies).then(
        (symbols) => open(`/console/compare?${new URLSearchParams({ symbols })}`),
        (error: Error) => showToast({ text: error.message }),
      ),
  };
  return [compare, ...named];
}

/** The parts of `Toyota and Bank of America`; of `AAPL MSFT` one, because it can be a name. */
const phrasesOf = (text: string) =>
  text.split(/\s*[,;&、]\s*|\s+(?:and|vs\.?|versus|with|to)\s+/i).filter((one) => one !== "");

/** The most companies of a comparison. */
const MOST_COMPANIES = 10;

/**
 * The instruments that a text names, as the address of a comparison has them: `US:AAPL,JP:7203`. A part that is the
 * name of none is read word by word. A word without an instrument stays as it is: the comparison says so.
 */
async function findCompanies(text: string): Promise<string> {
  const phrases = phrasesOf(text);
  const parts = phrases.map((phrase) => ({ phrase, words: phrase.split(/\s+/) }));
  const asked = new Set(parts.flatMap(({ phrase, words }) => [phrase, ...words]));
  const { data } = await callOperation({
    operation: "list_symbols",
    args: { queries: [...asked].slice(0, 2 * MOST_COMPANIES).join(",") },
  });
  const found = new Map(data.matches?.map(({ query, symbols: [best] }) => [query, best]));
  const symbols = parts.flatMap(({ phrase, words }) => {
    const whole = found.get(phrase);
    return whole === undefined ? words.map((word) => found.get(word) ?? word) : [whole];
  });
  return [...new Set(symbols)].slice(0, MOST_COMPANIES).join(",");
}
