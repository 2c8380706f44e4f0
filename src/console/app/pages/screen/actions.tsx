import { useLayoutEffect } from "preact/hooks";
import { ApiError, forgetAnswers, request, useResource } from "#console/app/api.ts";
import { formatAgo, formatInstant } from "#console/app/format.ts";
import { useAction } from "#console/app/parts/action.ts";
import { CopyButton } from "#console/app/parts/code-block.tsx";
import { ConfirmButton } from "#console/app/parts/confirm-button.tsx";
import { DialogButton } from "#console/app/parts/dialog-button.tsx";
import { spareName, titledName } from "#console/app/parts/document-name.ts";
import { NameForm } from "#console/app/parts/name-form.tsx";
import { showToast } from "#console/app/parts/toast.tsx";
import { place, setQuery } from "#console/app/router.ts";
import { t } from "#console/app/words.ts";
import type { AnswerTo, BodyOf } from "#http/console-api.ts";
import { joinConditions, splitConditions } from "./conditions.ts";
import { dropDraft, keepDraft } from "./drafts.ts";
import { openSaved, type OwnScreens, titleOfScreen } from "./saved.tsx";

/** What is saved of a screen beside its name. */
export type Screen = BodyOf<"PUT screens/:name">;

type Stored = AnswerTo<"GET screens/:name">;

/**
 * Stores a screen under a name or title that no other screen has, and returns its name.
 *
 * @param own the screen that gets the name, and keeps its own if the text has no letters a-z; null for a new one
 * @throws ApiError
 */
async function addScreen(text: string, screen: Screen, own: string | null = null): Promise<string> {
  const all = await request("GET screens");
  const names = all.map(({ name }) => name);
  const { name, title } = titledName(text, own ?? spareName("screen", names));
  const others = all.filter((one) => one.name !== own);
  const taken = others.find((one) => one.name === name || (one.title ?? "") === (title || name));
  if (taken) {
    throw new ApiError(
      409,
      "EXISTS",
      t("You have a screen {name}. Choose another name.", { name: taken.title ?? taken.name }),
    );
  }
  await request("PUT screens/:name", { param: name, body: { ...screen, title } });
  return name;
}

/** What can be saved of a stored screen. */
function contentOf(stored: Stored): Screen {
  const { name: _, changedAt: __, ...screen } = stored;
  return screen;
}

/** True if both find the same companies in the same order and columns. @param shown has an order and columns */
function isEqual(stored: Screen, shown: Screen): boolean {
  const formOf = ({ countries, where, sector, industry, exchange, sort, columns }: Screen) =>
    JSON.stringify([
      countries.toSorted(),
      joinConditions(splitConditions(where)),
      sector,
      industry,
      exchange,
      sort,
      columns,
    ]);
  // A saved screen without an order or columns is shown with the page's.
  const { sort = shown.sort, columns = shown.columns } = stored;
  return (
    formOf({ ...stored, ...(sort && { sort }), ...(columns && { columns }) }) === formOf(shown)
  );
}

/** What is done with the screen that is shown: its link, and what is saved of it. */
export function ScreenActions(props: {
  readonly saved: string | null;
  readonly screen: Screen;
  readonly own: OwnScreens;
}) {
  const { saved, screen, own } = props;
  const reload = () => {
    forgetAnswers();
    own.reload();
  };
  const add = async (text: string) => {
    const name = await addScreen(text, screen);
    // The changes are part of the new screen, and the other one is as it was saved.
    dropDraft(saved);
    reload();
    setQuery({ saved: name });
    showToast({ text: t("The screen {name} is saved.", { name: text }) });
  };
  return (
    <div class="panel-actions">
      {saved !== null && (
        <SavedActions
          key={saved}
          saved={saved}
          title={titleOfScreen(saved, own)}
          screen={screen}
          reload={reload}
        />
      )}
      <DialogButton
        text={saved === null ? t("Save") : t("Save as")}
        title={saved === null ? t("Save this screen") : t("Save as a new screen")}
      >
        {(close) => <NameForm name="" submitText={t("Save")} onSave={add} onDone={close} />}
      </DialogButton>
      <CopyButton text={location.href} label={t("Copy link")} />
    </div>
  );
}

/** What changes the saved screen. @param reload is called after each change */
function changesOf(saved: string, title: string, screen: Screen, reload: () => void) {
  const save = async () => {
    await request("PUT screens/:name", { param: saved, body: screen });
    reload();
    showToast({ text: t("The screen {name} is saved.", { name: title }) });
  };
  const rename = async (text: string) => {
    if (text === title) return;
    const stored = await request("GET screens/:name", { param: saved });
    const name = await addScreen(text, contentOf(stored), saved);
    if (name !== saved) await request("DELETE screens/:name", { param: saved });
    dropDraft(saved);
    reload();
    setQuery({ saved: name });
    showToast({ text: t("The screen {old} is now {name}.", { old: title, name: text }) });
  };
  const remove = async () => {
    const before = contentOf(await request("GET screens/:name", { param: saved }));
    await request("DELETE screens/:name", { param: saved });
    dropDraft(saved);
    reload();
    setQuery({ saved: null });
    const after = place.value;
    const undo = async () => {
      const name = await addScreen(title, before);
      reload();
      // Another page may be open now.
      if (place.value === after) setQuery({ saved: name });
    };
    showToast({ text: t("The screen {name} was deleted.", { name: title }), undo });
  };
  return { save, rename, remove };
}

/** Whether the screen is as it was saved, and how to save, rename and delete it. */
function SavedActions(props: {
  readonly saved: string;
  readonly title: string;
  readonly screen: Screen;
  readonly reload: () => void;
}) {
  const { saved, title, screen, reload } = props;
  const stored = useResource(`GET screens/:name ${saved}`, () =>
    request("GET screens/:name", { param: saved }),
  );
  const { isBusy, error, run } = useAction();
  const isChanged = stored.value !== null && !isEqual(contentOf(stored.value), screen);
  const { query } = place.value;
  // Before the state is shown: an effect after it is lost if the page is left at once.
  useLayoutEffect(() => {
    if (isChanged) keepDraft(query);
    else if (stored.value) dropDraft(saved);
  }, [isChanged, stored.value, query]);
  const { save, rename, remove } = changesOf(saved, title, screen, () => {
    reload();
    stored.reload();
  });
  return (
    <>
      {error !== null && <span role="alert">{error}</span>}
      <SavedState stored={stored.value} error={stored.error} isChanged={isChanged} />
      <button
        type="button"
        class="quiet"
        disabled={isBusy || !isChanged}
        onClick={() => void run(save)}
      >
        {t("Save")}
      </button>
      <button
        type="button"
        class="quiet"
        disabled={!isChanged}
        onClick={() => void openSaved(saved)}
      >
        {t("Revert")}
      </button>
      <DialogButton text={t("Rename")} title={t("Rename {name}", { name: title })}>
        {(close) => (
          <NameForm name={title} submitText={t("Rename")} onSave={rename} onDone={close} />
        )}
      </DialogButton>
      <ConfirmButton
        text={t("Delete")}
        question={t("Delete {name}?", { name: title })}
        action={remove}
      >
        {t("This deletes the saved screen. Its address goes on working.")}
      </ConfirmButton>
    </>
  );
}

/** `Unsaved changes`, or when the screen was saved; its room is kept until that is known. */
function SavedState(props: {
  readonly stored: Stored | null;
  readonly error: ApiError | null;
  readonly isChanged: boolean;
}) {
  const { stored, error, isChanged } = props;
  if (error && !error.isOutage) return <span class="saved-state muted">{error.message}</span>;
  return (
    <span
      class={`saved-state ${isChanged ? "" : "muted"}`}
      role="status"
      title={stored ? formatInstant(stored.changedAt) : undefined}
    >
      {stored &&
        (isChanged
          ? t("Unsaved changes")
          : t("Saved {time}", { time: formatAgo(stored.changedAt) }))}
    </span>
  );
}
