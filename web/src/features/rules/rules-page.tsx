import type { PolicyProposal, PolicyTrial, RulesInForce, TrialExample, Verdict, VillageRules } from '@hamlet/contract';
import { getPolicy, setVillageRules, tryPolicy } from '@hamlet/contract';
import { type FormEvent, useState } from 'react';
import { useIntent, useLive } from '../../client/query/use-live.ts';
import { SelectField, TextField } from '../../ui/fields.tsx';
import { Badge, Button, LinkButton, RefusedNotice, Time, Unread, useNow } from '../../ui/controls.tsx';
import { useAgentName, useAgentNames, useTiers, useVillage } from '../village-context.ts';
import { Page } from '../navigation/page.tsx';
import {
  answersLabel,
  draftOf,
  headline,
  layerKey,
  layerOf,
  loosens,
  notesOf,
  proposalOf,
  ruleLabel,
  rulesIn,
  type ShownRule,
  sourceLabel,
  trialWords,
  unknownLabels,
  VERDICT_TONES,
  VERDICT_WORDS,
} from './rules-labels.ts';
import './rules.css';
import { timeAgo } from '../../ui/time-labels.ts';
import { toolLabel } from '../permissions/tool-labels.ts';

export function TrialReport({ trial }: { readonly trial: PolicyTrial }) {
  const { changes, by_class: byClass, by_agent: byAgent, examples, changed } = trial;
  const unknown = unknownLabels(trial);
  return (
    <div className="trial-report" role="status" data-changed={changed}>
      <h3>{headline(trial)}</h3>
      {changes.length > 0 && (
        <ul className="trial-changes" aria-label="Changes">
          {changes.map((change) => (
            <ChangeTile key={`${change.from} ${change.to}`} change={change} />
          ))}
        </ul>
      )}
      {changes.length > 0 && (
        <div className="trial-sums">
          <Sums title="By class" rows={byClass} />
          <Sums title="By agent" rows={byAgent} ofAgents />
        </div>
      )}
      {examples.length > 0 && <Examples examples={examples} changed={changed} />}
      {unknown.length > 0 && (
        <div className="trial-unknown">
          <h4>Not judged</h4>
          <ul>
            {unknown.map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        </div>
      )}
      <p className="hint">
        Only calls of runs count. Taint and the answers of people are as they were then: a run that these rules had
        stopped earlier would have made other calls.
      </p>
    </div>
  );
}

function Change({ from, to }: Readonly<{ from: Verdict; to: Verdict }>) {
  return (
    <span className="trial-change">
      <Badge tone={VERDICT_TONES[from]}>{VERDICT_WORDS[from]}</Badge>
      <span role="img" aria-label="becomes">
        →
      </span>
      <Badge tone={VERDICT_TONES[to]}>{VERDICT_WORDS[to]}</Badge>
    </span>
  );
}

function ChangeTile({ change }: { readonly change: PolicyTrial['changes'][number] }) {
  const answers = answersLabel(change.answers);
  return (
    <li className="trial-tile" data-loosens={loosens(change)}>
      <b>{change.calls.toLocaleString('en')}</b>
      <Change from={change.from} to={change.to} />
      <small>{loosens(change) ? 'More would run.' : 'Less would run.'}</small>
      {answers !== null && <small>{answers}</small>}
    </li>
  );
}

type SumsProps = Readonly<{ title: string; rows: PolicyTrial['by_class']; ofAgents?: boolean }>;

function Sums({ title, rows, ofAgents = false }: SumsProps) {
  if (rows.length === 0) return null;
  return (
    <table className="times trial-table">
      <caption>{title}</caption>
      <tbody>
        {rows.map(({ name, from, to, calls }) => (
          <tr key={`${name} ${from} ${to}`}>
            <th scope="row">{ofAgents ? <AgentName id={name} /> : <code>{name}</code>}</th>
            <td>
              <Change from={from} to={to} />
            </td>
            <td className="trial-number">{calls.toLocaleString('en')}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function AgentName({ id }: { readonly id: string }) {
  return <>{useAgentName(id)}</>;
}

function Examples({ examples, changed }: Readonly<{ examples: readonly TrialExample[]; changed: number }>) {
  return (
    <div className="trial-examples">
      <h4>{examples.length < changed ? `The newest of them, ${examples.length} of ${changed}` : 'The calls'}</h4>
      <ul>
        {examples.map((example) => (
          <Example key={`${example.run_id} ${example.call_id}`} example={example} />
        ))}
      </ul>
    </div>
  );
}

function Example({ example }: { readonly example: TrialExample }) {
  const { open } = useVillage();
  const now = useNow(30_000);
  const { run_id: run, agent_id: agent, at, tool, words, before, after, answer } = example;
  return (
    <li className="trial-example">
      <Change from={before.verdict} to={after.verdict} />
      <span className="trial-call">
        <b>{toolLabel(tool).word}</b> {words !== null && <code>{words}</code>}
        <small>
          <AgentName id={agent} /> · <Time at={at} word={timeAgo(at, now)} />
          {answer !== null && ` · people then: ${answer}`} ·{' '}
          <LinkButton word="Open the run" onClick={() => open({ view: 'runs', run })} />
        </small>
        <small>{ruleLabel(after)}</small>
      </span>
    </li>
  );
}

const EVERY_MS = 30_000;

export function RulesPage() {
  return (
    <Page
      title="Rules"
      intro="Which calls of agents are allowed, which ask a person, and which are denied. The strictest matching rule decides; tiers and Agents can only narrow the rules of the village."
      needs="policy:try"
    >
      <Layers />
    </Page>
  );
}

function Layers() {
  const [key, setKey] = useState('village');
  const agents = useAgentNames();
  const tiers = useTiers();
  const options: readonly (readonly [string, string])[] = [
    ['village', 'The village'],
    ...(tiers.data?.entitlements ?? []).map(({ name }) => [layerKey({ tier: name }), `Tier ${name}`] as const),
    ...agents.map(({ id, name }) => [layerKey({ agent_id: id }), `Agent ${name}`] as const),
  ];
  const live = useLive(getPolicy, { query: layerOf(key) }, EVERY_MS);
  return (
    <>
      <SelectField
        className="pick rules-pick"
        label="Rules of"
        name="layer"
        value={key}
        options={options}
        onChange={setKey}
      />
      {live.data === null ? (
        <Unread refused={live.refused} />
      ) : (
        <>
          {live.refused !== null && <RefusedNotice refused={live.refused} />}
          <Layer key={key} inForce={live.data} onChanged={live.again} />
        </>
      )}
    </>
  );
}

type LayerProps = Readonly<{ inForce: RulesInForce; onChanged: () => void }>;

function Layer({ inForce, onChanged }: LayerProps) {
  return (
    <>
      <RuleList inForce={inForce} />
      <TrialForm inForce={inForce} onChanged={onChanged} />
    </>
  );
}

const EMPTY: Readonly<Record<PolicyProposal['of'], string>> = {
  village: 'The village has no rules: every call is denied.',
  tier: 'This tier has no rules of its own: the rules of the village apply.',
  agent: 'This Agent has no rules of its own: those of its tier and of the village apply.',
};

function RuleList({ inForce: { in_force: layer, village } }: Pick<LayerProps, 'inForce'>) {
  const rules = rulesIn(layer);
  return (
    <section className="card rules-card" aria-label="Rules in force">
      <h2>In force</h2>
      {rules.length === 0 ? (
        <p className="empty">{EMPTY[layer.of]}</p>
      ) : (
        <ol className="rules-list">
          {rules.map((rule, index) => (
            <Rule key={index} rule={rule} />
          ))}
        </ol>
      )}
      <p className="hint" data-rules-from={village?.source}>
        {sourceLabel(village)}
      </p>
    </section>
  );
}

function Rule({ rule }: { readonly rule: ShownRule }) {
  const { tools, verdict, reason } = rule;
  const notes = notesOf(rule);
  return (
    <li className="rule-row">
      <Badge tone={VERDICT_TONES[verdict]}>{VERDICT_WORDS[verdict]}</Badge>
      <span className="rule-tools">
        {tools.map((tool) => (
          <code key={tool}>{tool}</code>
        ))}
      </span>
      <span className="rule-words">
        {reason}
        {notes.length > 0 && <small>{notes.join(' · ')}</small>}
      </span>
    </li>
  );
}

/** The text that an admin edits, and the version of the rules that it began with: a change of another admin meanwhile refuses this one. */
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

function TrialForm({ inForce, onChanged }: LayerProps) {
  const { in_force: layer, village } = inForce;
  const intent = useIntent();
  const editing = useEditing({ inForce, onChanged });
  const { text, problem, saving } = editing;
  const [trial, setTrial] = useState<PolicyTrial | null>(null);
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
        <TextField
          label={layer.of === 'village' ? 'Rules as JSON' : 'spec.tools as JSON'}
          name="rules"
          className="trial-text"
          rows={14}
          spellCheck={false}
          value={text}
          onChange={(next) => {
            editing.edit(next);
            intent.changed();
          }}
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
