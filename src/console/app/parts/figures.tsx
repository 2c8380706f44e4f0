import type { ComponentChildren } from "preact";
import { translate } from "#console/app/words.ts";

/** Figures by label, in two columns. */
export function Figures(props: {
  readonly rows: readonly (readonly [label: string, figure: ComponentChildren])[];
}) {
  return (
    <dl class="figures">
      {props.rows.map(([label, figure]) => (
        <>
          <dt>{translate(label)}</dt>
          <dd>{figure}</dd>
        </>
      ))}
    </dl>
  );
}
