import type { PolicyProposal } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { notesOf, type ShownRule, VERDICT_TONES, VERDICT_WORDS } from './rules-labels.ts';

const EMPTY: Readonly<Record<PolicyProposal['of'], string>> = {
  village: 'The village has no rules: every call is denied.',
  tier: 'This tier has no rules of its own: the rules of the village hold.',
  agent: 'This Agent has no rules of its own: those of its tier and of the village hold.',
};

type RuleListProps = Readonly<{ of: PolicyProposal['of']; rules: readonly ShownRule[] }>;

/** The rules in force of one layer, as they are written. */
export function RuleList({ of, rules }: RuleListProps): ReactElement {
  return (
    <section className="card rules-card" aria-label="Rules in force">
      <h2>In force</h2>
      {rules.length === 0 ? (
        <p className="empty">{EMPTY[of]}</p>
      ) : (
        <ol className="rules-list">
          {rules.map((rule, index) => (
            <Rule key={index} rule={rule} />
          ))}
        </ol>
      )}
      <p className="hint">
        {of === 'village'
          ? 'The configuration of the village has these rules (api.toolRules of the chart); they change with its next start.'
          : 'The custom resource has these rules in spec.tools; they change as soon as it does.'}
      </p>
    </section>
  );
}

function Rule({ rule }: { readonly rule: ShownRule }): ReactElement {
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
