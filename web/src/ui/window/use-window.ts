import { type RefObject, useEffect, useState } from 'react';
import { type ListWindow, windowOf } from './window-of.ts';

/** The part of a scrolled list of equal rows that is in sight; the list asks again as it is scrolled or resized. */
export function useWindow(scroller: RefObject<HTMLElement | null>, count: number, rowPx: number): ListWindow {
  const [seen, setSeen] = useState({ scrollPx: 0, heightPx: 800 });
  useEffect(() => {
    const box = scroller.current;
    if (box === null) return undefined;
    const measure = (): void =>
      setSeen((was) =>
        was.scrollPx === box.scrollTop && was.heightPx === box.clientHeight
          ? was
          : { scrollPx: box.scrollTop, heightPx: box.clientHeight },
      );
    const watch = new ResizeObserver(measure);
    watch.observe(box);
    box.addEventListener('scroll', measure, { passive: true });
    return () => {
      watch.disconnect();
      box.removeEventListener('scroll', measure);
    };
  }, [scroller]);
  return windowOf({ count, rowPx, ...seen });
}
