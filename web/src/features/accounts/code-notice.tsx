import type { CodeGrant } from '@hamlet/contract';
import { type ReactElement, useState } from 'react';
import { dateTime } from '../../ui/time-words.ts';

/** A one-time code: shown once, to be given to the person. */
export function CodeNotice({ grant, who }: { readonly grant: CodeGrant; readonly who: string }): ReactElement {
  const [copied, setCopied] = useState(false);
  const copy = async (): Promise<void> => {
    await navigator.clipboard.writeText(grant.code).then(
      () => setCopied(true),
      () => undefined,
    );
  };
  return (
    <div className="notice notice-info code-notice" role="status">
      <span>
        <b>Give {who} this code.</b> It sets a password once, until{' '}
        {dateTime(Math.floor(Date.parse(grant.expires_at) / 60_000) * 60_000)}, and is shown nowhere again.
        <span className="code-line">
          <code data-code>{grant.code}</code>
          <button type="button" className="button button-small" onClick={() => void copy()}>
            {copied ? 'Copied' : 'Copy'}
          </button>
        </span>
      </span>
    </div>
  );
}
