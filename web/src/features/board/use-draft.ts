import { useCallback, useState } from 'react'

const PREFIX = 'hamlet-draft-'

/** A text that is kept in this tab while it is written, also over a reload or another page; `set('')` forgets it. */
export function useDraft(name: string): readonly [text: string, set: (text: string) => void] {
  const key = PREFIX + name
  const [text, setText] = useState(() => sessionStorage.getItem(key) ?? '')
  const set = useCallback((next: string): void => {
    setText(next)
    if (next === '') sessionStorage.removeItem(key)
    else sessionStorage.setItem(key, next)
  }, [key])
  return [text, set]
}
