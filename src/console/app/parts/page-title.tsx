import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import type { Shown } from "#console/app/words.ts";

/** The heading of a page, which is also the document's title. */
export function PageTitle(props: {
  readonly title: Shown;
  /** The language of a name that is not of the page's language. */
  readonly lang?: string | undefined;
  readonly children?: ComponentChildren;
}) {
  const { title } = props;
  useEffect(() => {
    document.title = `${title} · bourse`;
  }, [title]);
  return (
    <div class="page-title">
      <h1 lang={props.lang}>{title}</h1>
      {props.children}
    </div>
  );
}
