import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { type Sentence, t, translate } from "#console/app/words.ts";
import { meaningOf } from "./metric-meaning.ts";
import { useVocabulary } from "./metrics.tsx";
import { Loaded } from "./panel.tsx";

/** Terms and what they mean, behind a line that opens: for what does something else when it is pressed. */
export function TermMeanings(props: {
  readonly title: Sentence;
  readonly terms: readonly (readonly [term: string, meaning: string])[];
}) {
  return (
    <Folded title={props.title}>
      <Terms terms={props.terms} />
    </Folded>
  );
}

/** What the figures of a table mean, below it: a press on the head of a column orders the rows. */
export function Meanings(props: {
  readonly names: readonly string[];
  /** What the table calls a metric, if it is not the metric's title. */
  readonly titleOf?: (name: string) => string;
}) {
  return (
    <Folded title="What the figures mean">
      <MetricTerms {...props} />
    </Folded>
  );
}

function Folded(props: { readonly title: Sentence; readonly children: ComponentChildren }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="meanings" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t(props.title)}</summary>
      {isOpen && props.children}
    </details>
  );
}

function Terms({ terms }: Pick<Parameters<typeof TermMeanings>[0], "terms">) {
  return (
    <dl>
      {terms.map(([term, meaning]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{meaning}</dd>
        </div>
      ))}
    </dl>
  );
}

function MetricTerms({ names, titleOf }: Parameters<typeof Meanings>[0]) {
  const vocabulary = useVocabulary();
  return (
    <Loaded of={vocabulary}>
      {({ metrics }) => (
        <Terms
          terms={names
            .flatMap((name) => metrics.get(name) ?? [])
            .map(({ name, title, description }) => ({
              title: titleOf?.(name) ?? title,
              description,
            }))
            .map((one) => [translate(one.title), meaningOf(one)])}
        />
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
