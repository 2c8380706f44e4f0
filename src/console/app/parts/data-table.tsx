import type { ComponentChildren, TargetedKeyboardEvent } from "preact";
import { useState } from "preact/hooks";
import { type Caption, translate } from "#console/app/words.ts";
import { Explained, Tip } from "./tip.tsx";

/** A column of a table. */
export interface Column<T> {
  readonly title: Caption;
  /** What the figures mean; undefined without an explanation. */
  readonly meaning?: string | undefined;
  /** What a cell shows. */
  readonly cell: (row: T) => ComponentChildren;
  /** The value to sort by; null sorts last. Without it, the column cannot be sorted. */
  readonly sortBy?: (row: T) => number | string | null | undefined;
  /** Right-aligned, with digits of one width. */
  readonly isNumber?: boolean;
  /** True for a number that is better if it is lower: the first click has the lowest at the top. */
  readonly isLowFirst?: boolean;
  /** Left out on narrow screens. */
  readonly isExtra?: boolean;
  /** How good the value of a cell is, from −1 to 1, for its shade; null without one. */
  readonly shadeOf?: (row: T) => number | null;
}

/** The title of the sorted column, and its direction. */
export interface Order {
  readonly title: string;
  readonly isDescending: boolean;
}

/** The control of the selected row that a key presses. */
const ROW_KEYS: Readonly<Record<string, string>> = {
  w: "button.star",
  c: "input[type=checkbox]",
  Enter: "a[href]",
};

/**
 * A table whose columns sort. It scrolls sideways where the screen is too narrow. With `onSelect`, a
 * click selects a row, and keys act while the table has the focus: J and K move, Enter opens the row,
 * W watches it, and C ticks it. They do not act elsewhere, so that they never surprise a reader who
 * dictates (WCAG 2.1.4).
 */
export function DataTable<T>(props: {
  readonly label: Caption;
  readonly columns: readonly Column<T>[];
  readonly rows: readonly T[];
  readonly keyOf: (row: T) => string | number;
  /** The most rows that are shown; all by default. */
  readonly most?: number;
  /** Replaces sorting here: the server sorts. */
  readonly order?: Order | null;
  readonly onOrder?: (order: Order) => void;
  /** The key of the selected row. */
  readonly selected?: string | number | null;
  readonly onSelect?: (key: string | number) => void;
}) {
  const { label, columns, rows, keyOf, most, onOrder, selected = null, onSelect } = props;
  const [own, setOwn] = useState<Order | null>(null);
  const order = onOrder ? (props.order ?? null) : own;
  const sorted = (onOrder ? rows : sortRows(rows, columns, order)).slice(0, most);
  const choose = (column: Column<T>) => (onOrder ?? setOwn)(orderAfter(order, column));
  return (
    <div
      class="table-frame"
      tabIndex={0}
      role="region"
      aria-label={translate(label)}
      onKeyDown={(event) => {
        const at = sorted.findIndex((row) => keyOf(row) === selected);
        const next = onSelect && rowAfterKey(event, at);
        if (next === undefined || !sorted[next]) return;
        event.preventDefault();
        onSelect?.(keyOf(sorted[next]));
      }}
    >
      <table>
        <thead>
          <tr>
            {columns.map((column) => (
              <HeadCell
                key={column.title}
                column={column}
                order={order?.title === column.title ? order : null}
                onChoose={() => choose(column)}
              />
            ))}
          </tr>
        </thead>
        <tbody>
          {sorted.map((row) => (
            <tr
              key={keyOf(row)}
              aria-current={onSelect && keyOf(row) === selected ? "true" : undefined}
              onClick={onSelect && (() => onSelect(keyOf(row)))}
            >
              {columns.map((column) => (
                <td
                  key={column.title}
                  class={`${classOf(column, order)} ${shadeClass(column.shadeOf?.(row) ?? 0)}`.trim()}
                >
                  {column.cell(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** The order after a click on the head of a column. */
function orderAfter(before: Order | null, column: Column<never>): Order {
  const isSame = before?.title === column.title;
  return {
    title: column.title,
    isDescending: isSame ? !before.isDescending : isHighFirst(column),
  };
}

/** True for a number that is first sorted from the highest. */
const isHighFirst = ({ isNumber = false, isLowFirst = false }: Column<never>) =>
  isNumber && !isLowFirst;

/** The index of the row that a key selects; undefined if the key selects none. It presses the control of the key. */
function rowAfterKey(
  event: TargetedKeyboardEvent<HTMLElement>,
  current: number,
): number | undefined {
  const { key, target, currentTarget } = event;
  if (event.ctrlKey || event.metaKey || event.altKey) return undefined;
  const rows = currentTarget.querySelectorAll<HTMLElement>("tbody > tr");
  const step = { j: 1, k: -1 }[key];
  if (step !== undefined) {
    const next = Math.min(Math.max(current + step, 0), rows.length - 1);
    rows[next]?.scrollIntoView({ block: "nearest", inline: "nearest" });
    return next;
  }
  // Enter on a control is for that control.
  const selector = key === "Enter" && target !== currentTarget ? undefined : ROW_KEYS[key];
  const control = selector && rows[current]?.querySelector<HTMLElement>(selector);
  if (control) {
    event.preventDefault();
    control.click();
  }
  return undefined;
}

function HeadCell<T>(props: {
  readonly column: Column<T>;
  readonly order: Order | null;
  readonly onChoose: () => void;
}) {
  const { column, order, onChoose } = props;
  const title = translate(column.title);
  const sort = order ? (order.isDescending ? "descending" : "ascending") : "none";
  return (
    <th
      scope="col"
      aria-label={column.meaning && title}
      class={classOf(column, order)}
      aria-sort={column.sortBy ? sort : undefined}
    >
      {column.sortBy ? (
        <Explained title={title} text={column.meaning}>
          <button type="button" class="sort" onClick={onChoose}>
            {title}
            <span aria-hidden="true">{{ none: "", ascending: " ↑", descending: " ↓" }[sort]}</span>
          </button>
        </Explained>
      ) : (
        <Tip text={column.meaning}>{title}</Tip>
      )}
    </th>
  );
}

/** The classes of a cell; the column that orders the table is shaded. */
function classOf<T>({ title, isNumber, isExtra }: Column<T>, order: Order | null): string {
  const isSorted = order?.title === title;
  return [isNumber && "number", isExtra && "extra", isSorted && "sorted"].filter(Boolean).join(" ");
}

const SHADES = 3;

/** The class of a shade: `shade-gain-1` to `-3`, or `shade-loss-1` to `-3`; none for a value near 0. */
function shadeClass(share: number): string {
  const step = Math.round(Math.min(1, Math.abs(share)) * SHADES);
  return step === 0 ? "" : `shade-${share > 0 ? "gain" : "loss"}-${step}`;
}

/** The rows in that order; those without the value are last. */
export function sortRows<T>(
  rows: readonly T[],
  columns: readonly Column<T>[],
  order: Order | null,
): readonly T[] {
  const sortBy = columns.find(({ title }) => title === order?.title)?.sortBy;
  if (!order || !sortBy) return rows;
  const direction = order.isDescending ? -1 : 1;
  return rows.toSorted((a, b) => {
    const [left, right] = [sortBy(a) ?? null, sortBy(b) ?? null];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    return left < right ? -direction : left > right ? direction : 0;
  });
}
