import { t } from "#console/app/words.ts";
import {
  changeList,
  isSame,
  type ListItem,
  saveList,
  WATCHLIST,
  watched,
} from "#console/app/user-lists.ts";
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
    const before = await changeList(WATCHLIST, (items) => {
      const others = items.filter((item) => !isSame(item, subject));
      return isWatched ? others : [...others, { country, symbol } as ListItem];
    });
    showToast({
      text: isWatched
        ? t("{name} is no longer on your watchlist.", { name: symbol })
        : t("{name} is on your watchlist.", { name: symbol }),
      undo: () => saveList(WATCHLIST, before),
    });
  };
  return (
    <>
      <button
        type="button"
        class={isSmall ? "quiet star" : ""}
        aria-pressed={isWatched}
        aria-label={isSmall ? t("Watch {name}", { name: symbol }) : undefined}
        disabled={isBusy}
        onClick={() => void run(change)}
      >
        <span aria-hidden="true">{isWatched ? "★" : "☆"}</span>
        {!isSmall && <span> {t(isWatched ? "Watching" : "Watch")}</span>}
      </button>
      {error !== null && <span role="alert">{error}</span>}
    </>
  );
}
