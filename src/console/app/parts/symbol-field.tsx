import { nameInLanguage } from "#console/app/company-names.tsx";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { useLater } from "./later.ts";
import { callOperation, useResource } from "#console/app/api.ts";
import { type Shown, t, translate } from "#console/app/words.ts";
import { countryName } from "./country.tsx";
import type { Subject } from "./subject.ts";
import type { Part } from "./symbol-part.ts";

/** A pause in typing after which the server is asked. Enter does not wait for it. */
const PAUSE_MS = 120;
const ROWS = 10;

/** An instrument that was found, or one whose symbol or name is close; that one has no type. */
type Found = Subject & { readonly name: string; readonly type?: string };

/** What a row of the list does, beside the instruments. */
export interface Choice {
  readonly key: string;
  readonly title: string;
  readonly kind: string;
  readonly run: () => void;
  /** True if the text can mean nothing else: Enter does not wait for instruments. */
  readonly isExact?: boolean;
}

/** How far a key moves in the list. */
const STEPS: Readonly<Record<string, number>> = { ArrowDown: 1, ArrowUp: -1 };

interface FieldProps {
  readonly label: Shown;
  /** Has the focus at once: a dialog opens before its field is drawn. */
  readonly isFocused?: boolean;
  readonly isDisabled?: boolean;
  /** @param part the part of its page that the text names */
  readonly onPick: (picked: Found, part: Part | null) => void;
  /** The text that it begins with. */
  readonly text?: string;
  /** What else the text can mean; exact ones stand before the instruments. Null while it is being loaded: Enter waits. */
  readonly choicesOf?: ((text: string) => readonly Choice[]) | null;
  /** False while `choicesOf` lacks some that are being loaded: Enter waits for them if nothing else is found. */
  readonly areChoicesKnown?: boolean;
  /** The part of a page that the text names; its query is asked if the whole text finds nothing. */
  readonly partOf?: ((text: string) => Part | null) | undefined;
  /** The sentence if nothing was found. */
  readonly nothing?: (text: string) => string;
}

/** A field that finds instruments by symbol or name, with the keyboard or the pointer. */
export function SymbolField(props: FieldProps) {
  const { label, onPick, choicesOf = () => [], areChoicesKnown = true } = props;
  const nothing = props.nothing ?? (() => t("No instrument has this in its symbol or name."));
  const id = useId();
  const [written, setText] = useState(props.text ?? "");
  const [chosen, setChosen] = useState(0);
  /** The text whose first row is picked when the server has answered. */
  const [entered, setEntered] = useState("");
  const input = useFocus(props.isFocused === true);
  const text = written.trim();
  const found = useSymbols(choicesOf === null ? "" : text, entered === text, props.partOf);
  const instruments = text === "" ? [] : (found.value?.symbols ?? []);
  const isCurrent = choicesOf !== null && isAnswered(found, text);
  const rows = rowsOf(instruments, choicesOf?.(text) ?? [], found.value?.part ?? null, onPick);
  // The choices that are still loaded come after what was found, and before what is only close.
  const isDecided = isCurrent && (areChoicesKnown || rows[chosen]?.isClose === false);
  const isUnknown =
    text !== "" && (isDecided || found.error !== null) && rows.every(({ isClose }) => isClose);
  const write = (next: string) => {
    setText(next);
    setChosen(0);
    setEntered("");
  };
  const pick = (row: Row) => {
    write("");
    row.run();
  };
  useEffect(() => {
    const isWanted = entered !== "" && entered === text && isDecided;
    // One that is only close is picked by a second Enter, once it was seen.
    if (isWanted && rows[0]?.isClose === false) pick(rows[0]);
  }, [entered, isDecided]);
  const onKeyDown = (event: KeyboardEvent) => {
    const [step, row] = [STEPS[event.key], rows[chosen]];
    // The Enter that ends a composition, such as one of kana, is none of ours.
    if (event.isComposing || (step === undefined && event.key !== "Enter")) return;
    event.preventDefault();
    if (step !== undefined) setChosen(Math.max(0, Math.min(rows.length - 1, chosen + step)));
    else if (row && (isDecided || row.isExact)) pick(row);
    else setEntered(text);
  };
  return (
    <div class="symbol-field">
      <input
        role="combobox"
        aria-label={label}
        aria-autocomplete="list"
        aria-expanded={rows.length > 0}
        aria-controls={id}
        aria-activedescendant={rows[chosen] ? `${id}-${chosen}` : undefined}
        placeholder={label}
        autocomplete="off"
        disabled={props.isDisabled}
        ref={input}
        value={written}
        onInput={(event) => write(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {isUnknown && (
        <p class="empty" role="status">
          {found.error?.message ?? nothing(text)}
          {instruments.length > 0 && ` ${t("Did you mean:")}`}
        </p>
      )}
      <ResultList id={id} rows={rows} chosen={chosen} onPick={pick} />
    </div>
  );
}

/** True if what was found belongs to the text. An earlier list stays on screen, and Enter waits for the next one. */
function isAnswered({ value, error, isLoading }: ReturnType<typeof useSymbols>, text: string) {
  const hasFailed = error !== null && !error.isOutage && !isLoading;
  return text === "" || value?.query === text || hasFailed;
}

/** The reference of a field that has the focus when it is first drawn, if `isFocused`. */
function useFocus(isFocused: boolean) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    if (isFocused) input.current?.focus();
  }, []);
  return input;
}

/** A row of the list: an instrument with its symbol, or another choice. */
type Row = Choice & { readonly symbol?: string; readonly isClose: boolean };

/** The rows in order. What is only close to the text is among them if there is nothing else. */
function rowsOf(
  instruments: readonly Found[],
  choices: readonly Choice[],
  part: Part | null,
  onPick: FieldProps["onPick"],
): Row[] {
  const found = instruments.map((one) => {
    const type = one.type ?? "";
    const own = part?.hasPart(type) ? part : null;
    return {
      key: `${one.country} ${one.symbol}`,
      symbol: one.symbol,
      title: nameInLanguage(one, one.name),
      kind: `${own ? `${own.name} · ` : ""}${countryName(one.country)} ${translate(type)}`,
      isClose: one.type === undefined,
      run: () => onPick(one, own),
    };
  });
  const others = choices.map((one) => ({ ...one, isClose: false }));
  return [
    ...others.filter(({ isExact }) => isExact),
    ...found.filter(({ isClose }) => !isClose),
    ...others.filter(({ isExact }) => !isExact),
    ...found.filter(({ isClose }) => isClose && others.length === 0),
  ];
}

function ResultList(props: {
  readonly id: string;
  readonly rows: readonly Row[];
  readonly chosen: number;
  readonly onPick: (row: Row) => void;
}) {
  const { id, rows, chosen, onPick } = props;
  const list = useRef<HTMLUListElement>(null);
  // The keys reach rows that the dialog does not show.
  useEffect(() => list.current?.children[chosen]?.scrollIntoView({ block: "nearest" }), [chosen]);
  return (
    <ul id={id} ref={list} role="listbox" aria-label={t("Results")}>
      {rows.map((row, i) => (
        <li
          key={row.key}
          id={`${id}-${i}`}
          role="option"
          aria-selected={i === chosen}
          onClick={() => onPick(row)}
        >
          {row.symbol && <b>{row.symbol}</b>} <span class="found-name">{row.title}</span>{" "}
          <span class="muted">{row.kind}</span>
        </li>
      ))}
    </ul>
  );
}

/**
 * The instruments that the server finds; `isAtOnce` does not wait for a pause. They can belong to an earlier text.
 * If the whole text finds none, the part's query finds them.
 */
export function useSymbols(text: string, isAtOnce: boolean, partOf?: FieldProps["partOf"]) {
  const paused = useLater(text, PAUSE_MS);
  const query = isAtOnce ? text : paused;
  const key = `search ${partOf ? "with parts " : ""}${query}`;
  return useResource(query === "" ? null : key, async () => {
    const { symbols, suggestions = [] } = await findSymbols(query);
    const part = symbols.length === 0 ? (partOf?.(query) ?? null) : null;
    const ofPart = part ? (await findSymbols(part.query)).symbols : [];
    if (ofPart.length > 0) return { query, part, symbols: ofPart };
    return {
      query,
      part: null,
      symbols: symbols.length > 0 ? symbols : suggestions.flatMap(readClose),
    };
  });
}

/** No name is longer than a query of the service. */
const MOST_LETTERS = 100;

async function findSymbols(text: string) {
  const args = { query: text.slice(0, MOST_LETTERS), limit: ROWS };
  return (await callOperation({ operation: "list_symbols", args })).data;
}

/** The instrument of `US:MSFT Microsoft Corporation`. */
function readClose(text: string): Found[] {
  const [, country, symbol, name] = /^(\w+):(\S+) (.*)$/.exec(text) ?? [];
  return country && symbol && name ? [{ country, symbol, name }] : [];
}
