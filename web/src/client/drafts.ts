import { readJson } from '@hamlet/core';
import { useCallback, useState } from 'react';
import { createStore, useStore } from './store.ts';
import { isJsonObject } from './json.ts';

const PREFIX = 'hamlet-draft-';
/** Storage key of the account that last signed in in this tab: the drafts belong to it. */
const WRITER = 'hamlet-writer';
/** Counts deletions of all drafts, so that open forms clear their fields. */
const deletions = createStore(0);

/** A text under a unique name; in this tab it survives a closed form and a reload. `set('')` deletes it. */
export function useDraft(name: string): readonly [text: string, set: (text: string) => void] {
  const key = PREFIX + name;
  // The state has the key of its text, so that a form reused for another subject never shows the earlier text.
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

/** Takes only fields that `empty` has with the same type: another version of the page may have stored others. */
export function readJsonDraft<T extends object>(kept: string, empty: T): T {
  const read = readJson(kept);
  if (!isJsonObject(read)) return empty;
  const fields = new Map(Object.entries(read));
  const taken = Object.entries(empty)
    .filter(([name, value]) => typeof fields.get(name) === typeof value)
    .map(([name]) => [name, fields.get(name)] as const);
  return { ...empty, ...Object.fromEntries(taken) };
}

/** The value that a form reads from its draft, or its problem. */
export type Checked<T> = (Readonly<{ ok: true }> & Readonly<T>) | Readonly<{ ok: false; problem: string }>;
/** The value that a form reads from its draft, or the problems of its fields. */
export type Reading<T, P> = (Readonly<{ ok: true }> & Readonly<T>) | Readonly<{ ok: false; problems: P }>;

export type Field<V> = Readonly<{ value: V; onChange: (value: V) => void }>;

/** The draft of a form with several fields. `of` returns the props of one field; `forget` deletes the draft, unless the person has written on since. */
export interface FormDraft<D> {
  readonly draft: D;
  write(change: Partial<D>): void;
  of<K extends keyof D>(key: K): Field<D[K]>;
  forget(): void;
}

/** Begins as `empty`; each change calls `onWrite`. */
export function useFormDraft<D extends object>(name: string, empty: D, onWrite: () => void): FormDraft<D> {
  const [kept, keep] = useDraft(name);
  const draft = readJsonDraft(kept, empty);
  const write = (change: Partial<D>): void => {
    keep(JSON.stringify({ ...draft, ...change }));
    onWrite();
  };
  const forget = (): void => {
    if ((sessionStorage.getItem(PREFIX + name) ?? '') === kept) keep('');
  };
  return { draft, write, of: fieldsOf(draft, write), forget };
}

export function fieldsOf<D>(draft: D, write: (change: Partial<D>) => void): FormDraft<D>['of'] {
  return (key) => ({
    value: draft[key],
    onChange: (value) => {
      const change: Partial<D> = {};
      change[key] = value;
      write(change);
    },
  });
}

/** A draft that lives only as long as its dialog. `unsaved` is for `FormDialog`; each change calls `onWrite`. */
export function useDialogDraft<D extends object>(first: () => D, onWrite?: () => void) {
  const [start] = useState(first);
  const [draft, setDraft] = useState(start);
  const write = (change: Partial<D>): void => {
    setDraft((now) => ({ ...now, ...change }));
    onWrite?.();
  };
  return { draft, write, unsaved: { draft: JSON.stringify(draft), start: JSON.stringify(start) } };
}

/** The problems of fields with a text: an empty field is wrong only after the first attempt to save. */
export function withoutEmpty<D extends object, P extends object>(problems: P, draft: D): P {
  const texts = new Map(Object.entries(draft));
  return Object.fromEntries(Object.entries(problems).filter(([field]) => texts.get(field) !== '')) as P;
}

export function forgetDraft(name: string): void {
  sessionStorage.removeItem(PREFIX + name);
}

/** Deletes every draft of this tab: the next person who signs in here must not see them. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key);
  deletions.set((times) => times + 1);
}

export function claimDrafts(accountId: string): void {
  const writer = sessionStorage.getItem(WRITER);
  if (writer === accountId) return;
  if (writer !== null) forgetDrafts();
  sessionStorage.setItem(WRITER, accountId);
}
