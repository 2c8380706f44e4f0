import type { ComponentChildren } from "preact";
import { useMedia } from "#console/app/parts/media.ts";
import { type Shown, t } from "#console/app/words.ts";

/** The widths of the names and of each instrument on a phone, in pixels: three fit a screen of 360. */
const NAMES_WIDTH = 90;
const COLUMN_WIDTH = 73;
/** What a phone's screen has at both sides of a table. */
const MARGINS = 49;
const PHONE_WIDTH = 640;

/** A table with a column for each instrument. On a phone it says so if it is wider than the screen. */
export function SideBySide(props: {
  readonly label: Shown;
  /** How many instruments there are. */
  readonly count: number;
  readonly children: ComponentChildren;
}) {
  const { label, count, children } = props;
  const width = NAMES_WIDTH + count * COLUMN_WIDTH;
  const isCut = useMedia(`(max-width: ${Math.min(PHONE_WIDTH, width + MARGINS)}px)`);
  return (
    <>
      {isCut && (
        <p class="muted">
          {t("{count} companies: scroll the table sideways to see all.", { count })}
        </p>
      )}
      <div class="table-frame pinned side-by-side" tabIndex={0} role="region" aria-label={label}>
        <table style={{ "--least": `${width}px`, "--names": `${NAMES_WIDTH}px` }}>{children}</table>
      </div>
    </>
  );
}
