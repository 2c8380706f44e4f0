import { timeNow } from "#console/app/clock.ts";
import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { formatInstant, formatShort } from "#console/app/format.ts";
import { Change } from "#console/app/parts/change.tsx";
import { COUNTRY_NAMES } from "#console/app/parts/country.tsx";
import { useVocabulary } from "#console/app/parts/metrics.tsx";
import { PageTitle } from "#console/app/parts/page-title.tsx";
import { Panel } from "#console/app/parts/panel.tsx";
import { Tabs } from "#console/app/parts/tabs.tsx";
import { showToast } from "#console/app/parts/toast.tsx";
import { LANGUAGES, reader } from "#console/app/reader.ts";
import { nameOfZone, zoneNow } from "#console/app/zone-names.ts";
import {
  changeSettings,
  colorsNow,
  FIRST_PAGES,
  homeCountry,
  settings,
  type UserSettings,
} from "#console/app/user-settings.ts";
import { groupZones, zoneText } from "#console/app/time-zones.ts";
import { asIs, type Caption, type Sentence, t, translate } from "#console/app/words.ts";

/** Settings: how the user sees the console. Every change is kept at once, and can be taken back. */
export default function SettingsPage() {
  return (
    <>
      <PageTitle title={t("Settings")} />
      <p class="muted">
        {t("Changes are saved at once and apply on all your devices. “Undo” takes a change back.")}
      </p>
      <div class="columns">
        <LookPanel />
        <FormsPanel />
        <StartPanel />
      </div>
    </>
  );
}

/** Changes one setting, and offers to take that back. */
async function change<K extends keyof UserSettings>(
  title: Sentence,
  name: K,
  value: UserSettings[K] | undefined,
): Promise<void> {
  const before = settings.value[name];
  try {
    await changeSettings({ [name]: value });
    const undo = () => change(title, name, before);
    showToast({ text: t("{setting} is changed.", { setting: t(title) }), undo });
  } catch (error) {
    showToast({ text: translate(error instanceof Error ? error.message : String(error)) });
  }
}

const THEMES = { system: "As the system", light: "Light", dark: "Dark" } as const;
const COLORS = {
  "green-red": "Green and red",
  "red-green": "Red and green, as in Tokyo",
  "blue-orange": "Blue and orange",
} as const;
const CANDLES = { filled: "Filled", hollow: "Hollow" } as const;
const DENSITIES = { comfortable: "Comfortable", compact: "Compact" } as const;

function LookPanel() {
  const { theme = "system", candles = "filled", density = "comfortable" } = settings.value;
  return (
    <Panel title="Look">
      <Choice title="Theme" name="theme" texts={THEMES} current={theme} />
      <Choice title="Gain and loss" name="colors" texts={COLORS} current={colorsNow()}>
        <Change value={1.25} /> <Change value={-0.8} />
      </Choice>
      <Choice title="Candles of gains" name="candles" texts={CANDLES} current={candles} />
      <Choice title="Rows of tables" name="density" texts={DENSITIES} current={density} />
    </Panel>
  );
}

const LANGUAGE_NAMES = { en: asIs("English"), ja: asIs("日本語"), vi: asIs("Tiếng Việt") };
/** Ten times a million millions: its name shows whose units these are. */
const LARGE = 12.34e12;

function FormsPanel() {
  const vocabulary = useVocabulary();
  const { currency = "" } = settings.value;
  return (
    <Panel title="Language, money and time">
      <Choice
        title="Language"
        name="language"
        texts={LANGUAGE_NAMES}
        current={LANGUAGES.find((one) => one === reader.value.language) ?? "en"}
      >
        <span class="muted">{t("Example: {figure}", { figure: formatShort(LARGE) })}</span>
      </Choice>
      <TimeZone />
      <label class="setting" id="currency">
        <span>{t("Currency of comparisons and lists")}</span>
        <select
          value={currency}
          onChange={({ currentTarget: { value } }) =>
            void change("Currency", "currency", asCurrency(value))
          }
        >
          <option value="">{t("Own currency")}</option>
          {(vocabulary.value?.currencies ?? []).map((one) => (
            <option key={one}>{one}</option>
          ))}
        </select>
      </label>
    </Panel>
  );
}

/** The choice of the time zone, in groups. A zone that was chosen by its old name has its new one. */
function TimeZone() {
  const { language } = reader.value;
  const chosen = nameOfZone(settings.value.timeZone ?? "");
  const browser = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  // A browser takes long to know the offsets of 400 zones.
  const groups = useMemo(() => {
    const now = timeNow();
    return groupZones(Intl.supportedValuesOf("timeZone"), [browser, chosen].filter(Boolean)).map(
      ({ title, zones }) => ({
        title,
        options: zones.map((zone) => ({ zone, text: zoneText(zone, now) })),
      }),
    );
  }, [browser, chosen, language]);
  return (
    <label class="setting" id="timeZone">
      <span>{t("Time zone")}</span>
      <select
        value={chosen}
        onChange={({ currentTarget: { value } }) =>
          void change("Time zone", "timeZone", value || undefined)
        }
      >
        <option value="">{t("As the browser")}</option>
        {groups.map(({ title, options }) => (
          <optgroup key={title} label={t(title)}>
            {options.map(({ zone, text }) => (
              <option key={zone} value={zone}>
                {text}
              </option>
            ))}
          </optgroup>
        ))}
      </select>
      <span class="muted">
        {zoneText(zoneNow(), timeNow())}: {formatInstant(timeNow())}
      </span>
    </label>
  );
}

/** The choices are the currencies of the service, so the service knows the value. */
const asCurrency = (value: string) => (value || undefined) as UserSettings["currency"];

function StartPanel() {
  const names = Object.entries(FIRST_PAGES).map(([name, [title]]) => [name, title]);
  return (
    <Panel title="Start">
      <Choice
        title="Home country"
        name="country"
        texts={COUNTRY_NAMES as Record<"US" | "JP" | "VN", Sentence>}
        current={homeCountry()}
      />
      <Choice
        title="First page"
        name="firstPage"
        texts={Object.fromEntries(names)}
        current={settings.value.firstPage ?? "markets"}
      />
    </Panel>
  );
}

/** A setting with few values, as buttons; an example beside them. */
function Choice<K extends Exclude<keyof UserSettings, "welcomed">>(props: {
  readonly title: Sentence;
  readonly name: K;
  readonly texts: Readonly<Record<NonNullable<UserSettings[K]>, Caption>>;
  readonly current: NonNullable<UserSettings[K]>;
  readonly children?: ComponentChildren;
}) {
  const { title, name, texts, current } = props;
  const values = Object.keys(texts) as NonNullable<UserSettings[K]>[];
  return (
    <div class="setting" id={name}>
      <span aria-hidden="true">{t(title)}</span>
      <Tabs
        label={title}
        tabs={values}
        current={current}
        textOf={(value) => texts[value]}
        onChange={(value) => void change(title, name, value)}
      />
      {props.children && <span>{props.children}</span>}
    </div>
  );
}
