import { useEffect, useRef, useState } from 'react';
import type { Refused } from '../../client/api.ts';
import { useVillage } from '../village-context.ts';
import { browserCrypto } from './browser-crypto.ts';
import { type Checked, checkProof, type ProofParts } from './check-proof.ts';
import { forget, keep, readKept } from './kept-checkpoint.ts';
import { readProof } from './read-proof.ts';
import { recordIdOf, type Shown } from './sealed-differences.ts';

/** What is known of a record so far. `unable` is of this browser, and says nothing of the record. */
export type Proving =
  | { readonly kind: 'asking' }
  | { readonly kind: 'unsealed' }
  | { readonly kind: 'unable'; readonly why: string }
  | { readonly kind: 'refused'; readonly refused: Refused }
  | { readonly kind: 'checked'; readonly parts: ProofParts; readonly checked: Checked };

/** What is new is sealed within a second or two. */
const SEALED_SOON_MS = 1000;
const SOON_TIMES = 15;

/** Reads the proof of a record, checks it here, and keeps the checkpoint that it led to. `anew` forgets what was kept, and checks again. */
export function useProof(shown: Shown): { readonly proving: Proving; anew(): void } {
  const { api } = useVillage();
  const [proving, setProving] = useState<Proving>({ kind: 'asking' });
  const [asked, setAsked] = useState(0);
  // A list that is read anew has the same record as another object.
  const seen = useRef(shown);
  seen.current = shown;
  const id = recordIdOf(shown);
  useEffect(() => {
    let here = true;
    const prove = async (): Promise<void> => {
      for (let time = 0; here; time += 1) {
        const now = await proveOnce(api, seen.current);
        if (here) setProving(now);
        if (now.kind !== 'unsealed' || time === SOON_TIMES) return;
        await new Promise((resolve) => {
          setTimeout(resolve, SEALED_SOON_MS);
        });
      }
    };
    void prove();
    return () => {
      here = false;
    };
  }, [api, id, asked]);
  return {
    proving,
    anew: () => {
      forget(window.localStorage);
      setProving({ kind: 'asking' });
      setAsked((count) => count + 1);
    },
  };
}

async function proveOnce(api: Parameters<typeof readProof>[0], shown: Shown): Promise<Proving> {
  const crypto = await browserCrypto();
  if (typeof crypto === 'string') return { kind: 'unable', why: crypto };
  const reply = await readProof(api, shown, readKept(window.localStorage));
  if (!reply.ok)
    return reply.refused.code === 'not_sealed' ? { kind: 'unsealed' } : { kind: 'refused', refused: reply.refused };
  const checked = await checkProof(reply.data, crypto);
  if (checked.fault === null) keep(window.localStorage, reply.data.keyText, reply.data.proof.checkpoint);
  return { kind: 'checked', parts: reply.data, checked };
}
