import { lazy, useEffect, useRef, useState } from 'react';
import { Button, IconButton, LazyBoundary, Notice } from '../../ui/controls.tsx';
import { FreezeBanner } from '../freeze/freeze-banner.tsx';
import { OUTCOME_LABELS } from '../payments/pay-labels.ts';
import { UnreachableNotice } from '../reach/unreachable.tsx';
import { useRole, useVillage, useVillageState } from '../village-context.ts';
import { roleMay } from '@hamlet/contract';
import { showsMap } from '../../client/url-state.ts';
import { dismissConnect, isConnectDismissed } from '../../ui/preferences.ts';
import { useScriptedOnly } from '../scripted/village-mark.tsx';

const SlowNodeNotice = lazy(async () => ({
  default: (await import('../nodes/slow-node-notice.tsx')).SlowNodeNotice,
}));

export function Notices() {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (box.current === null) return undefined;
    // Panels and pages begin below the notices, however many lines the notices have.
    const watch = new ResizeObserver(([entry]) =>
      document.documentElement.style.setProperty('--notices', `${entry?.contentRect.height ?? 0}px`),
    );
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return (
    <div className="notices" ref={box}>
      <FreezeBanner />
      <UnreachableNotice />
      <OutdatedNotice />
      <EndedNotice />
      <PaymentNotice />
      <ConnectNotice />
      <SlowNode />
    </div>
  );
}

function OutdatedNotice() {
  const world = useVillageState((state) => state.connection);
  if (world !== 'outdated') return null;
  return (
    <Notice
      tone="waiting"
      icon="alert"
      role="alert"
      data-notice="outdated"
      end={<Button word="Load the page again" onClick={() => window.location.reload()} />}
    >
      <b>This page is older than the village.</b> The map no longer moves. Load the page again.
    </Notice>
  );
}

function EndedNotice() {
  const { session, openSignIn } = useVillage();
  const ended = useVillageState((state) => state.session.kind === 'visitor' && state.session.ended);
  if (!ended) return null;
  return (
    <Notice
      tone="waiting"
      icon="key"
      role="alert"
      data-notice="session-ended"
      end={
        <>
          <Button word="Sign in" onClick={openSignIn} />
          <IconButton icon="close" iconPx={14} label="Dismiss" onClick={() => session.dismissEnded()} />
        </>
      }
    >
      <b>Your session has ended.</b> Sign in again to continue.
    </Notice>
  );
}

function PaymentNotice() {
  const { store } = useVillage();
  const outcome = useVillageState((state) => state.payment);
  if (outcome === null) return null;
  const { text, tone } = OUTCOME_LABELS[outcome];
  const dismiss = (): void => store.set((state) => ({ ...state, payment: null }));
  return (
    <Notice
      tone={tone}
      icon={tone === 'good' ? 'check' : 'alert'}
      role="status"
      data-notice="payment"
      data-outcome={outcome}
      end={<IconButton icon="close" iconPx={14} label="Dismiss" onClick={dismiss} />}
    >
      {text}
    </Notice>
  );
}

/** For those who can relieve a machine, on the first page. */
function SlowNode() {
  const isOnMap = useVillageState((state) => showsMap(state.place.view));
  const mayRelieve = roleMay(useRole(), 'agent:lifecycle');
  if (!isOnMap || !mayRelieve) return null;
  return (
    <LazyBoundary fallback={null} failed={null}>
      <SlowNodeNotice />
    </LazyBoundary>
  );
}

function ConnectNotice() {
  const isOnMap = useVillageState((state) => showsMap(state.place.view));
  const [dismissed, setDismissed] = useState(isConnectDismissed);
  return roleMay(useRole(), 'models:manage') && isOnMap && !dismissed ? (
    <Offer
      onDismiss={() => {
        dismissConnect();
        setDismissed(true);
      }}
    />
  ) : null;
}

function Offer({ onDismiss }: { readonly onDismiss: () => void }) {
  const { open } = useVillage();
  if (useScriptedOnly() !== true) return null;
  return (
    <Notice
      tone="info"
      icon="chip"
      role="status"
      data-notice="connect"
      end={
        <>
          <Button word="Connect a model" onClick={() => open({ view: 'models' })} data-action="open-models" />
          <IconButton icon="close" iconPx={14} label="Dismiss" onClick={onDismiss} />
        </>
      }
    >
      <b>Your agents speak sentences from a list.</b>{' '}
      <span className="notice-more">Connect a language model, and they think, answer and work with it.</span>
    </Notice>
  );
}
