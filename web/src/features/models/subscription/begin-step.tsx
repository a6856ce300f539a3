import { type ReactElement, useState } from 'react';
import type { FormDraft } from '../../../client/drafts.ts';
import type { Intent } from '../../../client/query/use-intent.ts';
import { Button } from '../../../ui/button.tsx';
import { CheckField, FieldProblem } from '../../../ui/fields.tsx';
import { Notice } from '../../../ui/notices/notice.tsx';
import { RefusedNotice } from '../../../ui/notices/refused-notice.tsx';
import { ModelRows } from '../connect/model-rows.tsx';
import { NameFields } from '../connect/name-fields.tsx';
import { OwnerField } from '../connect/owner-field.tsx';
import { DEFAULT_NAME, readStart, type SubscriptionDraft } from './subscription-draft.ts';

const EXAMPLE_MODEL = 'gpt-5';

interface BeginProps extends Pick<FormDraft<SubscriptionDraft>, 'draft' | 'of'> {
  readonly notice: string;
  readonly isNew: boolean;
  readonly intent: Intent;
  readonly onBegin: () => void;
}

/** The first step: the notice with its checkbox, and the models of the subscription. */
export function BeginStep({ draft, of, notice, isNew, intent, onBegin }: BeginProps): ReactElement {
  const [tried, setTried] = useState(false);
  const read = readStart(draft);
  const problems = tried && !read.ok ? read.problems : {};
  return (
    <form
      className="form subscription-form"
      data-step="begin"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
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
      <Button
        look="strong"
        word={intent.busy ? 'One moment…' : 'Begin the sign-in'}
        type="submit"
        aria-disabled={intent.busy}
      />
    </form>
  );
}
