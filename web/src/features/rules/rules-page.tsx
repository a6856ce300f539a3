import { getPolicy, type PolicyProposal } from '@hamlet/contract';
import { useState } from 'react';
import { useLive } from '../../client/query/use-live.ts';
import { SelectField } from '../../ui/fields.tsx';
import { Badge, RefusedNotice, Unread } from '../../ui/controls.tsx';
import { useAgentNames, useTiers } from '../village-context.ts';
import { Page } from '../navigation/page.tsx';
import { ChangeRules, type LayerProps } from './change-rules.tsx';
import {
  classesLabel,
  layerKey,
  layerOf,
  notesOf,
  rulesIn,
  type ShownRule,
  sourceLabel,
  VERDICT_TONES,
  VERDICT_WORDS,
} from './rules-labels.ts';
import './rules.css';

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

function Layer({ inForce, onChanged }: LayerProps) {
  return (
    <>
      <RuleList inForce={inForce} />
      <ChangeRules inForce={inForce} onChanged={onChanged} />
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
  const classes = classesLabel(tools);
  return (
    <li className="rule-row">
      <Badge tone={VERDICT_TONES[verdict]}>{VERDICT_WORDS[verdict]}</Badge>
      <span className="rule-tools">
        {classes !== '' && <b>{classes}</b>}
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
