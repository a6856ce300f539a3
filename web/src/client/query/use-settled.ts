import { useEffect, useState } from 'react';

/** A pause in typing, after which a page sends what a person wrote. */
const TYPING_MS = 250;

/** Returns a value once it has stayed the same for 250 ms, for requests that depend on typed text. */
export function useSettled<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(() => value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
