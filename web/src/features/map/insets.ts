import type { Insets } from '../../canvas/map-controller.ts'

/** Below this width panels lie at the bottom; the style sheet has the same number. */
export const PHONE_PX = 760

/** How much of the map the open panels cover, by their boxes. */
export function insetsOf(): Insets {
  const phone = window.innerWidth < PHONE_PX
  const box = (selector: string): DOMRect | null => document.querySelector(selector)?.getBoundingClientRect() ?? null
  const left = box('.people')
  const right = box('.inspector')
  const top = box('.top-bar')
  return {
    insetTop: top === null ? 0 : top.bottom,
    insetLeft: phone || left === null ? 0 : left.right,
    insetRight: phone || right === null ? 0 : window.innerWidth - right.left,
    insetBottom: phone ? window.innerHeight - Math.min(left?.top ?? window.innerHeight, right?.top ?? window.innerHeight) : 0,
  }
}
