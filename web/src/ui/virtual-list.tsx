import { useVirtualizer } from '@tanstack/react-virtual';
import { type KeyboardEvent, type ReactNode, useRef } from 'react';

/** Rows rendered beyond the visible ones, for smooth scrolling and so that the arrow keys find the next row. */
const MARGIN_ROWS = 8;
const FIRST_HEIGHT_PX = 800;

interface ListProps<T> {
  readonly rows: readonly T[];
  /** The height of each row in CSS pixels; the style sheet has the same number. */
  readonly rowPx: number;
  readonly className: string;
  readonly gapClassName: string;
  readonly idOf: (row: T) => string;
  /** A list item. `place` is its position in the whole list, from 1. */
  readonly render: (row: T, place: number) => ReactNode;
  readonly onKeyDown?: (event: KeyboardEvent<HTMLUListElement>) => void;
}

/** A long list with its own scroll bar. It renders only the rows in view and some around them. */
export function VirtualList<T>(props: ListProps<T>) {
  const { rows, rowPx, className, gapClassName, idOf, render, onKeyDown } = props;
  const scroller = useRef<HTMLUListElement>(null);
  const virtual = useVirtualizer({
    count: rows.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => rowPx,
    getItemKey: (index) => {
      const row = rows[index];
      return row === undefined ? index : idOf(row);
    },
    overscan: MARGIN_ROWS,
    initialRect: { width: 0, height: FIRST_HEIGHT_PX },
  });
  const shown = virtual.getVirtualItems();
  const above = shown[0]?.start ?? 0;
  const below = virtual.getTotalSize() - (shown.at(-1)?.end ?? 0);
  const gap = (height: number) =>
    height > 0 ? <li className={gapClassName} style={{ height }} aria-hidden="true" /> : null;
  return (
    <ul className={className} ref={scroller} onKeyDown={onKeyDown}>
      {gap(above)}
      {rows
        .slice(shown[0]?.index ?? 0, (shown.at(-1)?.index ?? -1) + 1)
        .map((row, index) => render(row, (shown[0]?.index ?? 0) + index + 1))}
      {gap(below)}
    </ul>
  );
}

/** The arrow keys up and down move the focus through the buttons of a list that match `selector`. */
export function moveFocus(event: KeyboardEvent<HTMLUListElement>, selector: string): void {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const buttons = [...event.currentTarget.querySelectorAll<HTMLButtonElement>(selector)];
  const at = buttons.findIndex((button) => button === document.activeElement);
  buttons[Math.min(buttons.length - 1, Math.max(0, at + step))]?.focus();
}
