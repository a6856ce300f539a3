/** True if one of two field paths, such as `tools.rules`, is the other or lies in it. Pure. */
export function pathsOverlap(one: string, other: string): boolean {
  return one === other || one.startsWith(`${other}.`) || other.startsWith(`${one}.`);
}
