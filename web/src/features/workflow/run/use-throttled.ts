import { useEffect, useRef, useState } from 'react';

/** A value that changes at most once in `everyMs`: the first change at once, the last of a burst at the end of that time. */
export function useThrottled<T>(value: T, everyMs: number): T {
  const [throttled, setThrottled] = useState(value);
  const changedMs = useRef(0);
  useEffect(() => {
    const waitMs = Math.max(0, changedMs.current + everyMs - Date.now());
    const timer = setTimeout(() => {
      changedMs.current = Date.now();
      setThrottled(() => value);
    }, waitMs);
    return () => clearTimeout(timer);
  }, [value, everyMs]);
  return throttled;
}
