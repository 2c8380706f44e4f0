import { type Answer, callOperation, request } from "#console/app/api.ts";
import { recentSymbols } from "#console/app/recent-symbols.ts";
import { open, withBase } from "#console/app/router.ts";
import { mayOpen, pathOf, ROUTES } from "#console/app/routes.ts";
import { signOut } from "#console/app/session.ts";
import { changeSettings, homeCountry, type UserSettings } from "#console/app/user-settings.ts";
import type { PayloadOf } from "#operations/index.ts";
import { type Sentence, t, translate, translateTerm } from "#console/app/words.ts";
import { classNameOf } from "#console/app/parts/class-name.ts";
import { COUNTRY_NAMES, countryName, symbolPath } from "#console/app/parts/country.tsx";
import { findSeries, type Series } from "./meaning.ts";
import { presetPath, presetsOf } from "#console/app/pages/screen/presets.ts";
import { otherWords, presetsIn } from "./topics.ts";
import { hasWords, restOf } from "#console/app/parts/search-words.ts";
import type { Choice } from "#console/app/parts/symbol-field.tsx";
import { showToast } from "#console/app/parts/toast.tsx";

export { partOf } from "./meaning.ts";

/** What a text can mean beside instruments: actions, pages and series. Without a text, what was opened last and examples. */
export function listChoices(text: string, { series, classes }: Names): Choice[] {
  if (text !== "") {
    return [
      ...actionsOf(text),
      ...settingsLike(text),
      ...pagesLike(text),
      ...screensLike(text),
      ...seriesLike(text, series),
      ...classesLike(text, classes),
    ];
  }
  const recent = recentSymbols().map(({ country, symbol, name }) => ({
    key: `recent ${country} ${symbol}`,
    title: `${symbol} ${name}`,
    kind: t("Recent"),
    run: () => open(symbolPath(country, symbol)),
  }));
  return [...recent, ...EXAMPLES.flatMap(actionsOf).map((one) => ({ ...one, isExact: false }))];
}

/** The names of what can be found beside pages and actions. */
export interface Names {
  readonly series: readonly Series[];
  readonly classes: readonly CompanyClass[];
}

/** A filter of the screener that has a name: a sector, an industry, a class of the country or an exchange. */
interface CompanyClass {
  readonly filter: "sector" | "industry" | "exchange";
  readonly value: string;
}

export const NO_NAMES: Names = { series: [], classes: [] };

/** The series of all countries, and the classes of companies of the reader's. */
export async function loadNames(): Promise<Names> {
  const [series, words] = await Promise.all([loadSeries(), request("GET vocabulary")]);
  const of = (filter: CompanyClass["filter"], values: readonly string[] = []) =>
    values.map((value) => ({ filter, value }));
  const home = homeCountry();
  const classes = [
    ...of("sector", words.localSectors[home]),
    ...of("exchange", words.exchanges[home]),
    ...of("sector", words.sectors),
    ...of("industry", words.industries),
  ];
  return { series, classes };
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

/** A name in English and in the reader's language, and what else people call it: all find it. */
const allNames = (name: Sentence) => `${name} ${t(name)} ${otherWords(name)}`;

/** True if the text is the whole name in either language. */
const isWhole = (text: string, name: Sentence) =>
  [name, t(name)].some((one) => one.toLowerCase() === text.toLowerCase());

/** The pages whose names have the words of the text. */
function pagesLike(text: string): Choice[] {
  return ROUTES.flatMap((route) => {
    const { name } = route;
    if (name === undefined || !mayOpen(route) || !hasWords(allNames(name), text)) return [];
    return {
      key: `page ${name}`,
      title: t(name),
      kind: t("Page"),
      run: () => open(pathOf(route)),
      isExact: isWhole(text, name),
    };
  });
}

/** The presets of the screener whose names have the words of the text, or that it asks for, in the sector that it names. */
function screensLike(text: string): Choice[] {
  const { names, sector } = presetsIn(text);
  const isAsked = (name: Sentence) =>
    names.includes(name) || (text.length > 1 && hasWords(allNames(name), text));
  return presetsOf(homeCountry())
    .filter(({ name }) => isAsked(name))
    .map((preset) => ({
      key: `screen ${preset.name}`,
      title: t(preset.name) + (sector === undefined ? "" : ` · ${classNameOf(sector)}`),
      kind: t("Screener"),
      isExact: isWhole(text, preset.name),
      run: () => open(presetPath(preset, homeCountry(), sector)),
    }));
}

/** The series that a text means. */
function seriesLike(text: string, all: readonly Series[]): Choice[] {
  return findSeries(text, all, homeCountry()).map(({ country, name }) => ({
    key: `series ${country} ${name}`,
    title: `${translateTerm(name)}, ${countryName(country)}`,
    kind: t("Series"),
    run: () =>
      open(`/console/economy?${new URLSearchParams({ country, series: name }).toString()}`),
  }));
}

/** The most classes of a text. */
const MOST_CLASSES = 4;

/** The screens of the classes and exchanges whose names have the words of the text, whole names first. */
function classesLike(text: string, classes: readonly CompanyClass[]): Choice[] {
  if (text.length < 2) return [];
  const country = homeCountry();
  const wanted = text.toLowerCase();
  const named = classes.map(({ filter, value }) => ({
    filter,
    value,
    title: filter === "exchange" ? translate(value) : classNameOf(value),
  }));
  return named
    .filter(({ title, value }) => hasWords(`${title} ${value.replaceAll(/[:-]/g, " ")}`, text))
    .toSorted(
      (a, b) => Number(b.title.toLowerCase() === wanted) - Number(a.title.toLowerCase() === wanted),
    )
    .slice(0, MOST_CLASSES)
    .map(({ filter, value, title }) => ({
      key: `class ${value}`,
      title: `${title}, ${countryName(country)}`,
      kind: t("Screener"),
      run: () =>
        open(`/console/screen?${new URLSearchParams({ country, [filter]: value }).toString()}`),
    }));
}

/** The settings by their names on the page of settings, and their places there. */
const SETTINGS: readonly (readonly [Sentence, keyof UserSettings])[] = [
  ["Language", "language"],
  ["Time zone", "timeZone"],
  ["Theme", "theme"],
  ["Gain and loss", "colors"],
  ["Currency", "currency"],
  ["Rows of tables", "density"],
  ["Home country", "country"],
  ["First page", "firstPage"],
];

/** The settings whose names have the words of the text. */
function settingsLike(text: string): Choice[] {
  return SETTINGS.flatMap(([name, anchor]) =>
    text.length > 1 && hasWords(allNames(name), text)
      ? {
          key: `setting ${name}`,
          title: t(name),
          kind: t("Settings"),
          isExact: isWhole(text, name),
          run: () => open(`/console/settings#${anchor}`),
        }
      : [],
  );
}

const theme = (name: "light" | "dark" | "system") => () =>
  void changeSettings({ theme: name }).catch((error: Error) =>
    showToast({ text: translate(error.message) }),
  );

const ACTIONS: readonly (readonly [Sentence, () => void])[] = [
  ["New token", () => open("/console/tokens")],
  ["New list", () => open("/console/lists")],
  ["Documentation", () => window.location.assign(withBase("/docs"))],
  ["Dark", theme("dark")],
  ["Light", theme("light")],
  ["System theme", theme("system")],
  ["Sign out", () => void signOut()],
];

/** What can be typed beside companies, shown before anything is. */
const EXAMPLES = ["compare AAPL MSFT", "new token"];

/** The actions that the text asks for: `compare AAPL MSFT`, `dark`, `sign out`. */
function actionsOf(text: string): Choice[] {
  const named = ACTIONS.filter(([title]) => text.length > 1 && hasWords(allNames(title), text)).map(
    ([title, run]): Choice => ({
      key: title,
      title: t(title),
      kind: t("Action"),
      isExact: isWhole(text, title),
      run,
    }),
  );
  const companies = comparedIn(text);
  if (companies === null) return named;
  const compare: Choice = {
    key: "compare",
    title: t("Compare {companies}", { companies: phrasesOf(companies).join(", ") }),
    kind: t("Action"),
    isExact: true,
    run: () =>
      void findCompanies(companies).then(
        (symbols) => open(`/console/compare?${new URLSearchParams({ symbols })}`),
        (error: Error) => showToast({ text: translate(error.message) }),
      ),
  };
  return [compare, ...named];
}

/** What stands between the two sides of a comparison. */
const VERSUS = /\s+(?:vs\.?|versus|対|so với)\s+/i;

/** The companies that a text asks to compare: `compare AAPL MSFT`, `Apple vs Toyota`; null without such words. */
function comparedIn(text: string): string | null {
  return restOf(text, "compare") ?? restOf(text, t("Compare")) ?? (VERSUS.test(text) ? text : null);
}

/** The parts of `Toyota and Bank of America`; of `AAPL MSFT` one, because it can be a name. */
const phrasesOf = (text: string) =>
  text
    .split(VERSUS)
    .flatMap((part) => part.split(/\s*[,;&、]\s*|\s+(?:and|with|to)\s+/i))
    .filter((one) => one !== "");

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
