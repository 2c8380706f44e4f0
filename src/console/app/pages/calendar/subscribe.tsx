import { useState } from "preact/hooks";
import { useConsole } from "#console/app/api.ts";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { Empty, Loaded } from "#console/app/parts/panel.tsx";
import { place } from "#console/app/router.ts";
import { lists } from "#console/app/user-lists.ts";
import { t } from "#console/app/words.ts";
import { ALL, COMPANY_KINDS, shownKinds } from "./calls.ts";
import {
  type Made,
  type Recipe,
  RecipeTexts,
  withMade,
} from "#console/app/pages/programs/recipe.tsx";
import type { ShownToken } from "#console/app/pages/tokens/secret.tsx";

/** The recipe of calendar programs. */
const PROGRAM = "Calendars";
/** The most symbols that a feed takes. */
const MAX_SYMBOLS = 100;

/** A button that shows the address of the calendar of this page, for other programs. */
export function Subscribe() {
  // A link that was made for one list does not read another one.
  return <SubscribeButton key={place.value.query.get("list") ?? ""} />;
}

function SubscribeButton() {
  // In this page's memory only, so it is gone when the page is left.
  const [made, setMade] = useState<Made>({});
  return (
    <DialogButton isWide text={t("Subscribe")} title={t("Subscribe")}>
      {() => <CalendarAddress made={made} onCreated={(token) => setMade(withMade(made, token))} />}
    </DialogButton>
  );
}

function CalendarAddress(props: {
  readonly made: Made;
  readonly onCreated: (token: ShownToken) => void;
}) {
  const recipes = useConsole("GET recipes");
  const tokens = useConsole("GET tokens");
  const { query } = place.value;
  const named = query.get("list");
  const isLong = lists.value.some(({ name, items }) => name === named && items > MAX_SYMBOLS);
  const address = feedQuery(query, isLong ? null : named);
  return (
    <Loaded of={recipes} lines={6}>
      {(list) => {
        const recipe = list.find(({ program }) => program === PROGRAM);
        return (
          <>
            {recipe && address !== null && (
              <RecipeTexts
                recipe={withQuery(recipe, address)}
                made={props.made}
                tokens={tokens}
                ticked={named === null || isLong ? [] : [named]}
                onCreated={(token) => {
                  props.onCreated(token);
                  tokens.reload();
                }}
              />
            )}
            {named === null && (
              <Empty>
                {t(
                  "Choose a list on the page: then the address has the reports, ex-dates and splits of its companies.",
                )}
              </Empty>
            )}
            {isLong && (
              <Empty>
                {t(
                  "The address has no companies, because the list has more than 100 symbols. Choose a shorter list.",
                )}
              </Empty>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

/** The recipe, whose addresses ask for what the page shows. */
function withQuery(recipe: Recipe, query: string): Recipe {
  const texts = recipe.texts.map(({ label, text }) => ({
    label,
    text: text.replace(/\?.*/, `?${query}`),
  }));
  return { ...recipe, texts };
}

/** What `calendar.ics` is asked for; null if that is companies, and no list says which. */
function feedQuery(query: URLSearchParams, list: string | null): string | null {
  const kinds = shownKinds(query).filter((kind) => list !== null || !COMPANY_KINDS.includes(kind));
  if (kinds.length === 0) return null;
  const country = query.get("events") ?? ALL;
  const importance = query.get("importance") ?? ALL;
  const values = {
    kinds: kinds.join(","),
    list,
    country: country === ALL ? null : country,
    importance: importance === ALL ? null : importance,
  };
  return Object.entries(values)
    .flatMap(([name, value]) => (value === null ? [] : `${name}=${encodeURIComponent(value)}`))
    .join("&")
    .replaceAll("%2C", ",");
}
