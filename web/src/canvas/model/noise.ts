/** A stable number in [0, 1) for a place, so that every screen shows the same grass. */
export function hash2(x: number, y: number, salt = 0): number {
  let value = Math.imul(x | 0, 374761393) + Math.imul(y | 0, 668265263) + Math.imul(salt | 0, 2246822519);
  value = Math.imul(value ^ (value >>> 13), 1274126177);
  value ^= value >>> 16;
  return (value >>> 0) / 4294967296;
}

/** A stable whole number in [0, count) for a text, such as the look of an agent from its id. */
export function hashText(text: string, count: number): number {
  let value = 2166136261;
  for (let index = 0; index < text.length; index++) value = Math.imul(value ^ text.charCodeAt(index), 16777619);
  value ^= value >>> 13;
  value = Math.imul(value, 1540483477);
  return ((value ^ (value >>> 15)) >>> 0) % count;
}

/** Smooth noise in [0, 1) whose features are about `scale` tiles wide. */
export function smoothNoise(x: number, y: number, shape: { readonly scale: number; readonly salt: number }): number {
  const gridX = Math.floor(x / shape.scale);
  const gridY = Math.floor(y / shape.scale);
  const shareX = ease(x / shape.scale - gridX);
  const shareY = ease(y / shape.scale - gridY);
  const corner = (dx: number, dy: number): number => hash2(gridX + dx, gridY + dy, shape.salt);
  const upper = corner(0, 0) + (corner(1, 0) - corner(0, 0)) * shareX;
  const lower = corner(0, 1) + (corner(1, 1) - corner(0, 1)) * shareX;
  return upper + (lower - upper) * shareY;
}

const ease = (share: number): number => share * share * (3 - 2 * share);
