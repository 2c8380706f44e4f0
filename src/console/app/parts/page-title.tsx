import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";

/** The heading of a page, which is also the document's title. */
export function PageTitle(props: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  useEffect(() => {
    document.title = `${props.title} · bourse`;
  }, [props.title]);
  return (
    <div class="page-title">
      <h1>{props.title}</h1>
      {props.children}
    </div>
  );
}
