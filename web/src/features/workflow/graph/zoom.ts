type Size = Readonly<{ width: number; height: number }>;

const MAX_SCALE = 2;
const MIN_SCALE = 0.15;
/** Below this scale the words of a graph are hard to read. */
const READABLE_SCALE = 0.6;
export const ZOOM_STEP = 1.25;

export const clampScale = (scale: number): number => Math.min(MAX_SCALE, Math.max(MIN_SCALE, scale));

/** The scale at which the whole picture is in the frame; at most 1. */
export const fittingScale = (picture: Size, frame: Size): number =>
  clampScale(Math.min(1, frame.width / picture.width, frame.height / picture.height));

/** The scale with which a picture begins: as wide as its frame, unless its words would become unreadable. */
export const firstScale = (picture: Size, frame: Size): number =>
  Math.min(1, Math.max(READABLE_SCALE, frame.width / picture.width));

type Scroll = Readonly<{ at: number; frame: number; before: number; after: number }>;

/** The scroll position that keeps the middle of the frame where it was. `before`, `after`: length of the picture, in pixels. */
export function scrollAfter({ at, frame, before, after }: Scroll): number {
  const middle = (at + Math.min(frame, before) / 2) / before;
  return Math.max(0, middle * after - frame / 2);
}
