import type { TargetedEvent, TargetedInputEvent } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import type { Shown } from "#console/app/words.ts";

/** A search gives its text when its user pauses. */
const PAUSE_MS = 300;

/**
 * A text field that gives its text on Enter or when it is left, a search also in a pause. What is being written stays
 * when the page is drawn again.
 */
export function DraftInput(props: {
  readonly value: string;
  readonly onDone: (text: string, field: HTMLInputElement) => void;
  /** Without a label of the page around it. */
  readonly label?: Shown;
  readonly name?: string;
  readonly isSearch?: boolean;
  readonly size?: number;
  readonly placeholder?: Shown;
}) {
  const { value, onDone, label, name, isSearch = false, size, placeholder } = props;
  const [text, setText] = useState(value);
  const field = useRef<HTMLInputElement>(null);
  // A space at the end is no other text, and the next word may follow.
  useEffect(() => setText((now) => (now.trim() === value ? now : value)), [value]);
  useEffect(() => {
    if (!isSearch || text === value) return;
    const timer = setTimeout(() => field.current && onDone(text, field.current), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value]);
  const shared = {
    ref: field,
    name,
    size,
    placeholder,
    "aria-label": label,
    value: text,
    onInput: ({ currentTarget }: TargetedInputEvent<HTMLInputElement>) =>
      setText(currentTarget.value),
    onChange: ({ currentTarget }: TargetedEvent<HTMLInputElement>) =>
      onDone(currentTarget.value, currentTarget),
  };
  return isSearch ? <input type="search" {...shared} /> : <input {...shared} />;
}
