import { finishSubscription, startSubscription } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { fieldsOf } from '../../../client/drafts.ts';
import { useIntent } from '../../../client/query/use-intent.ts';
import { FormDialog } from '../../../ui/dialog.tsx';
import { useVillage } from '../../village-context.ts';
import { BeginStep } from './begin-step.tsx';
import { FinishStep } from './finish-step.tsx';
import { type Begun, emptySubscription, readFinish, readStart, type SubscriptionDraft } from './subscription-draft.ts';

interface SubscriptionProps {
  /** The notice of the API, which the admin accepts. */
  readonly notice: string;
  /** Names of models that the tiers of the village have. */
  readonly names: readonly string[];
  /** The subscription to sign in to again; null for another one. */
  readonly again: SubscriptionDraft | null;
  /** Receives the name of the connected subscription; null if the form stored none. */
  readonly onClose: (stored: string | null) => void;
}

/** Connects a subscription in two steps: the admin signs in at the provider, then gives the address of the last page. */
export function SubscriptionForm({ notice, names, again, onClose }: SubscriptionProps): ReactElement {
  const { api } = useVillage();
  const [start] = useState(() => again ?? emptySubscription(names));
  const [draft, setDraft] = useState(start);
  const [begun, setBegun] = useState<Begun | null>(null);
  const beginning = useIntent();
  const finishing = useIntent();
  const write = (change: Partial<SubscriptionDraft>): void => {
    setDraft((now) => ({ ...now, ...change }));
    beginning.changed();
    finishing.changed();
  };
  const begin = async (): Promise<void> => {
    const read = readStart(draft);
    if (!read.ok) return;
    const reply = await beginning.send(() => api.call(startSubscription, { body: read.body }));
    if (reply?.ok === true) setBegun(reply.data);
  };
  const finish = async (redirectUri: string): Promise<void> => {
    const read = readFinish(draft, redirectUri);
    if (!read.ok) return;
    const reply = await finishing.send(() => api.call(finishSubscription, { body: read.body }));
    if (reply?.ok === true) onClose(reply.data.credential.name);
  };
  const fields = { draft, of: fieldsOf(draft, write) };
  return (
    <FormDialog
      title={again === null ? 'Sign in to a subscription' : `Sign in again: ${again.name}`}
      draft={JSON.stringify(draft)}
      start={JSON.stringify(start)}
      onClose={() => onClose(null)}
    >
      {begun === null ? (
        <BeginStep {...fields} notice={notice} isNew={again === null} intent={beginning} onBegin={() => void begin()} />
      ) : (
        <FinishStep
          {...fields}
          begun={begun}
          intent={finishing}
          onFinish={() => void finish(begun.redirect_uri)}
          onRestart={() => {
            write({ callback: '' });
            setBegun(null);
          }}
        />
      )}
    </FormDialog>
  );
}
