export type KeyIntent =
  | { readonly kind: 'pan'; readonly dx: number; readonly dy: number }
  | { readonly kind: 'zoom'; readonly factor: number }
  | { readonly kind: 'whole' }
  | { readonly kind: 'follow' }
  | { readonly kind: 'back' }
  | { readonly kind: 'search' };

const STEP_PX = 90;

const INTENTS: Readonly<Record<string, KeyIntent>> = {
  ArrowLeft: { kind: 'pan', dx: STEP_PX, dy: 0 },
  ArrowRight: { kind: 'pan', dx: -STEP_PX, dy: 0 },
  ArrowUp: { kind: 'pan', dx: 0, dy: STEP_PX },
  ArrowDown: { kind: 'pan', dx: 0, dy: -STEP_PX },
  '+': { kind: 'zoom', factor: 1.3 },
  '=': { kind: 'zoom', factor: 1.3 },
  '-': { kind: 'zoom', factor: 1 / 1.3 },
  _: { kind: 'zoom', factor: 1 / 1.3 },
  '0': { kind: 'whole' },
  f: { kind: 'follow' },
  F: { kind: 'follow' },
  Escape: { kind: 'back' },
  '/': { kind: 'search' },
};

/** Null if the key has no command: with a modifier, an arrow outside the map, or any key but Escape in a text field. */
export function keyIntent(
  key: string,
  focus: { readonly writing: boolean; readonly onMap: boolean; readonly modified: boolean },
): KeyIntent | null {
  const intent = INTENTS[key] ?? null;
  if (intent === null || focus.modified) return null;
  if (focus.writing) return intent.kind === 'back' ? intent : null;
  return intent.kind === 'pan' && !focus.onMap ? null : intent;
}
