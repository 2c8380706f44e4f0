import type { TargetedEvent, TargetedInputEvent } from "preact";
import { useEffect, useState } from "preact/hooks";

/** A text field that gives its text on Enter or when it is left. What is being written stays when the page is drawn again. */
export function DraftInput(props: {
  readonly value: string;
  readonly onDone: (text: string, field: HTMLInputElement) => void;
  /** Without a label of the page around it. */
  readonly label?: string;
  readonly name?: string;
  readonly isSearch?: boolean;
  readonly size?: number;
  readonly placeholder?: string;
}) {
  const { value, onDone, label, name, isSearch = false, size, placeholder } = props;
  const [text, setText] = useState(value);
  useEffect(() => setText(value), [value]);
  const shared = {
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
