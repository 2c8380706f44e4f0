import { asIs, type Caption, translate } from "#console/app/words.ts";

/** A choice of one among few, as buttons in a row. */
export function Tabs<T extends string>(props: {
  readonly label: Caption;
  readonly tabs: readonly T[];
  readonly current: T;
  readonly onChange: (tab: T) => void;
  /** The text of a tab; the tab itself if left out. */
  readonly textOf?: (tab: T) => Caption;
  /** Why there is no choice now; left out if there is one. */
  readonly cannot?: string | undefined;
}) {
  const { label, tabs, current, onChange, textOf = asIs, cannot } = props;
  return (
    <div class="tabs" role="group" aria-label={translate(label)}>
      {tabs.map((tab) => (
        <button
          key={tab}
          type="button"
          aria-pressed={tab === current}
          disabled={cannot !== undefined}
          title={cannot}
          onClick={() => onChange(tab)}
        >
          {translate(textOf(tab))}
        </button>
      ))}
    </div>
  );
}
