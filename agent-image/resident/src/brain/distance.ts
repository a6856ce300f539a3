type Tile = { readonly x: number; readonly y: number };

/** Tiles between two places as the village measures them (Chebyshev). */
export function tilesBetween(a: Tile, b: Tile): number {
  return Math.max(Math.abs(a.x - b.x), Math.abs(a.y - b.y));
}
