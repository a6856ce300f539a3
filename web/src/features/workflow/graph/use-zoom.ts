import {
  type KeyboardEvent,
  type PointerEvent,
  type RefObject,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
} from 'react';
import { clampScale, firstScale, fittingScale, scrollAfter, ZOOM_STEP } from './zoom.ts';

type Size = Readonly<{ width: number; height: number }>;

export interface Zoom {
  /** The element that scrolls. */
  readonly frame: RefObject<HTMLDivElement | null>;
  readonly scale: number;
  zoomBy(factor: number): void;
  fit(): void;
  /** Handlers of the frame: drag to scroll, and the keys + − 0. */
  readonly handlers: Readonly<{
    onKeyDown: (event: KeyboardEvent) => void;
    onPointerDown: (event: PointerEvent) => void;
    onPointerMove: (event: PointerEvent) => void;
  }>;
}

/** The scale of a picture in a frame that scrolls. Until a person changes it, it follows the width of the frame. */
export function useZoom(picture: Size): Zoom {
  const frame = useRef<HTMLDivElement>(null);
  const [chosen, setChosen] = useState<number | null>(null);
  const size = useFrameSize(frame);
  const scale = chosen ?? firstScale(picture, size);
  const zoomBy = (factor: number): void => setChosen((now) => clampScale((now ?? firstScale(picture, size)) * factor));
  const fit = (): void => setChosen(fittingScale(picture, size));
  useKeptMiddle(frame, picture, scale);
  useWheel(frame, zoomBy);
  const keys: Readonly<Record<string, (() => void) | undefined>> = {
    '+': () => zoomBy(ZOOM_STEP),
    '=': () => zoomBy(ZOOM_STEP),
    '-': () => zoomBy(1 / ZOOM_STEP),
    '0': fit,
  };
  return {
    frame,
    scale,
    zoomBy,
    fit,
    handlers: {
      onKeyDown: (event) => {
        const act = event.ctrlKey || event.metaKey || event.altKey ? undefined : keys[event.key];
        if (act === undefined) return;
        event.preventDefault();
        act();
      },
      ...useDrag(frame),
    },
  };
}

/** The size that the frame offers: its width, and the greatest height that its style allows. */
function useFrameSize(frame: RefObject<HTMLDivElement | null>): Size {
  const [size, setSize] = useState<Size>({ width: 800, height: 600 });
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const measure = (): void => {
      const height = Number.parseFloat(getComputedStyle(element).maxHeight);
      setSize({ width: element.clientWidth, height: Number.isFinite(height) ? height : element.clientHeight });
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(element);
    return () => observer.disconnect();
  }, [frame]);
  return size;
}

/** Scrolls so that the middle of the frame stays in its place while the scale changes. A picture begins with its middle. */
function useKeptMiddle(frame: RefObject<HTMLDivElement | null>, { width, height }: Size, scale: number): void {
  const before = useRef<number | null>(null);
  useLayoutEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const old = before.current;
    before.current = scale;
    const { clientWidth, clientHeight } = element;
    if (old === null) element.scrollLeft = (width * scale - clientWidth) / 2;
    else if (old !== scale) {
      const across = { at: element.scrollLeft, frame: clientWidth, before: width * old, after: width * scale };
      const down = { at: element.scrollTop, frame: clientHeight, before: height * old, after: height * scale };
      [element.scrollLeft, element.scrollTop] = [scrollAfter(across), scrollAfter(down)];
    }
  }, [frame, width, height, scale]);
}

/** Ctrl and the wheel, or a pinch on a touchpad, change the scale. React's handlers cannot prevent the browser's own zoom. */
function useWheel(frame: RefObject<HTMLDivElement | null>, zoomBy: (factor: number) => void): void {
  const latest = useRef(zoomBy);
  useEffect(() => {
    latest.current = zoomBy;
  });
  useEffect(() => {
    const element = frame.current;
    if (element === null) return;
    const turn = (event: WheelEvent): void => {
      if (!event.ctrlKey && !event.metaKey) return;
      event.preventDefault();
      latest.current(Math.exp(-event.deltaY / 300));
    };
    element.addEventListener('wheel', turn, { passive: false });
    return () => element.removeEventListener('wheel', turn);
  }, [frame]);
}

/** A mouse drags the picture. A finger scrolls the frame as the browser does. */
function useDrag(frame: RefObject<HTMLDivElement | null>): Pick<Zoom['handlers'], 'onPointerDown' | 'onPointerMove'> {
  const from = useRef({ x: 0, y: 0 });
  return {
    onPointerDown: ({ clientX: x, clientY: y }) => {
      from.current = { x, y };
    },
    onPointerMove: ({ pointerType, buttons, clientX: x, clientY: y }) => {
      if (pointerType !== 'mouse' || buttons !== 1) return;
      frame.current?.scrollBy(from.current.x - x, from.current.y - y);
      from.current = { x, y };
    },
  };
}
