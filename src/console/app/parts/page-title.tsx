import type { ComponentChildren } from "preact";
import { useEffect } from "preact/hooks";
import { pageDay } from "#console/app/clock.ts";
import { formatDate } from "#console/app/format.ts";
import type { Shown } from "#console/app/words.ts";

/** The heading of a page, which is also the document's title, there with the past day. */
export function PageTitle(props: {
  readonly title: Shown;
  /** The language of a name that is not of the page's language. */
  readonly lang?: string | undefined;
  readonly children?: ComponentChildren;
}) {
  const { title } = props;
  const day = pageDay.value === null ? "" : ` · ${formatDate(pageDay.value)}`;
  useEffect(() => {
    document.title = `${title}${day} · bourse`;
  }, [title, day]);
  return (
    <div class="page-title">
      <h1 lang={props.lang}>{title}</h1>
      {props.children}
    </div>
  );
}
