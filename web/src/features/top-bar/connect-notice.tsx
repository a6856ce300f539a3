import { roleMay } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { showsMap } from '../../client/url-state.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { Notice } from '../../ui/notices/notice.tsx';
import { dismissConnect, isConnectDismissed } from '../../ui/preferences.ts';
import { useScriptedOnly } from '../scripted/village-mark.tsx';
import { useRole, useVillage, useVillageState } from '../village-context.ts';

/** Offers an admin to connect a language model while the village has none, until they dismiss it on this device. */
export function ConnectNotice(): ReactElement | null {
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

function Offer({ onDismiss }: { readonly onDismiss: () => void }): ReactElement | null {
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
      <b>Your agents speak sentences from a list.</b> Connect a language model, and they think, answer and work with it.
    </Notice>
  );
}
