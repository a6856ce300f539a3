import type { Point } from '../model/camera.ts';
import type { DrawList } from '../model/draw-list.ts';

type Hit =
  | { readonly kind: 'agent'; readonly id: string }
  | { readonly kind: 'landmark'; readonly id: string }
  | { readonly kind: 'pin'; readonly ids: readonly string[] }
  | { readonly kind: 'ground' };

/** Half the width of the smallest target, which is 24 CSS pixels wide (WCAG 2.2, 2.5.8). */
const REACH_PX = 12;
const FINGER_REACH_PX = 22;
const PIN_PX = 36;

/** The first object at a point: frontmost figure, name, pin, landmark. A finger needs a larger target than a mouse. */
export function hitTest(list: DrawList, point: Point, finger = false): Hit {
  const reach = finger ? FINGER_REACH_PX : REACH_PX;
  const figure = list.figures.findLast((command) => {
    const half = Math.max(reach, command.size * 0.32);
    const height = command.dot ? reach : Math.max(command.size, reach);
    return Math.abs(point.x - command.x) <= half && point.y <= command.y + reach / 2 && point.y >= command.y - height;
  });
  if (figure !== undefined) return { kind: 'agent', id: figure.id };
  const name = list.names.findLast(
    (command) =>
      Math.abs(point.x - command.x) <= nameHalfWidth(command.text) && point.y >= command.y && point.y <= command.y + 20,
  );
  if (name !== undefined) return { kind: 'agent', id: name.id };
  const pin = list.pins.findLast(
    (command) =>
      Math.abs(point.x - command.x) <= Math.max(reach, PIN_PX / 2) &&
      point.y <= command.y + 4 &&
      point.y >= command.y - PIN_PX,
  );
  if (pin !== undefined) return { kind: 'pin', ids: pin.ids };
  const landmark = list.landmarks.findLast(
    (command) => Math.hypot(point.x - command.x, point.y - command.y) <= Math.max(reach, 16),
  );
  return landmark === undefined ? { kind: 'ground' } : { kind: 'landmark', id: landmark.id };
}

/** Half the width of a drawn name, at 12 px: a letter is 6.5 px wide on average. */
const nameHalfWidth = (text: string): number => Math.max(REACH_PX, (text.length * 6.5 + 14) / 2);
