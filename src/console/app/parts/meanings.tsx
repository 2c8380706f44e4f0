import { useState } from "preact/hooks";
import { t, translate } from "#console/app/words.ts";
import { meaningOf } from "./metric-meaning.ts";
import { useVocabulary } from "./metrics.tsx";
import { Loaded } from "./panel.tsx";

/** What the figures of a table mean, below it: a press on the head of a column orders the rows. */
export function Meanings(props: {
  readonly names: readonly string[];
  /** What the table calls a metric, if it is not the metric's title. */
  readonly titleOf?: (name: string) => string;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="meanings" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t("What the figures mean")}</summary>
      {isOpen && <List {...props} />}
    </details>
  );
}

function List({ names, titleOf }: Parameters<typeof Meanings>[0]) {
  const vocabulary = useVocabulary();
  return (
    <Loaded of={vocabulary}>
      {({ metrics }) => (
        <dl>
          {names
            .flatMap((name) => metrics.get(name) ?? [])
            .map(({ name, title, description }) => ({
              title: titleOf?.(name) ?? title,
              description,
            }))
            .map((one) => (
              <div key={one.title}>
                <dt>{translate(one.title)}</dt>
                <dd>{meaningOf(one)}</dd>
              </div>
            ))}
        </dl>
      )}
    </Loaded>
  );
}

/** Gives what metrics mean, each with its name if there are more; undefined until the vocabulary is loaded. */
export function useMeanings(): (...names: readonly string[]) => string | undefined {
  const metrics = useVocabulary().value?.metrics;
  return (...names) =>
    metrics &&
    names
      .flatMap((name) => metrics.get(name) ?? [])
      .map((one) => (names.length > 1 ? `${translate(one.title)}: ` : "") + meaningOf(one))
      .join(" ");
}
