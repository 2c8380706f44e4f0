import { signal } from "@preact/signals";
import type { ComponentChildren, CSSProperties, VNode } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import {
  type Answer,
  type ApiError,
  type Call,
  marketLack,
  type Resource,
  retryFailed,
} from "#console/app/api.ts";
import { pageDay } from "#console/app/clock.ts";
import { formatDate, MISSING } from "#console/app/format.ts";
import { place } from "#console/app/router.ts";
import { type Caption, type Shown, t, translate } from "#console/app/words.ts";
import type { Picture } from "./call-texts.tsx";
import { MoreButton } from "./more-button.tsx";
import { Tip } from "./tip.tsx";

/** Scrolls to an element of the address's anchor when it is drawn, which may be later than its page. */
export function useAnchor(id: string | undefined): void {
  useEffect(() => {
    if (id && id === place.value.anchor) document.getElementById(id)?.scrollIntoView();
  }, []);
}

/** A titled part of a page. With `calls`, a button shows the source of its data and the calls that give them. */
export function Panel(props: {
  readonly title: Caption;
  /** An address with this anchor shows it as soon as it is there. */
  readonly id?: string;
  readonly calls?: readonly Call[];
  /** What the title means. */
  readonly meaning?: string | undefined;
  /** Controls beside the title. */
  readonly actions?: ComponentChildren;
  /** The answer whose source and age are shown with the calls. */
  readonly answer?: Answer<unknown> | null | undefined;
  /** What is drawn, to save as a file. */
  readonly picture?: Picture;
  readonly class?: string;
  readonly style?: CSSProperties;
  readonly children: ComponentChildren;
}) {
  const { id, calls, actions, children } = props;
  useAnchor(id);
  const title = translate(props.title);
  return (
    <section id={id} class={`panel ${props.class ?? ""}`} style={props.style} aria-label={title}>
      <header class="panel-head">
        <h2>
          <Tip text={props.meaning}>{title}</Tip>
        </h2>
        {actions && <div class="panel-actions">{actions}</div>}
        {calls && (
          <MoreButton title={title} calls={calls} answer={props.answer} picture={props.picture} />
        )}
      </header>
      {children}
    </section>
  );
}

/**
 * Shows a resource: lines of text that are being loaded, the error, or the value. `lines` reserves the
 * height of the content, so that nothing moves when it arrives.
 */
export function Loaded<T>(props: {
  readonly of: Resource<T>;
  readonly lines?: number;
  readonly children: (value: T) => ComponentChildren;
}) {
  const { of: resource, lines = 4, children } = props;
  if (resource.value !== null) return <>{children(resource.value)}</>;
  // The banner says that the service does not answer; the value comes when it does.
  if (resource.error && !resource.error.isOutage) {
    return <LoadFailure error={resource.error} />;
  }
  return (
    <div class="loading" role="status" aria-label={t("Loading")}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="loading-line" />
      ))}
    </div>
  );
}

/** The failures that the page shows, in its order. */
const failures = signal<readonly { readonly place: HTMLElement; readonly message: string }[]>([]);

/**
 * Why a resource could not be loaded. If several parts of a page have the same sentence, the first one says it,
 * and its button loads all of them again.
 */
export function LoadFailure({ error }: { readonly error: ApiError }) {
  const { lack, message } = error;
  const place = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = place;
    if (!current) return;
    failures.value = [...failures.value, { place: current, message }].toSorted((a, b) =>
      a.place.compareDocumentPosition(b.place) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1,
    );
    return () => void (failures.value = failures.value.filter((one) => one.place !== current));
  }, [lack, message]);
  if (lack) return <Lacking lack={lack} message={message} />;
  const isFirst = failures.value.find((one) => one.message === message)?.place === place.current;
  return (
    <div ref={place} class={isFirst ? "not-given" : "muted not-given"}>
      {isFirst ? (
        <Failure message={message} {...(error.mayPass && { retry: retryFailed })} />
      ) : (
        <Missing error={error} />
      )}
    </div>
  );
}

/** No figure, in a place without room for a sentence: the text under the pointer says why. */
export const Missing = ({ error }: { readonly error: ApiError }) => (
  <span title={translate(error.message)}>{MISSING}</span>
);

/** Says in a word why there are no figures; the panel above the page says the rest. */
function Lacking({ lack, message }: { readonly lack: string; readonly message?: string }) {
  const isComing = lack === "fetching";
  return (
    <p class={isComing ? "muted" : "muted not-given"}>
      <Tip text={message}>{t(isComing ? "Being fetched" : "Not given by sources")}</Tip>
    </p>
  );
}

/** A text, or one with links in it. */
type Said = Shown | VNode | readonly ComponentChildren[];

/** Says that a market has no figures of a kind, or in a word why they are still missing. */
export function NoFigures({ children }: { readonly children: Said }) {
  return marketLack.value ? <Lacking lack={marketLack.value} /> : <NoRecord>{children}</NoRecord>;
}

/** An error with its sentence, also of the service if it is known in the reader's language. */
export function Failure(props: { readonly message: string; readonly retry?: () => void }) {
  return (
    <div class="failure" role="alert">
      <p>{translate(props.message)}</p>
      {props.retry && (
        <button type="button" onClick={props.retry}>
          {t("Retry")}
        </button>
      )}
    </div>
  );
}

/** Says that the market has no record of a kind. Of a past day, none may be stored. */
export function NoRecord({ children }: { readonly children: Said }) {
  const day = pageDay.value;
  return (
    <p class="empty">
      {children}
      {day !== null && ` ${t("Records of {date} may not be stored.", { date: formatDate(day) })}`}
    </p>
  );
}

/** Says that a list has no entries, and what to do. */
export function Empty({ children }: { readonly children: Said }) {
  return <p class="empty">{children}</p>;
}
