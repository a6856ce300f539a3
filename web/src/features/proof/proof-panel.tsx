import { type ReactElement, type ReactNode, useEffect, useRef, useState } from 'react';
import './proof.css';
import type { Refused } from '../../client/api.ts';
import { Icon } from '../../ui/icon.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { useVillage } from '../village-context.ts';
import { type Checked, checkProof, type ProofParts } from './check-proof.ts';
import { browserCrypto } from './proof-crypto.ts';
import { forget, keep, readKept, readProof } from './read-proof.ts';
import { isSealedByHash, recordIdOf, type Shown } from './sealed-differences.ts';

/** Whether a record is in the sealed log as it is shown, checked in this browser; and if it is not, that it is not. */
export function ProofPanel({ shown }: { readonly shown: Shown }): ReactElement {
  const { proving, anew } = useProof(shown);
  switch (proving.kind) {
    case 'asking':
      return (
        <p className="proof hint" role="status">
          Checking…
        </p>
      );
    case 'unsealed':
      return (
        <p className="proof notice notice-waiting" role="status" data-verdict="unsealed">
          <Icon name="clock" size={16} />
          <span>
            <b>Not sealed yet.</b> What is new is sealed within seconds; this asks again by itself.
          </span>
        </p>
      );
    case 'unable':
      return (
        <p className="proof notice notice-waiting" role="status" data-verdict="unable">
          <Icon name="info" size={16} />
          <span>
            <b>Not checked.</b> {proving.why}
          </span>
        </p>
      );
    case 'refused':
      return proving.refused.code === 'log_differs' ? (
        <Refuted fault="The village cannot prove it: what it has stored is not what was sealed." />
      ) : (
        <div className="proof">
          <RefusedNotice refused={proving.refused} />
        </div>
      );
    case 'checked':
      return <Verdict parts={proving.parts} checked={proving.checked} onAnew={anew} />;
  }
}

interface VerdictProps {
  readonly parts: ProofParts;
  readonly checked: Checked;
  readonly onAnew: () => void;
}

function Verdict({ parts, checked, onAnew }: VerdictProps): ReactElement {
  if (checked.fault !== null)
    return (
      <Refuted fault={checked.fault}>
        <Facts parts={parts} checked={checked} />
        {checked.another && <Anew onAnew={onAnew} />}
      </Refuted>
    );
  return (
    <section className="proof" aria-label="Proof" data-verdict="proven">
      <p className="notice notice-good" role="status">
        <Icon name="shield" size={16} />
        <span>
          <b>Verified.</b> It is in the sealed log as it is shown here. This browser has checked that itself.
        </span>
      </p>
      <Facts parts={parts} checked={checked} />
    </section>
  );
}

function Refuted({ fault, children }: { readonly fault: string; readonly children?: ReactNode }): ReactElement {
  return (
    <section className="proof" aria-label="Proof" data-verdict="refuted">
      <div className="notice notice-bad" role="alert">
        <Icon name="alert" size={16} />
        <span>
          <b>This does not verify.</b> {fault} Do not rely on what is shown until whoever runs the village has looked:{' '}
          <code>hamlet-verify</code> names the place.
        </span>
      </div>
      {children}
    </section>
  );
}

/** A village that was made anew at this address has another log: whoever knows that lets the browser begin again. */
function Anew({ onAnew }: { readonly onAnew: () => void }): ReactElement {
  return (
    <p className="hint">
      Was this village made anew, with a log of its own?{' '}
      <button type="button" className="link" onClick={onAnew} data-action="forget-log">
        Forget what this browser has kept of it
      </button>
    </p>
  );
}

/** What the proof says: believed under a good verdict, claimed under a bad one. */
function Facts({ parts, checked }: { readonly parts: ProofParts; readonly checked: Checked }): ReactElement {
  const { checkpoint, key } = checked;
  return (
    <>
      <dl className="proof-facts">
        {checkpoint !== null && (
          <Fact title="Entry">
            <span data-position={parts.proof.position}>{(parts.proof.position + 1).toLocaleString('en')}</span> of{' '}
            {checkpoint.size.toLocaleString('en')}
          </Fact>
        )}
        {checkpoint !== null && (
          <Fact title="Log">
            <span data-size={checkpoint.size}>{checkpoint.origin}</span>
          </Fact>
        )}
        {checkpoint !== null && (
          <Fact title="Root">
            <code>{checkpoint.root.toBase64()}</code>
          </Fact>
        )}
        {key !== null && (
          <Fact title="Key">
            <code data-key={key.id}>
              {key.name}+{key.id}
            </code>
            <small>The village tells it itself: compare it with one that you kept.</small>
          </Fact>
        )}
        {checked.fault === null && <Fact title="History">{historyWords(parts, checked)}</Fact>}
        {isSealedByHash(parts.shown, Uint8Array.fromBase64(parts.proof.leaf)) && (
          <Fact title="Details">Too long to be sealed in words: their hash is, and they are not compared here.</Fact>
        )}
      </dl>
      <details className="proof-note">
        <summary>The signed checkpoint</summary>
        <pre>{parts.proof.checkpoint}</pre>
      </details>
    </>
  );
}

function historyWords({ kept }: ProofParts, { continues }: Checked): string {
  if (kept === null) return 'This browser keeps this checkpoint, and holds the log to it from now on.';
  const size = kept.checkpoint.size.toLocaleString('en');
  return continues
    ? `The log goes on from the ${size} entries that this browser has seen before.`
    : `The log grew while it was asked; it goes on from the ${size} entries that this browser has seen before.`;
}

function Fact({ title, children }: { readonly title: string; readonly children: ReactNode }): ReactElement {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** What is known of a record so far. `unable` is of this browser, and says nothing of the record. */
type Proving =
  | { readonly kind: 'asking' }
  | { readonly kind: 'unsealed' }
  | { readonly kind: 'unable'; readonly why: string }
  | { readonly kind: 'refused'; readonly refused: Refused }
  | { readonly kind: 'checked'; readonly parts: ProofParts; readonly checked: Checked };

/** What is new is sealed within a second or two. */
const SEALED_SOON_MS = 1000;
const SOON_TIMES = 15;

/** Reads the proof of a record, checks it here, and keeps the checkpoint that it led to. `anew` forgets what was kept, and checks again. */
function useProof(shown: Shown): { readonly proving: Proving; anew(): void } {
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
