import { type ModelCredential, putModelCredential } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { fieldsOf } from '../../../client/drafts.ts';
import { type Intent, useIntent } from '../../../client/query/use-intent.ts';
import { Button } from '../../../ui/button.tsx';
import { FormDialog } from '../../../ui/dialog.tsx';
import { RefusedNotice } from '../../../ui/notices/refused-notice.tsx';
import { useVillage } from '../../village-context.ts';
import {
  type ConnectBody,
  type ConnectDraft,
  connectionOf,
  emptyConnect,
  nameOf,
  readConnect,
  withTested,
} from './connect-draft.ts';
import { ConnectFields } from './connect-fields.tsx';
import { TestResult } from '../test-result.tsx';
import { useTest } from '../use-test.ts';

interface ConnectProps {
  /** Names of models that the tiers of the village have. */
  readonly names: readonly string[];
  /** The provider to change; null connects another one. */
  readonly changed: ConnectDraft | null;
  /** Receives the connected provider; null if the form stored none. */
  readonly onClose: (connected: ModelCredential | null) => void;
}

/** Connects a provider of models, or changes one. The key is sent once and never kept in the page. */
export function ConnectForm({ names, changed, onClose }: ConnectProps): ReactElement {
  const [start] = useState(() => changed ?? emptyConnect(names));
  const [draft, setDraft] = useState(start);
  const [key, setKey] = useState('');
  const [tried, setTried] = useState(false);
  const intent = useIntent();
  const test = useTest();
  const edited = (): void => {
    intent.changed();
    test.forget();
  };
  const write = (change: Partial<ConnectDraft>): void => {
    setDraft((now) => ({ ...now, ...change }));
    edited();
  };
  const read = readConnect(draft, key);
  const problems = tried && !read.ok ? read.problems : {};
  const connect = useConnect(intent, onClose);
  return (
    <FormDialog
      title={changed === null ? 'Connect a model' : `Change ${changed.name}`}
      draft={`${JSON.stringify(draft)} ${key}`}
      start={`${JSON.stringify(start)} `}
      onClose={() => onClose(null)}
    >
      <form
        className="form connect-form"
        noValidate
        autoComplete="off"
        onSubmit={(event) => {
          event.preventDefault();
          setTried(true);
          if (read.ok) void connect(withTested(read.body, test.answer));
        }}
      >
        <ConnectFields
          draft={draft}
          of={fieldsOf(draft, write)}
          problems={problems}
          isNew={changed === null}
          secret={{
            value: key,
            onChange: (text) => {
              setKey(text);
              edited();
            },
          }}
        />
        {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
        {test.intent.refused !== null && <RefusedNotice refused={test.intent.refused} />}
        {test.answer !== null && <TestResult answer={test.answer} />}
        <div className="button-row">
          <Button
            look="strong"
            word={
              intent.busy ? 'One moment…' : changed === null ? `Connect ${nameOf(draft)}` : `Change ${changed.name}`
            }
            type="submit"
            aria-disabled={intent.busy}
          />
          <Button
            className="button-tall"
            word={test.intent.busy ? 'Asking…' : 'Test first'}
            title="Asks the first model for a few words; nothing is stored"
            aria-disabled={test.intent.busy}
            data-action="test-connection"
            onClick={() => {
              setTried(true);
              const connection = connectionOf(draft, key);
              if (connection !== null) void test.run({ connection });
            }}
          />
        </div>
      </form>
    </FormDialog>
  );
}

function useConnect(intent: Intent, onClose: ConnectProps['onClose']): (body: ConnectBody) => Promise<void> {
  const { api } = useVillage();
  return async (body) => {
    const reply = await intent.send(() => api.call(putModelCredential, { body }));
    if (reply?.ok === true) onClose(reply.data.credential);
  };
}
