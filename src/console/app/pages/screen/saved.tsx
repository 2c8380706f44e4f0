import { useLayoutEffect } from "preact/hooks";
import { asIs, type Shown, t, translate } from "#console/app/words.ts";
import { asApiError, isSettled, queryOf, request, type Resource } from "#console/app/api.ts";
import { showToast } from "#console/app/parts/toast.tsx";
import { nameOf } from "#console/app/parts/document-name.ts";
import { PRESETS, presetPath, presetsOf } from "./presets.ts";
import { open, place } from "#console/app/router.ts";
import type { AnswerTo } from "#http/console-api.ts";
import { draftOf, keepDraft } from "./drafts.ts";

const presetOf = (where: string) => PRESETS.find((one) => one.where === where);

/** The title of the page: the name of the screen, or what the page is. */
export const titleOf = (saved: string | null, where: string, own: OwnScreens): Shown =>
  saved === null || !isSettled(own)
    ? t(presetOf(where)?.name ?? "Screener")
    : asIs(titleOfScreen(saved, own));

/** What people call a screen of the user. */
export const titleOfScreen = (name: string, own: OwnScreens): string =>
  own.value?.find((one) => one.name === name)?.title ?? name;

/** The name of the file with the companies: `cheap-and-paying.csv`. */
export const fileOf = (saved: string | null, where: string): string =>
  `${nameOf(saved ?? presetOf(where)?.name ?? "screen")}.csv`;

const addressOf = (args: Readonly<Record<string, string | undefined>>) =>
  `/console/screen?${queryOf(args)}`;

/** The user's screens. */
export type OwnScreens = Resource<AnswerTo<"GET screens">>;

/** A screen without a name, the presets and the user's own screens, as links. */
export function ScreenLinks(props: {
  readonly country: string;
  readonly where: string;
  readonly saved: string | null;
  readonly own: OwnScreens;
}) {
  const { country, where, saved, own } = props;
  return (
    <nav class="presets" aria-label={t("Screens")}>
      <LastDraft saved={saved} where={where} />
      {presetsOf(country).map((preset) => (
        <a
          key={preset.name}
          href={presetPath(preset, country)}
          aria-current={saved === null && preset.where === where ? "page" : undefined}
        >
          {t(preset.name)}
        </a>
      ))}
      {(own.value ?? []).map(({ name, title = name }) => (
        <OwnScreen key={name} name={name} title={title} isOpen={name === saved} />
      ))}
    </nav>
  );
}

/** A button that opens a screen of the user, with its unsaved changes if there are any. */
function OwnScreen(props: {
  readonly name: string;
  readonly title: string;
  readonly isOpen: boolean;
}) {
  const { name, title, isOpen } = props;
  const draft = draftOf(name);
  return (
    <button
      type="button"
      aria-pressed={isOpen}
      onClick={() => (draft === null ? void openSaved(name) : open(draft))}
    >
      {title}
      {draft !== null && <span class="muted"> {t("changed")}</span>}
    </button>
  );
}

/** A link to the screen that has no name yet, on the page without filters. Elsewhere, such a screen is kept. */
function LastDraft({ saved, where }: { readonly saved: string | null; readonly where: string }) {
  const { query } = place.value;
  const hasOwnChoices = ["sector", "industry", "exchange", "metrics"].some((name) =>
    query.has(name),
  );
  const isPlain = saved === null && where === "" && !hasOwnChoices;
  const isPreset = !hasOwnChoices && PRESETS.some((preset) => preset.where === where);
  useLayoutEffect(() => {
    if (saved === null && !isPlain && !isPreset) keepDraft(query);
  }, [saved, isPlain, isPreset, query]);
  const draft = draftOf(null);
  return isPlain && draft !== null ? <a href={draft}>{t("Your last screen, not saved")}</a> : null;
}

/** Opens a screen as it is saved now. A failure is said in a toast. */
export async function openSaved(name: string): Promise<void> {
  let screen: AnswerTo<"GET screens/:name">;
  try {
    screen = await request("GET screens/:name", { param: name });
  } catch (error) {
    return showToast({ text: translate(asApiError(error).message) });
  }
  const { countries, where, sector, industry, exchange, sort, columns } = screen;
  const args = {
    country: countries.length === 3 ? "all" : countries.join(","),
    where: where || undefined,
    sector,
    industry,
    exchange,
    sort,
    metrics: columns?.join(","),
    saved: name,
  };
  open(addressOf(args));
}
