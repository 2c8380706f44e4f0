import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import { describeName, describeTitle, faultOfName, faultOfTitle } from "./document-name.ts";
import type { Shown } from "#console/app/words.ts";

/** The field for a name. It says what the name becomes before it is saved. */
export function NameField(props: {
  readonly label: Shown;
  readonly value?: string;
  /** True for a list or a screen, whose names can have any letters. */
  readonly isTitle?: boolean;
  readonly placeholder?: Shown;
  /** The button beside the field. */
  readonly children?: ComponentChildren;
}) {
  const { label, value = "", isTitle = false, placeholder, children } = props;
  const [text, setText] = useState(value);
  const note = useId();
  return (
    <>
      <div class={children ? "row-form" : undefined}>
        <label>
          {label}
          <input
            name="name"
            required
            autocomplete="off"
            placeholder={placeholder}
            value={text}
            aria-describedby={note}
            onInput={({ currentTarget: field }) => {
              field.setCustomValidity((isTitle ? faultOfTitle : faultOfName)(field.value));
              setText(field.value);
            }}
          />
        </label>
        {children}
      </div>
      <p id={note} class="muted name-note" aria-live="polite">
        {(isTitle ? describeTitle : describeName)(text)}
      </p>
    </>
  );
}
