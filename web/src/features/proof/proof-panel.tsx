import { type ReactNode, useEffect, useRef, useState } from 'react';
import './proof.css';
import type { Refused } from '../../client/api.ts';
import { LinkButton, Notice, RefusedNotice } from '../../ui/controls.tsx';
import { useVillage } from '../village-context.ts';
import type { Checked, ProofParts } from './check-proof.ts';
import { checkProof, forgetCheckpoint, keepCheckpoint, readKept, readProof } from './check-proof.ts';
import { browserCrypto } from './proof-crypto.ts';
import { isSealedByHash, recordIdOf, type Shown } from './sealed-differences.ts';

export function ProofPanel({ shown }: { readonly shown: Shown }) {
  const { proving, restart } = useProof(shown);
  switch (proving.kind) {
    case 'asking':
      return (
        <p className="proof hint" role="status">
          Checking…
        </p>
      );
    case 'unsealed':
      return (
        <Notice tone="waiting" className="proof" data-verdict="unsealed">
          <b>Not sealed yet.</b> The village seals a new record within seconds. This page checks again automatically.
        </Notice>
      );
    case 'unable':
      return (
        <Notice tone="waiting" icon="info" className="proof" data-verdict="unable">
          <b>Not checked.</b> {proving.why}
        </Notice>
      );
    case 'refused':
      return proving.refused.code === 'log_differs' ? (
        <Refuted fault="The village cannot prove it: its stored record differs from the sealed one." />
      ) : (
        <div className="proof">
          <RefusedNotice refused={proving.refused} />
        </div>
      );
    case 'checked':
      return <Verdict parts={proving.parts} checked={proving.checked} onRestart={restart} />;
  }
}

type VerdictProps = Readonly<{ parts: ProofParts; checked: Checked; onRestart: () => void }>;

function Verdict({ parts, checked, onRestart }: VerdictProps) {
  if (checked.fault !== null)
    return (
      <Refuted fault={checked.fault}>
        <Facts parts={parts} checked={checked} />
        {checked.differentLog && <ForgetLog onForget={onRestart} />}
      </Refuted>
    );
  return (
    <section className="proof" aria-label="Proof" data-verdict="proven">
      <Notice tone="good" icon="shield">
        <b>Verified.</b> This browser checked it: the sealed log has this record as the page shows it.
      </Notice>
      <Facts parts={parts} checked={checked} />
    </section>
  );
}

function Refuted({ fault, children }: { readonly fault: string; readonly children?: ReactNode }) {
  return (
    <section className="proof" aria-label="Proof" data-verdict="refuted">
      <Notice tone="bad">
        <b>This does not verify.</b> {fault} Do not rely on this record. Report it to the operator of the village:{' '}
        <code>hamlet-verify</code> finds the wrong record.
      </Notice>
      {children}
    </section>
  );
}

/** Forgets the kept checkpoint, for a village that was installed again at this address and so has a new log. */
function ForgetLog({ onForget }: { readonly onForget: () => void }) {
  return (
    <p className="hint">
      Was this village installed again, with a new log?{' '}
      <LinkButton word="Forget the checkpoint of the old log" onClick={onForget} data-action="forget-log" />
    </p>
  );
}

/** The content of the proof. If the check failed, these are only claims of the village. */
function Facts({ parts, checked }: { readonly parts: ProofParts; readonly checked: Checked }) {
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
            <small>The village itself names this key. Compare it with a copy that you kept.</small>
          </Fact>
        )}
        {checked.fault === null && <Fact title="History">{historyLabel(parts, checked)}</Fact>}
        {isSealedByHash(parts.shown, Uint8Array.fromBase64(parts.proof.leaf)) && (
          <Fact title="Details">
            Too long to be sealed as text: the log has their hash, and this page does not compare them.
          </Fact>
        )}
      </dl>
      <details className="proof-note">
        <summary>The signed checkpoint</summary>
        <pre>{parts.proof.checkpoint}</pre>
      </details>
    </>
  );
}

function historyLabel({ kept }: ProofParts, { continues }: Checked): string {
  if (kept === null) return 'This browser keeps this checkpoint. From now on it checks that the log continues it.';
  const size = kept.checkpoint.size.toLocaleString('en');
  return continues
    ? `The log continues the ${size} entries that this browser has seen before.`
    : `The log grew during the check. It continues the ${size} entries that this browser has seen before.`;
}

function Fact({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <div>
      <dt>{title}</dt>
      <dd>{children}</dd>
    </div>
  );
}

/** The state of a check. `unable` means that this browser cannot check; it says nothing about the record. */
type Proving =
  | { readonly kind: 'asking' }
  | { readonly kind: 'unsealed' }
  | { readonly kind: 'unable'; readonly why: string }
  | { readonly kind: 'refused'; readonly refused: Refused }
  | { readonly kind: 'checked'; readonly parts: ProofParts; readonly checked: Checked };

/** The wait before the next request for the proof of a new record: the village seals it within a second or two. */
const SEALED_SOON_MS = 1000;
const SOON_TIMES = 15;

/** Reads the proof of a record, checks it and keeps its checkpoint. `restart` forgets the kept checkpoint and checks again. */
function useProof(shown: Shown): { readonly proving: Proving; restart(): void } {
  const { api } = useVillage();
  const [proving, setProving] = useState<Proving>({ kind: 'asking' });
  const [asked, setAsked] = useState(0);
  // A list that was read again has the same record as another object.
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
    restart: () => {
      forgetCheckpoint(window.localStorage);
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
  if (checked.fault === null) keepCheckpoint(window.localStorage, reply.data.keyText, reply.data.proof.checkpoint);
  return { kind: 'checked', parts: reply.data, checked };
}
