import { finishSubscription, type ModelCredential, startSubscription } from '@hamlet/contract';
import { useState } from 'react';
import { fieldsOf, type FormDraft, useDialogDraft } from '../../../client/drafts.ts';
import { type Intent, useIntent } from '../../../client/query/use-live.ts';
import { Button, FormDialog, Notice, RefusedNotice, Time, useNow } from '../../../ui/controls.tsx';
import type { Begun, SubscriptionDraft } from './subscription-draft.ts';
import { DEFAULT_NAME, emptySubscription, readFinish, readStart } from './subscription-draft.ts';
import { CheckField, FieldProblem, Form, SubmitButton, TextField } from '../../../ui/fields.tsx';
import { ModelRows, NameFields, OwnerField } from '../connect/name-fields.tsx';
import { lengthLabel } from '../../../ui/time-labels.ts';

interface SubscriptionProps {
  readonly notice: string;
  readonly names: readonly string[];
  /** The subscription to sign in to again; null for another one. */
  readonly again: SubscriptionDraft | null;
  /** Receives the connected subscription; null if the form stored none. */
  readonly onClose: (stored: ModelCredential | null) => void;
}

/** Connects a subscription in two steps: the admin signs in at the provider, then gives the address of the last page. */
export function SubscriptionForm({ notice, names, again, onClose }: SubscriptionProps) {
  const [begun, setBegun] = useState<Begun | null>(null);
  const beginning = useIntent();
  const finishing = useIntent();
  const { draft, write, unsaved } = useDialogDraft(
    () => again ?? emptySubscription(names),
    () => {
      beginning.changed();
      finishing.changed();
    },
  );
  const begin = async (): Promise<void> => {
    const read = readStart(draft);
    if (!read.ok) return;
    const data = await beginning.call(startSubscription, { body: read.body });
    if (data !== null) setBegun(data);
  };
  const finish = async (redirectUri: string): Promise<void> => {
    const read = readFinish(draft, redirectUri);
    if (!read.ok) return;
    const data = await finishing.call(finishSubscription, { body: read.body });
    if (data !== null) onClose(data.credential);
  };
  const fields = { draft, of: fieldsOf(draft, write) };
  return (
    <FormDialog
      title={again === null ? 'Sign in to a subscription' : `Sign in again: ${again.name}`}
      {...unsaved}
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

const EXAMPLE_MODEL = 'gpt-5';

interface BeginProps extends Pick<FormDraft<SubscriptionDraft>, 'draft' | 'of'> {
  readonly notice: string;
  readonly isNew: boolean;
  readonly intent: Intent;
  readonly onBegin: () => void;
}

function BeginStep({ draft, of, notice, isNew, intent, onBegin }: BeginProps) {
  const [tried, setTried] = useState(false);
  const read = readStart(draft);
  const problems = tried && !read.ok ? read.problems : {};
  return (
    <Form
      className="subscription-form"
      data-step="begin"
      noValidate
      onSend={() => {
        setTried(true);
        onBegin();
      }}
    >
      <Notice tone="waiting" icon="alert">
        {notice}
      </Notice>
      <CheckField label="I have read this notice, and accept it" name="accepted" {...of('accepted')} />
      <FieldProblem text={problems.accepted} />
      <ModelRows example={EXAMPLE_MODEL} problem={problems.models} {...of('models')} />
      <div className="form-grid">
        <NameFields
          isNew={isNew}
          defaultName={DEFAULT_NAME}
          problems={problems}
          name={of('name')}
          context={of('context')}
        />
        <OwnerField isNew={isNew} {...of('agent')} />
      </div>
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
      <SubmitButton word="Begin the sign-in" busy={intent.busy} />
    </Form>
  );
}

interface FinishProps extends Pick<FormDraft<SubscriptionDraft>, 'draft' | 'of'> {
  readonly begun: Begun;
  readonly intent: Intent;
  readonly onFinish: () => void;
  /** Returns to the first step, because a sign-in works once and for some minutes. */
  readonly onRestart: () => void;
}

function FinishStep({ draft, of, begun, intent, onFinish, onRestart }: FinishProps) {
  const { authorize_url: authorizeUrl, redirect_uri: redirectUri, expires_at: expiresAt } = begun;
  const [tried, setTried] = useState(false);
  const read = readFinish(draft, redirectUri);
  const now = useNow(1000);
  const leftMs = Date.parse(expiresAt) - now;
  return (
    <Form
      className="subscription-form"
      data-step="finish"
      noValidate
      autoComplete="off"
      onSend={() => {
        setTried(true);
        onFinish();
      }}
    >
      <ol className="sign-in-steps">
        <li>
          <a
            className="button button-strong sign-in-open"
            href={authorizeUrl}
            target="_blank"
            rel="noopener noreferrer"
            data-action="open-sign-in"
          >
            Open the sign-in in a new tab
          </a>
          <p className="hint">
            Sign in there. The browser then goes to <code>{redirectUri}</code>. It may say that it cannot reach that
            page: this is expected.
          </p>
        </li>
        <li>
          <TextField
            label="The whole address of that last page"
            name="callback"
            className="mono"
            spellCheck={false}
            placeholder={`${redirectUri}?code=…`}
            problem={tried && !read.ok ? read.problems : undefined}
            {...of('callback')}
          />
        </li>
      </ol>
      <p className="hint">
        {leftMs > 0 ? (
          <>
            This sign-in expires in <Time at={expiresAt} word={lengthLabel(Math.ceil(leftMs / 1000) * 1000)} />. The
            village seals its tokens and never shows them.
          </>
        ) : (
          'This sign-in has expired. Begin it again.'
        )}
      </p>
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
      <div className="button-row">
        <SubmitButton word="Finish the sign-in" busy={intent.busy} />
        <Button className="button-tall" word="Begin again" onClick={onRestart} data-action="restart" />
      </div>
    </Form>
  );
}
