import type { ComponentChildren } from "preact";
import { translate } from "#console/app/words.ts";
import type { Reason } from "#domain/reasons.ts";
import { useVocabulary } from "./metrics.tsx";
import { reasonOf, type Reasoned } from "./reasons.ts";
import type { Row } from "./rows.ts";

/** What is shown of a figure; with the reason as its title if it is missing. */
export function figureOr(
  answer: Reasoned,
  row: Row,
  figure: string,
  shown: ComponentChildren,
): ComponentChildren {
  const reason = row[figure] === null && reasonOf(answer, row, figure);
  return reason ? <Missing reason={reason}>{shown}</Missing> : shown;
}

function Missing(props: { readonly reason: Reason; readonly children: ComponentChildren }) {
  const { value: words } = useVocabulary();
  return <span title={words ? translate(words.reasons[props.reason]) : ""}>{props.children}</span>;
}
