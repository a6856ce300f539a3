import { useCallback, useState } from 'react';
import { createStore, useStore } from '../store.ts';

const PREFIX = 'hamlet-draft-';
/** Whose drafts these are: the account that signed in last in this tab. */
const WRITER = 'hamlet-writer';
/** Counts how often all drafts were forgotten, so that forms in sight forget what they show too. */
const forgotten = createStore(0);

/** A text that is kept in this tab while it is written, also over a reload or another page; `set('')` forgets it. `name` names it among all drafts. */
export function useDraft(name: string): readonly [text: string, set: (text: string) => void] {
  const key = PREFIX + name;
  // The text goes with its name, so that a form that is shown for another subject never shows the text of the first.
  const [written, setWritten] = useState<{
    readonly key: string;
    readonly round: number;
    readonly text: string;
  } | null>(null);
  const round = useStore(forgotten, (times) => times);
  const text = written?.key === key && written.round === round ? written.text : (sessionStorage.getItem(key) ?? '');
  const set = useCallback(
    (next: string): void => {
      setWritten({ key, round, text: next });
      if (next === '') sessionStorage.removeItem(key);
      else sessionStorage.setItem(key, next);
    },
    [key, round],
  );
  return [text, set];
}

/** Forgets one draft, once what it was written for is done elsewhere. */
export function forgetDraft(name: string): void {
  sessionStorage.removeItem(PREFIX + name);
}

/** Forgets every draft of this tab: what one person wrote is not for the next who signs in here. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  forgotten.set((times) => times + 1);
}

/** Says who signed in: drafts that another person left, whose session ended, are forgotten. */
export function claimDrafts(accountId: string): void {
  const writer = sessionStorage.getItem(WRITER);
  if (writer === accountId) return;
  if (writer !== null) forgetDrafts();
  sessionStorage.setItem(WRITER, accountId);
}
