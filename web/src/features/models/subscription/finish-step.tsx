import { type ReactElement, useState } from 'react';
import type { FormDraft } from '../../../client/drafts.ts';
import type { Intent } from '../../../client/query/use-intent.ts';
import { Button } from '../../../ui/button.tsx';
import { TextField } from '../../../ui/fields.tsx';
import { RefusedNotice } from '../../../ui/notices/refused-notice.tsx';
import { Time, useNow } from '../../../ui/time.tsx';
import { lengthLabel } from '../../../ui/time-labels.ts';
import { type Begun, readFinish, type SubscriptionDraft } from './subscription-draft.ts';

interface FinishProps extends Pick<FormDraft<SubscriptionDraft>, 'draft' | 'of'> {
  readonly begun: Begun;
  readonly intent: Intent;
  readonly onFinish: () => void;
  /** Returns to the first step, because a sign-in works once and for some minutes. */
  readonly onRestart: () => void;
}

/** The second step: the page of the provider in another tab, and the address that it ends at. */
export function FinishStep({ draft, of, begun, intent, onFinish, onRestart }: FinishProps): ReactElement {
  const { authorize_url: authorizeUrl, redirect_uri: redirectUri, expires_at: expiresAt } = begun;
  const [tried, setTried] = useState(false);
  const read = readFinish(draft, redirectUri);
  const now = useNow(1000);
  const leftMs = Date.parse(expiresAt) - now;
  return (
    <form
      className="form subscription-form"
      data-step="finish"
      noValidate
      autoComplete="off"
      onSubmit={(event) => {
        event.preventDefault();
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
        <Button
          look="strong"
          word={intent.busy ? 'One moment…' : 'Finish the sign-in'}
          type="submit"
          aria-disabled={intent.busy}
        />
        <Button className="button-tall" word="Begin again" onClick={onRestart} data-action="restart" />
      </div>
    </form>
  );
}
