import type { CallInput, RouteSpec } from '@hamlet/contract';
import { useMemo } from 'react';
import type { Refused } from '../../client/api.ts';
import { useLive } from '../../client/query/use-live.ts';
import { useSettled } from '../../client/query/use-settled.ts';

/** A draft is checked once; the answer stays while a person reads. */
const AGAIN_MS = 3_600_000;

/** The verdict of the cluster about a draft: none yet, accepted, or refused with the reason. */
export type DryRun = Readonly<{ state: 'idle' | 'checking' | 'accepted' | 'refused'; refused: Refused | null }>;

/** Lets the cluster check a write that changes nothing, once a person pauses. A null `input` asks nothing. */
export function useDryRun<const R extends RouteSpec>(route: R, input: CallInput<R> | null): DryRun {
  const text = JSON.stringify(input);
  const settled = useSettled(text);
  const asked = useMemo(() => JSON.parse(settled) as CallInput<R> | null, [settled]);
  const { data, refused } = useLive(route, asked, AGAIN_MS);
  if (input === null) return { state: 'idle', refused: null };
  if (settled !== text) return { state: 'checking', refused: null };
  if (refused !== null) return { state: 'refused', refused };
  return { state: data === null ? 'checking' : 'accepted', refused: null };
}
