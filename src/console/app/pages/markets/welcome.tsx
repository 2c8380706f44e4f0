import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { callOperation } from "#console/app/api.ts";
import { useAction } from "#console/app/parts/action.ts";
import { COUNTRY_NAMES, countryInText } from "#console/app/parts/country.tsx";
import { Failure, Panel } from "#console/app/parts/panel.tsx";
import { rowsOf } from "#console/app/parts/rows.ts";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { LANGUAGES, reader } from "#console/app/reader.ts";
import { addList } from "#console/app/pages/lists/named-list.ts";
import { type ListItem, loadLists, lists } from "#console/app/user-lists.ts";
import { changeSettings, colorsNow, homeCountry } from "#console/app/user-settings.ts";
import { asIs, type Sentence, t } from "#console/app/words.ts";

const COUNTRIES = Object.keys(COUNTRY_NAMES) as ("US" | "JP" | "VN")[];
const LANGUAGE_NAMES = { en: "English", ja: "日本語", vi: "Tiếng Việt" };
const COLORS = ["green-red", "red-green", "blue-orange"] as const;
const COLOR_NAMES = {
  "green-red": "Green and red",
  "red-green": "Red and green, as in Tokyo",
  "blue-orange": "Blue and orange",
} as const;

/** The list that the star fills too, and how many companies it begins with. */
const FIRST_LIST = "watchlist";
const FIRST_ITEMS = 5;

/** Asks once for the country, the language and the colours, and offers a first list. */
export function WelcomeCard() {
  const [country, setCountry] = useState(COUNTRIES.find((one) => one === homeCountry()) ?? "US");
  const [language, setLanguage] = useState(reader.value.language);
  const [colors, setColors] = useState<(typeof COLORS)[number]>(colorsNow());
  const [wantsList, setWantsList] = useState(true);
  const { isBusy, error, run } = useAction();
  const start = async () => {
    if (wantsList) await makeFirstList(country);
    await changeSettings({ country, language, colors, welcomed: true });
  };
  return (
    <Panel title="Welcome" class="welcome-card">
      <p class="muted">{t("These questions come once. The page Settings has all choices.")}</p>
      <div class="columns">
        <Question title="Home country">
          <Tabs
            label="Home country"
            tabs={COUNTRIES}
            current={country}
            textOf={(one) => COUNTRY_NAMES[one] ?? asIs(one)}
            onChange={setCountry}
          />
        </Question>
        <Question title="Language">
          <Tabs
            label="Language"
            tabs={LANGUAGES}
            current={language}
            textOf={(one) => asIs(LANGUAGE_NAMES[one])}
            onChange={setLanguage}
          />
        </Question>
        <Question title="Gain and loss">
          <Tabs
            label="Gain and loss"
            tabs={COLORS}
            current={colors}
            textOf={(one) => COLOR_NAMES[one]}
            onChange={setColors}
          />
        </Question>
      </div>
      <label class="tick">
        <input
          type="checkbox"
          name="list"
          checked={wantsList}
          onChange={({ currentTarget }) => setWantsList(currentTarget.checked)}
        />{" "}
        {t("Begin my watchlist with the {count} largest companies of {country}", {
          count: FIRST_ITEMS,
          country: countryInText(country),
        })}
      </label>
      {error !== null && <Failure message={error} />}
      <div class="panel-actions">
        <button type="button" class="primary" disabled={isBusy} onClick={() => void run(start)}>
          {t("Start")}
        </button>
        <button
          type="button"
          disabled={isBusy}
          onClick={() => void run(() => changeSettings({ welcomed: true }))}
        >
          {t("Not now")}
        </button>
      </div>
    </Panel>
  );
}

function Question(props: { readonly title: Sentence; readonly children: ComponentChildren }) {
  return (
    <div class="setting">
      <span aria-hidden="true">{t(props.title)}</span>
      {props.children}
    </div>
  );
}

/** A list that is there already stays as it is. */
async function makeFirstList(country: (typeof COUNTRIES)[number]): Promise<void> {
  await loadLists();
  if (lists.value.some(({ name }) => name === FIRST_LIST)) return;
  const { data } = await callOperation({
    operation: "screen_stocks",
    args: { country, sort: "market_cap desc", metrics: "market_cap", limit: FIRST_ITEMS },
  });
  const items = rowsOf(data).map(({ symbol }) => ({ country, symbol }) as ListItem);
  if (items.length > 0) await addList(FIRST_LIST, items);
}
