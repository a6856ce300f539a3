let query: MediaQueryList | null = null;

/** True if the person wants less motion. Cheap enough for each figure of a frame. */
export function reducedMotion(): boolean {
  query ??= window.matchMedia('(prefers-reduced-motion: reduce)');
  return query.matches;
}
