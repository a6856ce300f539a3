import { useEffect, useRef, useState } from 'react';

/** A value that changes at most once in `calmMs`: the first change at once, the last one of a burst at the end of that time. */
export function useCalm<T>(value: T, calmMs: number): T {
  const [calm, setCalm] = useState(value);
  const changedMs = useRef(0);
  useEffect(() => {
    const waitMs = Math.max(0, changedMs.current + calmMs - Date.now());
    const timer = setTimeout(() => {
      changedMs.current = Date.now();
      setCalm(() => value);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [value, calmMs]);
  return calm;
}
