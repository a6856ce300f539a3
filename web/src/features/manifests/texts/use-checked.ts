import { type Manifests } from '@hamlet/engine/manifests';
import { useEffect, useState } from 'react';
import { type Checked, checkTexts } from './check-manifests.ts';
import type { Texts } from './manifest-edits.ts';

/** The check waits until nothing was typed for this time, and for longer if the last check took long. */
const PAUSE_MS = 200;
const PAUSE_PER_CHECK = 2;

type State = Checked & Readonly<{ of: Texts; tookMs: number; valid: Manifests | null }>;

/** The check of texts while a person types. `valid`: the newest manifests without problems. */
export interface LiveCheck extends Checked {
  readonly valid: Manifests | null;
  /** False while the newest text has not been checked. */
  readonly isCurrent: boolean;
}

export function useChecked(texts: Texts): LiveCheck {
  const [state, setState] = useState(() => checkOf(texts, null));
  const { of, tookMs } = state;
  useEffect(() => {
    if (of === texts) return undefined;
    const pauseMs = Math.max(PAUSE_MS, tookMs * PAUSE_PER_CHECK);
    const timer = setTimeout(() => setState(({ valid }) => checkOf(texts, valid)), pauseMs);
    return () => clearTimeout(timer);
  }, [texts, of, tookMs]);
  return { ...state, isCurrent: of === texts };
}

function checkOf(texts: Texts, valid: Manifests | null): State {
  const beganMs = performance.now();
  const checked = checkTexts(texts);
  return { ...checked, of: texts, tookMs: performance.now() - beganMs, valid: checked.manifests ?? valid };
}
