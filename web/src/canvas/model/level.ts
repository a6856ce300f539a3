/** How much is shown. `far`: counts and zones; `district`: small figures, places; `street`: figures, names; `close`: everything. */
export type Level = 'far' | 'district' | 'street' | 'close';

/** Figures that can be told apart on one screen; beyond it they become dots, and beyond the next counts. */
const READABLE_FIGURES = 120;
const READABLE_DOTS = 2500;

/** @param zoom CSS pixels per tile; @param visible agents within the view */
export function levelOf(zoom: number, visible: number): Level {
  if (zoom < 9) return visible > READABLE_DOTS ? 'far' : 'district';
  if (zoom < 22) return visible > READABLE_FIGURES ? 'district' : 'street';
  return zoom < 44 ? 'street' : 'close';
}

/** What is asked of the server for a level: whole agents or counts per cell. */
export function wireZoom(zoom: number, population: number): 'near' | 'mid' | 'far' {
  if (zoom >= 16) return 'near';
  return zoom < 9 && population > READABLE_DOTS ? 'far' : 'mid';
}
