import { useEffect, useId, useRef, useState } from "preact/hooks";
import { callOperation, useResource } from "#console/app/api.ts";
import type { Subject } from "./subject.ts";

/** A pause in typing after which the server is asked. Enter does not wait for it. */
const PAUSE_MS = 120;
const ROWS = 10;

/** An instrument that was found, or one whose symbol or name is close; that one has no type. */
type Found = Subject & { readonly name: string; readonly type?: string };

/** A field that finds instruments by symbol or name, with the keyboard or the pointer. */
export function SymbolField(props: {
  readonly label: string;
  /** Has the focus at once: a dialog opens before its field is drawn. */
  readonly isFocused?: boolean;
  readonly isDisabled?: boolean;
  readonly onPick: (picked: Subject) => void;
}) {
  const { label, isFocused = false, isDisabled = false, onPick } = props;
  const id = useId();
  const [written, setText] = useState("");
  const [chosen, setChosen] = useState(0);
  /** The text whose first instrument is picked when the server has answered. */
  const [entered, setEntered] = useState("");
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFocused) input.current?.focus();
  }, []);
  const text = written.trim();
  const found = useFound(text, entered === text);
  const list = text === "" ? [] : (found.value?.symbols ?? []);
  // The list may belong to an earlier text. It stays on screen, and Enter waits for the next one.
  const isCurrent = found.value?.query === text;
  const pick = (one: Subject) => {
    setText("");
    setChosen(0);
    setEntered("");
    onPick(one);
  };
  useEffect(() => {
    const [first] = list;
    // One that is only close is picked by a second Enter, once it was seen.
    if (entered !== "" && entered === text && isCurrent && first?.type) pick(first);
  }, [entered, isCurrent]);
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step === undefined && event.key !== "Enter") return;
    event.preventDefault();
    const one = list[chosen];
    if (step !== undefined) setChosen(Math.max(0, Math.min(list.length - 1, chosen + step)));
    else if (isCurrent && one) pick(one);
    else setEntered(text);
  };
  return (
    <div class="symbol-field">
      <input
        role="combobox"
        aria-label={label}
        aria-expanded={list.length > 0}
        aria-controls={id}
        aria-activedescendant={list[chosen] ? `${id}-${chosen}` : undefined}
        placeholder={label}
        autocomplete="off"
        disabled={isDisabled}
        ref={input}
        value={written}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setChosen(0);
          setEntered("");
        }}
        onKeyDown={onKeyDown}
      />
      {text !== "" && (isCurrent || found.error !== null) && !list[0]?.type && (
        <Nothing error={found.error?.message} isClose={list.length > 0} />
      )}
      <FoundList id={id} list={list} chosen={chosen} onPick={pick} />
    </div>
  );
}

/** Why no instrument was found. @param isClose close ones follow */
function Nothing(props: { readonly error: string | undefined; readonly isClose: boolean }) {
  return (
    <p class="empty" role="status">
      {props.error ?? "No instrument has this in its symbol or name."}
      {props.isClose && " Did you mean:"}
    </p>
  );
}

/** The instruments that the server finds; `isAtOnce` does not wait for a pause. They can be those of an earlier text. */
function useFound(text: string, isAtOnce: boolean) {
  const paused = useLater(text, PAUSE_MS);
  const query = isAtOnce ? text : paused;
  return useResource(query === "" ? null : `search ${query}`, async () => {
    const args = { query, limit: ROWS };
    const { data } = await callOperation({ operation: "list_symbols", args });
    const { symbols, suggestions = [] } = data;
    return { query, symbols: symbols.length > 0 ? symbols : suggestions.flatMap(readClose) };
  });
}

/** The instrument of `US:MSFT Microsoft Corporation`. */
function readClose(text: string): Found[] {
  const [, country, symbol, name] = /^(\w+):(\S+) (.*)$/.exec(text) ?? [];
  return country && symbol && name ? [{ country, symbol, name }] : [];
}

function FoundList(props: {
  readonly id: string;
  readonly list: readonly Found[];
  readonly chosen: number;
  readonly onPick: (picked: Subject) => void;
}) {
  const { id, list, chosen, onPick } = props;
  return (
    <ul id={id} role="listbox" aria-label="Instruments">
      {list.map((one, row) => (
        <li
          key={`${one.country} ${one.symbol}`}
          id={`${id}-${row}`}
          role="option"
          aria-selected={row === chosen}
          onClick={() => onPick(one)}
        >
          <b>{one.symbol}</b> <span class="found-name">{one.name}</span>{" "}
          <span class="muted">
            {one.country} {one.type}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** The value, once it has not changed for that time. */
function useLater(value: string, ms: number): string {
  const [later, setLater] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setLater(value), ms);
    return () => clearTimeout(timer);
  }, [value, ms]);
  return later;
}
