import { t } from "#console/app/words.ts";
import { isSame, lists, readItems, saveList, WATCHLIST, watched } from "#console/app/user-lists.ts";
import { useAction } from "./action.ts";
import type { Subject } from "./subject.ts";
import { showToast } from "./toast.tsx";

/** The star that adds an instrument to the watchlist or takes it out. */
export function WatchButton(props: {
  readonly subject: Subject;
  /** Only the star, in a row of a table. */
  readonly isSmall?: boolean;
}) {
  const { subject, isSmall = false } = props;
  const { isBusy, error, run } = useAction();
  const { country, symbol } = subject;
  const isWatched = watched.value.some((item) => isSame(item, subject));
  const change = async () => {
    // Another tab or an agent may have changed the list.
    const hasList = lists.value.some(({ name }) => name === WATCHLIST);
    const before = hasList ? await readItems(WATCHLIST) : [];
    const others = before.filter((item) => !isSame(item, subject));
    await saveList(
      WATCHLIST,
      isWatched ? others : ([...others, { country, symbol }] as typeof others),
    );
    showToast({
      text: isWatched
        ? `${symbol} is no longer on your watchlist.`
        : `${symbol} is on your watchlist.`,
      undo: () => void run(() => saveList(WATCHLIST, before)),
    });
  };
  return (
    <>
      <button
        type="button"
        class={isSmall ? "quiet star" : ""}
        aria-pressed={isWatched}
        aria-label={isSmall ? `Watch ${symbol}` : undefined}
        disabled={isBusy}
        onClick={() => void run(change)}
      >
        <span aria-hidden="true">{isWatched ? "★" : "☆"}</span>
        {!isSmall && ` ${t("Watch")}`}
      </button>
      {error !== null && <span role="alert">{error}</span>}
    </>
  );
}
