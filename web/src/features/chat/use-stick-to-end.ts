import { type RefObject, useCallback, useEffect, useRef, useState } from 'react';

/** Within this many pixels of its end a list counts as read to the end. */
const NEAR_PX = 48;

interface Stick {
  readonly scroller: RefObject<HTMLDivElement | null>;
  readonly content: RefObject<HTMLDivElement | null>;
  readonly atEnd: boolean;
  readonly toEnd: () => void;
}

/** Keeps a scrolled list at its end while it grows, but only if the reader is there; a reader further up is left alone. */
export function useStickToEnd(): Stick {
  const scroller = useRef<HTMLDivElement>(null);
  const content = useRef<HTMLDivElement>(null);
  const sticks = useRef(true);
  const [atEnd, setAtEnd] = useState(true);
  const toEnd = useCallback((): void => {
    const box = scroller.current;
    if (box === null) return;
    sticks.current = true;
    setAtEnd(true);
    box.scrollTop = box.scrollHeight;
  }, []);
  useEffect(() => {
    const box = scroller.current;
    if (box === null || content.current === null) return undefined;
    let measured = '';
    const measure = (): string => `${box.scrollHeight} ${box.clientHeight}`;
    const onScroll = (): void => {
      // A change of size scrolls too; only a scroll of the reader counts.
      if (measured !== measure()) return;
      sticks.current = box.scrollHeight - box.scrollTop - box.clientHeight < NEAR_PX;
      setAtEnd(sticks.current);
    };
    // The box shrinks, too: on a phone the keyboard takes a part of it.
    const watch = new ResizeObserver(() => {
      measured = measure();
      if (sticks.current) box.scrollTop = box.scrollHeight;
    });
    watch.observe(content.current);
    watch.observe(box);
    box.addEventListener('scroll', onScroll, { passive: true });
    return () => {
      watch.disconnect();
      box.removeEventListener('scroll', onScroll);
    };
  }, []);
  return { scroller, content, atEnd, toEnd };
}
