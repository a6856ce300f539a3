import { useCallback, useState } from 'react';
import { createStore, useStore } from './store.ts';

const PREFIX = 'hamlet-draft-';
/** The account that signed in last in this tab: the drafts are its. */
const WRITER = 'hamlet-writer';
/** Counts how often all drafts were deleted, so that open forms clear their fields too. */
const deletions = createStore(0);

/**
 * A text that this tab keeps while it is written: it survives a closed form, another page and a reload. `set('')` deletes it.
 * @param name unique among all drafts
 */
export function useDraft(name: string): readonly [text: string, set: (text: string) => void] {
  const key = PREFIX + name;
  // The text is stored with its key, so that a form reused for another subject never shows the text of the first.
  const [written, setWritten] = useState<{
    readonly key: string;
    readonly round: number;
    readonly text: string;
  } | null>(null);
  const round = useStore(deletions, (times) => times);
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

/**
 * Reads a form's draft from its kept text; `empty` where nothing was kept. Takes only fields that `empty` has, with the same type: a page of
 * another version may have kept another form.
 */
export function readJsonDraft<T extends object>(kept: string, empty: T): T {
  let read: unknown;
  try {
    read = JSON.parse(kept);
  } catch {
    return empty;
  }
  if (typeof read !== 'object' || read === null) return empty;
  const fields = new Map(Object.entries(read));
  const taken = Object.entries(empty)
    .filter(([name, value]) => typeof fields.get(name) === typeof value)
    .map(([name]) => [name, fields.get(name)] as const);
  return { ...empty, ...Object.fromEntries(taken) };
}

/** Deletes one draft, once its purpose was served elsewhere. */
export function forgetDraft(name: string): void {
  sessionStorage.removeItem(PREFIX + name);
}

/** Deletes every draft of this tab: the texts of one person are not for the next one who signs in here. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  deletions.set((times) => times + 1);
}

/** Records who signed in, and deletes drafts that another person left behind when their session ended. */
export function claimDrafts(accountId: string): void {
  const writer = sessionStorage.getItem(WRITER);
  if (writer === accountId) return;
  if (writer !== null) forgetDrafts();
  sessionStorage.setItem(WRITER, accountId);
}
