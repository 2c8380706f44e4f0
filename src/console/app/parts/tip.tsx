import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useId, useLayoutEffect, useRef } from "preact/hooks";
import { t } from "#console/app/words.ts";

/** In CSS pixels. */
const WIDTH = 304;
const EDGE = 8;
const GAP = 4;

/**
 * A term and its explanation, which is shown while the mouse or the focus of the keyboard is on the term, and after
 * a tap. The terms of a list or a table are one stop of the Tab key: the arrow keys go through them.
 */
export function Tip(props: {
  /** Without one, there is only the term. */
  readonly text: string | undefined;
  /** The name of a mark that is shown in place of the term, which then has no children. */
  readonly name?: string;
  readonly children?: ComponentChildren;
}) {
  const { text, name, children } = props;
  const id = useId();
  const term = useRef<HTMLButtonElement>(null);
  const tip = useRef<HTMLSpanElement>(null);
  const hide = useRef(() => void tip.current?.togglePopover(false)).current;
  useLayoutEffect(() => {
    const { current } = term;
    if (current) current.tabIndex = termsAround(current)[0] === current ? 0 : -1;
  });
  if (!text) return <>{children}</>;
  const show = () => tip.current?.togglePopover(true);
  return (
    <span
      class="tip"
      onPointerEnter={({ pointerType }) => pointerType === "mouse" && show()}
      onPointerLeave={({ pointerType }) => pointerType === "mouse" && hide()}
    >
      <button
        ref={term}
        type="button"
        aria-label={name}
        aria-describedby={id}
        popovertarget={id}
        popovertargetaction="show"
        // The page may scroll to what gets the focus, and a scroll hides the explanation.
        onFocus={({ currentTarget }) =>
          requestAnimationFrame(() => currentTarget.matches(":focus-visible") && show())
        }
        onBlur={hide}
        onKeyDown={goToNext}
      >
        {children}
      </button>
      <span
        id={id}
        ref={tip}
        popover="auto"
        onBeforeToggle={({ newState, currentTarget }) => {
          removeEventListener("scroll", hide, true);
          if (newState !== "open" || !term.current) return;
          putBeside(currentTarget, term.current);
          addEventListener("scroll", hide, true);
        }}
      >
        {text}
      </span>
    </span>
  );
}

/** A control with a mark beside it that explains its title, because a press on the control does something else. */
export function Explained(props: {
  readonly title: string;
  /** Without one, there is only the control. */
  readonly text: string | undefined;
  readonly children: ComponentChildren;
}) {
  const { title, text, children } = props;
  return (
    <span class="explained">
      {children}
      <Tip text={text} name={t("What {title} means", { title })} />
    </span>
  );
}

/** The terms of the same list or table. */
const termsAround = (term: HTMLElement) => [
  ...(term.closest("dl, table")?.querySelectorAll<HTMLElement>(".tip > button") ?? [term]),
];

function goToNext(event: TargetedKeyboardEvent<HTMLButtonElement>): void {
  const step = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 }[event.key];
  if (step === undefined) return;
  const terms = termsAround(event.currentTarget);
  event.preventDefault();
  terms[terms.indexOf(event.currentTarget) + step]?.focus();
}

/** Above a term, because its figure is often below it. Without room, below both. */
function putBeside(tip: HTMLElement, term: HTMLElement): void {
  const { style } = tip;
  const { left } = term.getBoundingClientRect();
  const { top, bottom } = (term.closest("dl > div") ?? term).getBoundingClientRect();
  const width = Math.min(WIDTH, innerWidth - 2 * EDGE);
  style.width = `${width}px`;
  style.left = `${Math.max(EDGE, Math.min(left, innerWidth - width - EDGE))}px`;
  // A closed popover has no height.
  style.display = "block";
  const height = tip.offsetHeight + GAP + EDGE;
  style.display = "";
  const isAbove = top >= height || bottom + height > innerHeight;
  style.top = isAbove ? "auto" : `${bottom + GAP}px`;
  style.bottom = isAbove ? `${innerHeight - top + GAP}px` : "auto";
}
