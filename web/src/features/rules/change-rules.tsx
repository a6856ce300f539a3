import {
  type PolicyProposal,
  type PolicyTrial,
  type RulesInForce,
  setVillageRules,
  tryPolicy,
  type VillageRules,
} from '@hamlet/contract';
import { type FormEvent, useState } from 'react';
import { useIntent } from '../../client/query/use-live.ts';
import { Button, LinkButton, RefusedNotice } from '../../ui/controls.tsx';
import { Segments, TextField } from '../../ui/fields.tsx';
import { RuleRows } from './rule-rows.tsx';
import { rulesOfText, withRules } from './rules-draft.ts';
import { draftOf, proposalOf, trialWords } from './rules-labels.ts';
import { TrialReport } from './trial-report.tsx';

export type LayerProps = Readonly<{ inForce: RulesInForce; onChanged: () => void }>;

const VIEWS = [
  { key: 'rows', word: 'As a list' },
  { key: 'json', word: 'As JSON' },
] as const;

/** The text that an admin edits, and the version that it began with: after another admin's change the API refuses it. */
function useEditing({ inForce: { in_force: layer, village }, onChanged }: LayerProps) {
  const saving = useIntent();
  const [base, setBase] = useState({ text: draftOf(layer), version: village?.version ?? '' });
  const [text, setText] = useState(base.text);
  const [problem, setProblem] = useState<string | undefined>();
  const edit = (next: string): void => {
    setText(next);
    setProblem(undefined);
    saving.changed();
  };
  const begin = (from: RulesInForce): void => {
    const fresh = { text: draftOf(from.in_force), version: from.village?.version ?? '' };
    setBase(fresh);
    edit(fresh.text);
  };
  const read = (): PolicyProposal | null => {
    const draft = proposalOf(text, layer);
    if (!draft.ok) setProblem(draft.problem);
    return draft.ok ? draft.proposal : null;
  };
  const save = async (rules: VillageRules | null): Promise<void> => {
    const data = await saving.call(setVillageRules, { body: { rules, version: base.version } });
    if (data === null) return;
    begin(data);
    onChanged();
  };
  return { text, edit, problem, isEdited: text !== base.text, begin, read, save, saving };
}

/** A form for the rules of a layer, as a list or as JSON. It tries them, and puts those of the village in force. */
export function ChangeRules({ inForce, onChanged }: LayerProps) {
  const { in_force: layer, village } = inForce;
  const intent = useIntent();
  const editing = useEditing({ inForce, onChanged });
  const { text, problem, saving } = editing;
  const [trial, setTrial] = useState<PolicyTrial | null>(null);
  const [view, setView] = useState<(typeof VIEWS)[number]['key']>('rows');
  const rules = rulesOfText(text, layer.of);
  const write = (next: string): void => {
    editing.edit(next);
    intent.changed();
  };
  const send = async (event: FormEvent): Promise<void> => {
    event.preventDefault();
    const proposal = editing.read();
    if (proposal === null) return;
    setTrial(null);
    const data = await intent.call(tryPolicy, { body: proposal }, text);
    if (data !== null) setTrial(data);
  };
  const { title, hint } = trialWords(village);
  return (
    <section className="card rules-card" aria-label={title}>
      <h2>{title}</h2>
      <p className="hint">{hint}</p>
      <form className="form trial-form" onSubmit={(event) => void send(event)}>
        <Segments label="Show the rules" items={VIEWS} value={rules === null ? 'json' : view} onChange={setView} />
        {rules !== null && view === 'rows' ? (
          <RuleRows rules={rules} onRules={(next) => write(withRules(text, layer.of, next))} />
        ) : (
          <TextField
            label={layer.of === 'village' ? 'Rules as JSON' : 'spec.tools as JSON'}
            name="rules"
            className="trial-text"
            rows={14}
            spellCheck={false}
            value={text}
            onChange={write}
            problem={problem}
          />
        )}
        <div className="trial-send">
          <Button
            type="submit"
            look="strong"
            icon="history"
            word={intent.busy ? 'Judging the calls…' : 'Try it on the last week'}
            aria-disabled={intent.busy}
            data-action="try-rules"
          />
          <SaveButtons editing={editing} village={village} />
          {text !== draftOf(layer) && (
            <LinkButton word="Back to the rules in force" onClick={() => editing.begin(inForce)} />
          )}
        </div>
      </form>
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
      {saving.refused !== null && <RefusedNotice refused={saving.refused} />}
      {trial !== null && <TrialReport trial={trial} />}
    </section>
  );
}

type SaveProps = Readonly<{ editing: ReturnType<typeof useEditing>; village: RulesInForce['village'] }>;

function SaveButtons({ editing, village }: SaveProps) {
  if (village === null || !village.editable) return null;
  const { isEdited, saving, read, save } = editing;
  const saveText = (): void => {
    const proposal = read();
    if (proposal?.of === 'village') void save(proposal.rules);
  };
  return (
    <>
      {isEdited && (
        <Button
          icon="check"
          word={saving.busy ? 'One moment…' : 'Put these rules in force'}
          aria-disabled={saving.busy}
          onClick={saveText}
          data-action="save-rules"
        />
      )}
      {village.source === 'village' && (
        <LinkButton word="Return to the rules of the chart" onClick={() => void save(null)} data-action="chart-rules" />
      )}
    </>
  );
}
