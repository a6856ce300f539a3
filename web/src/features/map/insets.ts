import type { Insets } from '../../canvas/map-host.ts';

/** Below this width panels lie at the bottom; the style sheet has the same number. */
const PHONE_PX = 760;

/** How much of the map the open panels cover, by their boxes. */
export function insetsOf(): Insets {
  const insetTop = boxOf('.top-bar')?.bottom ?? 0;
  const panels = [boxOf('.people'), boxOf('.board'), boxOf('.inspector')].filter((box) => box !== null);
  if (window.innerWidth < PHONE_PX) {
    return {
      insetTop,
      insetLeft: 0,
      insetRight: 0,
      insetBottom: window.innerHeight - Math.min(window.innerHeight, ...panels.map((box) => box.top)),
    };
  }
  const rightPanels = panels.filter((box) => box.left > window.innerWidth / 2);
  const leftPanels = panels.filter((box) => box.left <= window.innerWidth / 2);
  return {
    insetTop,
    insetBottom: 0,
    insetLeft: Math.max(0, ...leftPanels.map((box) => box.right)),
    insetRight: window.innerWidth - Math.min(window.innerWidth, ...rightPanels.map((box) => box.left)),
  };
}

function boxOf(selector: string): DOMRect | null {
  return document.querySelector(selector)?.getBoundingClientRect() ?? null;
}
