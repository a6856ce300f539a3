import { roleMay } from '@hamlet/contract';
import { lazy } from 'react';
import { LazyBoundary, LinkButton } from '../../ui/controls.tsx';
import { useRole } from '../village-context.ts';
import type { Shown } from './sealed-differences.ts';

const ProofPanel = lazy(async () => ({ default: (await import('./proof-panel.tsx')).ProofPanel }));

export function VerifyButton({ open, onOpen }: Readonly<{ open: boolean; onOpen: (open: boolean) => void }>) {
  if (!roleMay(useRole(), 'log:prove')) return null;
  return (
    <LinkButton
      word={open ? 'Close the proof' : 'Verify'}
      aria-expanded={open}
      onClick={() => onOpen(!open)}
      data-action="verify"
      title="Check in this browser that the sealed log has this record"
    />
  );
}

export function Proof({ shown }: { readonly shown: Shown }) {
  return (
    <LazyBoundary
      fallback={
        <p className="hint" role="status">
          Checking…
        </p>
      }
    >
      <ProofPanel shown={shown} />
    </LazyBoundary>
  );
}
