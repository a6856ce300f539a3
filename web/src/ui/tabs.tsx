import type { KeyboardEvent, ReactNode } from 'react';

/** A tab; `mark` is a dot beside its word, `count` a number. */
export type TabItem<T extends string> = Readonly<{
  key: T;
  word: string;
  mark?: 'bad' | 'waiting' | undefined;
  count?: ReactNode;
}>;

interface TabsProps<T extends string> {
  readonly label: string;
  readonly items: readonly TabItem<T>[];
  readonly chosen: T;
  readonly onChoose: (key: T) => void;
}

/** A row of tabs. Arrow keys move through them, as assistive technology expects. The panel has `id={tabPanelId(label)}`. */
export function Tabs<T extends string>({ label, items, chosen, onChoose }: TabsProps<T>) {
  const walk = (event: KeyboardEvent<HTMLDivElement>): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    const next = items[(items.findIndex((item) => item.key === chosen) + step + items.length) % items.length];
    if (step === 0 || next === undefined) return;
    event.preventDefault();
    onChoose(next.key);
    event.currentTarget.querySelector<HTMLElement>(`[data-tab="${next.key}"]`)?.focus();
  };
  return (
    <div className="tabs" role="tablist" aria-label={label} onKeyDown={walk}>
      {items.map(({ key, word, mark, count }) => (
        <button
          key={key}
          type="button"
          role="tab"
          className="tab"
          data-tab={key}
          aria-selected={key === chosen}
          aria-controls={tabPanelId(label)}
          tabIndex={key === chosen ? 0 : -1}
          onClick={() => onChoose(key)}
        >
          {word}
          {count}
          {mark !== undefined && <span className={`mark mark-${mark}`} aria-hidden="true" />}
        </button>
      ))}
    </div>
  );
}

/** The id of the panel below the tabs with this label. */
export const tabPanelId = (label: string): string => `panel-${label.toLowerCase().replaceAll(/[^a-z]+/g, '-')}`;
