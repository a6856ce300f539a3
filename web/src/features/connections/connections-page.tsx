import { useState } from 'react';
import './connections.css';
import { Button } from '../../ui/controls.tsx';
import { Page } from '../navigation/page.tsx';
import { ApiKeys } from './api-keys.tsx';
import { MailNotices } from './mail-notices.tsx';
import { Messengers } from './messengers.tsx';
import { PushNotices } from './push-notices.tsx';

export function ConnectionsPage() {
  const [writing, setWriting] = useState(false);
  const tools = (
    <Button
      look="strong"
      icon="plus"
      word="New API key"
      aria-expanded={writing}
      onClick={() => setWriting(!writing)}
      data-action="new-key"
    />
  );
  return (
    <Page
      title="Connections"
      intro="Programs and messengers that act as you, within your limits and your role, and the mail and browsers through which the village notifies you."
      needs="account:self"
      tools={tools}
    >
      <ApiKeys writing={writing} onClose={() => setWriting(false)} />
      <Messengers />
      <MailNotices />
      <PushNotices />
    </Page>
  );
}
