import { useState } from "preact/hooks";
import { type Sentence, t, translate } from "#console/app/words.ts";
import { meaningOf } from "./metric-meaning.ts";
import { useVocabulary } from "./metrics.tsx";

/** Terms and what they mean, behind a line that opens: for what does something else when it is pressed. */
export function TermMeanings(props: {
  readonly title: Sentence;
  readonly terms: readonly (readonly [term: string, meaning: string])[];
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="meanings" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t(props.title)}</summary>
      {isOpen && (
        <dl>
          {props.terms.map(([term, meaning]) => (
            <div key={term}>
              <dt>{term}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
        </dl>
      )}
    </details>
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
