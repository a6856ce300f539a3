import {
  CONNECTABLE_KINDS,
  listOfferedModels,
  type ModelCredential,
  type OfferedModels,
  putModelCredential,
} from '@hamlet/contract';
import { useState } from 'react';
import { type Field, fieldsOf, type FormDraft, useDialogDraft } from '../../../client/drafts.ts';
import { type Intent, useIntent } from '../../../client/query/use-live.ts';
import { Button, FormDialog, LinkButton, Notice, RefusedNotice } from '../../../ui/controls.tsx';
import type { ConnectBody, ConnectDraft, ConnectProblems } from './connect-draft.ts';
import {
  connectionOf,
  emptyConnect,
  listingOf,
  loopbackAdvice,
  nameOf,
  offeredLabel,
  readConnect,
  withOnlyModel,
  withTested,
} from './connect-draft.ts';
import { TestResult, useTest } from '../test-result.tsx';
import { Form, SelectField, SubmitButton, TextField } from '../../../ui/fields.tsx';
import { PROVIDER_KINDS } from '../model-labels.ts';
import { ModelRows, NameFields, OpenedThoughts, OwnerField } from './name-fields.tsx';

interface ConnectProps {
  readonly names: readonly string[];
  /** The provider to change; null connects another one. */
  readonly changed: ConnectDraft | null;
  /** Receives the connected provider; null if the form stored none. */
  readonly onClose: (connected: ModelCredential | null) => void;
}

export function ConnectForm({ names, changed, onClose }: ConnectProps) {
  const [key, setKey] = useState('');
  const [tried, setTried] = useState(false);
  const [asked, setAsked] = useState(false);
  const intent = useIntent();
  const test = useTest();
  const edited = (): void => {
    intent.changed();
    test.forget();
    setAsked(false);
  };
  const { draft, write, unsaved } = useDialogDraft(() => changed ?? emptyConnect(names), edited);
  const read = readConnect(draft, key);
  const problems = tried && !read.ok ? read.problems : {};
  const connect = useConnect(intent, onClose);
  return (
    <FormDialog
      title={changed === null ? 'Connect a model' : `Change ${changed.name}`}
      draft={`${unsaved.draft} ${key}`}
      start={`${unsaved.start} `}
      onClose={() => onClose(null)}
    >
      <Form
        className="connect-form"
        noValidate
        autoComplete="off"
        onSend={() => {
          setTried(true);
          if (!read.ok) return;
          if (test.answer?.ok === false) setAsked(true);
          else void connect(withTested(read.body, test.answer));
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
        <Refusal refused={intent.refused} />
        <TestOutcome test={test} advice={loopbackAdvice(draft, test.answer)} />
        {(asked || intent.refused?.code === 'provider_test_failed') && read.ok && (
          <FailedTestQuestion
            busy={intent.busy}
            onConnect={() => void connect({ ...withTested(read.body, test.answer), accept_failed_test: true })}
            onBack={() => setAsked(false)}
          />
        )}
        <div className="button-row">
          <SubmitButton
            word={changed === null ? `Connect ${nameOf(draft)}` : `Change ${changed.name}`}
            busy={intent.busy}
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
      </Form>
    </FormDialog>
  );
}

/** Why the API did not connect the provider, unless the form asks about it: the API remembers a failed test too. */
function Refusal({ refused }: { readonly refused: Intent['refused'] }) {
  return refused === null || refused.code === 'provider_test_failed' ? null : <RefusedNotice refused={refused} />;
}

type OutcomeProps = Readonly<{ test: ReturnType<typeof useTest>; advice: string | null }>;

function TestOutcome({ test, advice }: OutcomeProps) {
  return (
    <>
      {test.intent.refused !== null && <RefusedNotice refused={test.intent.refused} />}
      {test.answer !== null && <TestResult answer={test.answer} />}
      {advice !== null && (
        <p className="hint" data-advice="loopback">
          {advice}
        </p>
      )}
    </>
  );
}

type QuestionProps = Readonly<{ busy: boolean; onConnect: () => void; onBack: () => void }>;

/** A provider that failed its test stops the agents that use it, so a person says twice that they want it. */
function FailedTestQuestion({ busy, onConnect, onBack }: QuestionProps) {
  return (
    <Notice tone="waiting" icon="alert" role="alert" data-question="failed-test">
      <b>The test failed. Connect it anyway?</b> Agents that use its models cannot think until it answers.
      <span className="button-row">
        <Button word="Connect anyway" aria-disabled={busy} onClick={onConnect} data-action="connect-anyway" />
        <Button word="Back" onClick={onBack} autoFocus />
      </span>
    </Notice>
  );
}

function useConnect(intent: Intent, onClose: ConnectProps['onClose']): (body: ConnectBody) => Promise<void> {
  return async (body) => {
    const data = await intent.call(putModelCredential, { body });
    if (data !== null) onClose(data.credential);
  };
}

type OfferedProps = Field<ConnectDraft['models']> &
  Readonly<{ draft: ConnectDraft; secret: string; problem: string | undefined }>;

/** The names of models, with those that the server lists as suggestions. */
function OfferedRows({ draft, secret, problem, value, onChange }: OfferedProps) {
  const listing = useIntent();
  const [offered, setOffered] = useState<OfferedModels | null>(null);
  const body = listingOf(draft, secret);
  const list = async (): Promise<void> => {
    if (body === null) return;
    const found = await listing.call(listOfferedModels, { body }, JSON.stringify(body));
    setOffered(found);
    onChange(withOnlyModel(value, found?.models ?? []));
  };
  return (
    <>
      <ModelRows
        example={PROVIDER_KINDS[draft.kind].model}
        problem={problem}
        offered={offered?.models ?? []}
        value={value}
        onChange={onChange}
      />
      <p className="hint" role="status">
        <LinkButton
          word={listing.busy ? 'Asking the server…' : 'Find the models of this server'}
          aria-disabled={body === null || listing.busy}
          onClick={() => void list()}
          data-action="find-models"
        />{' '}
        {offered !== null && <span data-offered={offered.models.length}>{offeredLabel(offered)}</span>}
      </p>
      {listing.refused !== null && <RefusedNotice refused={listing.refused} />}
    </>
  );
}

interface FieldsProps extends Pick<FormDraft<ConnectDraft>, 'draft' | 'of'> {
  readonly problems: ConnectProblems;
  readonly isNew: boolean;
  readonly secret: Field<string>;
}

function ConnectFields({ draft, of, problems, isNew, secret }: FieldsProps) {
  const kind = PROVIDER_KINDS[draft.kind];
  return (
    <>
      <SelectField
        label="Provider"
        name="kind"
        options={CONNECTABLE_KINDS.map((each) => [each, `${PROVIDER_KINDS[each].word}: ${PROVIDER_KINDS[each].hint}`])}
        {...of('kind')}
      />
      {kind.address !== null && (
        <TextField
          label="Address, with /v1 if the server has it"
          name="address"
          className="mono"
          spellCheck={false}
          placeholder={kind.address}
          problem={problems.address}
          {...of('address')}
        />
      )}
      <TextField
        label={kind.key === 'needed' ? 'Key' : 'Key, if the server needs one'}
        name="key"
        type="password"
        className="mono"
        autoComplete="new-password"
        placeholder={isNew ? '' : 'The stored key is not shown'}
        problem={problems.key}
        {...secret}
      />
      <p className="hint">The village seals the key and never shows it again. Models of the village use it at once.</p>
      <OfferedRows draft={draft} secret={secret.value} problem={problems.models} {...of('models')} />
      <details className="connect-more">
        <summary>Name, limits, thoughts and owner</summary>
        <div className="form-grid">
          <NameFields
            isNew={isNew}
            defaultName={draft.kind}
            problems={problems}
            name={of('name')}
            context={of('context')}
          />
          <TextField
            label="Requests at one time"
            name="in-flight"
            inputMode="numeric"
            placeholder="no limit"
            problem={problems.inFlight}
            {...of('inFlight')}
          />
          <OwnerField isNew={isNew} {...of('agent')} />
        </div>
        <OpenedThoughts {...of('models')} />
      </details>
    </>
  );
}
