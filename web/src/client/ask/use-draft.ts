import { useCallback, useState } from 'react'

const PREFIX = 'hamlet-draft-'

/** A text that is kept in this tab while it is written, also over a reload or another page; `set('')` forgets it. `name` names it among all drafts. */
export function useDraft(name: string): readonly [text: string, set: (text: string) => void] {
  const key = PREFIX + name
  // The text goes with its name, so that a form that is shown for another subject never shows the text of the first.
  const [written, setWritten] = useState<{ readonly key: string; readonly text: string } | null>(null)
  const text = written?.key === key ? written.text : sessionStorage.getItem(key) ?? ''
  const set = useCallback((next: string): void => {
    setWritten({ key, text: next })
    if (next === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, next)
  }, [key])
  return [text, set]
}

/** Forgets one draft, once what it was written for is done elsewhere. */
export function forgetDraft(name: string): void {
  sessionStorage.removeItem(PREFIX + name)
}

/** Forgets every draft of this tab: what one person wrote is not for the next who signs in here. */
export function forgetDrafts(): void {
  for (const key of Object.keys(sessionStorage)) if (key.startsWith(PREFIX)) sessionStorage.removeItem(key)
}
