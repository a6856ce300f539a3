import { type ReactElement, useEffect, useRef } from 'react';
import { Button, IconButton } from '../../ui/button.tsx';
import { Icon } from '../../ui/icon.tsx';
import { FreezeBanner } from '../freeze/freeze-banner.tsx';
import { PaymentNotice } from '../payments/payment-notice.tsx';
import { useVillage, useVillageState } from '../village-context.ts';

/**
 * The notices that every viewer sees on every page: a freeze of the village, a page that is older than the village, an
 * ended session, the outcome of a payment at PayPal.
 */
export function Notices(): ReactElement {
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
      <OutdatedNotice />
      <EndedNotice />
      <PaymentNotice />
    </div>
  );
}

function OutdatedNotice(): ReactElement | null {
  const world = useVillageState((state) => state.connection);
  if (world !== 'outdated') return null;
  return (
    <p className="notice notice-waiting" role="alert" data-notice="outdated">
      <Icon name="alert" size={16} />
      <span>
        <b>This page is older than the village.</b> The map no longer moves. Load the page again.
      </span>
      <Button word="Load the page again" onClick={() => window.location.reload()} />
    </p>
  );
}

function EndedNotice(): ReactElement | null {
  const { session, openSignIn } = useVillage();
  const ended = useVillageState((state) => state.session.kind === 'visitor' && state.session.ended);
  if (!ended) return null;
  return (
    <p className="notice notice-waiting" role="alert" data-notice="session-ended">
      <Icon name="key" size={16} />
      <span>
        <b>Your session has ended.</b> Sign in again to continue.
      </span>
      <Button word="Sign in" onClick={openSignIn} />
      <IconButton icon="close" iconPx={14} label="Dismiss" onClick={() => session.dismissEnded()} />
    </p>
  );
}
