import { type PolicyProposal, type PolicyTrial, tryPolicy } from '@hamlet/contract';
import { type FormEvent, type ReactElement, useState } from 'react';
import { useIntent } from '../../client/query/use-intent.ts';
import { Button, LinkButton } from '../../ui/button.tsx';
import { TextField } from '../../ui/fields.tsx';
import { RefusedNotice } from '../../ui/notices/refused-notice.tsx';
import { useVillage } from '../village-context.ts';
import { draftOf, proposalOf } from './rules-labels.ts';
import { TrialReport } from './trial-report.tsx';

/** A form with the rules in force, to change them and to try the change on the calls of the last week. */
export function TrialForm({ inForce }: { readonly inForce: PolicyProposal }): ReactElement {
  const { api } = useVillage();
  const intent = useIntent();
  const [text, setText] = useState(() => draftOf(inForce));
  const [problem, setProblem] = useState<string | undefined>();
  const [trial, setTrial] = useState<PolicyTrial | null>(null);
  const edit = (next: string): void => {
    setText(next);
    setProblem(undefined);
    intent.changed();
  };
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const draft = proposalOf(text, inForce);
    if (!draft.ok) return setProblem(draft.problem);
    setTrial(null);
    const reply = await intent.send(() => api.call(tryPolicy, { body: draft.proposal }), text);
    if (reply?.ok === true) setTrial(reply.data);
  };
  return (
    <section className="card rules-card" aria-label="Try other rules">
      <h2>Try other rules</h2>
      <p className="hint">
        Change the rules here, and see which calls of the last seven days they would have allowed, asked about or denied
        instead. A trial changes nothing.
      </p>
      <form className="form trial-form" onSubmit={(event) => void send(event)}>
        <TextField
          label={inForce.of === 'village' ? 'Rules as JSON' : 'spec.tools as JSON'}
          name="rules"
          className="trial-text"
          rows={14}
          spellCheck={false}
          value={text}
          onChange={edit}
          problem={problem}
        />
        <div className="trial-send">
          <Button
            type="submit"
            look="strong"
            icon="history"
            word={intent.busy ? 'Judging the calls…' : 'Try it on the last week'}
            aria-disabled={intent.busy}
            data-action="try-rules"
          />
          {text !== draftOf(inForce) && (
            <LinkButton word="Back to the rules in force" onClick={() => edit(draftOf(inForce))} />
          )}
        </div>
      </form>
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
      {trial !== null && <TrialReport trial={trial} />}
    </section>
  );
}
