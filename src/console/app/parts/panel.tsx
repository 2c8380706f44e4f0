import type { ComponentChildren, CSSProperties, VNode } from "preact";
import {
  type Answer,
  type ApiError,
  type Call,
  marketLack,
  type Resource,
} from "#console/app/api.ts";
import { type Caption, type Shown, t, translate } from "#console/app/words.ts";
import type { Picture } from "./call-texts.tsx";
import { MoreButton } from "./more-button.tsx";
import { Tip } from "./tip.tsx";

/** A titled part of a page. With `calls`, a button shows the source of its data and the calls that give them. */
export function Panel(props: {
  readonly title: Caption;
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
  const { calls, actions, children } = props;
  const title = translate(props.title);
  return (
    <section class={`panel ${props.class ?? ""}`} style={props.style} aria-label={title}>
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
    return <LoadFailure of={resource} error={resource.error} />;
  }
  return (
    <div class="loading" role="status" aria-label={t("Loading")}>
      {Array.from({ length: lines }, (_, line) => (
        <span key={line} class="loading-line" />
      ))}
    </div>
  );
}

/** Why a resource could not be loaded; it can be loaded again if that may help. */
export function LoadFailure(props: { readonly of: Resource<unknown>; readonly error: ApiError }) {
  const { of: resource, error } = props;
  if (error.lack) return <Lacking lack={error.lack} message={error.message} />;
  return error.mayPass ? (
    <Failure message={error.message} retry={resource.reload} />
  ) : (
    <Failure message={error.message} />
  );
}

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
  return marketLack.value ? <Lacking lack={marketLack.value} /> : <Empty>{children}</Empty>;
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

/** Says that a list has no entries, and what to do. */
export function Empty({ children }: { readonly children: Said }) {
  return <p class="empty">{children}</p>;
}
