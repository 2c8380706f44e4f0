import type { ComponentChildren } from "preact";
import { type Caption, translate } from "#console/app/words.ts";
import { Tip } from "./tip.tsx";

/** Figures by label, in two columns; a label may have an explanation. */
export function Figures(props: {
  readonly rows: readonly (readonly [
    label: Caption,
    figure: ComponentChildren,
    meaning?: string | undefined,
  ])[];
}) {
  return (
    <dl class="figures">
      {props.rows.map(([label, figure, meaning]) => (
        <>
          <dt>
            <Tip text={meaning}>{translate(label)}</Tip>
          </dt>
          <dd>{figure}</dd>
        </>
      ))}
    </dl>
  );
}
