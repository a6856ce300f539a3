import { type AllowRule, type CallInput, listAllowRules, revokeAllowRule } from '@hamlet/contract';
import { useIntent, usePages } from '../../client/query/use-live.ts';
import { Button, MoreButton, RefusedNotice, useNow } from '../../ui/controls.tsx';
import { useAgentName, useRole, useViewerId } from '../village-context.ts';
import { toolLabel } from './tool-labels.ts';
import { mayRevoke, ruleLabel } from './permission-labels.ts';
import './permissions.css';

const EVERY_MS = 10_000;
type RulesProps = Readonly<{ title: string; of: NonNullable<CallInput<typeof listAllowRules>['query']> }>;

export function AllowRules({ title, of }: RulesProps) {
  const pages = usePages(listAllowRules, { query: { ...of } }, { list: 'rules', id: 'rule_id', everyMs: EVERY_MS });
  if (pages.rows === null || pages.rows.length === 0)
    return pages.refused === null ? null : <RefusedNotice refused={pages.refused} />;
  return (
    <section className="allow-rules" aria-label={title}>
      <h3>{title}</h3>
      <ul>
        {pages.rows.map((rule) => (
          <Rule key={rule.rule_id} rule={rule} onRevoked={pages.again} />
        ))}
      </ul>
      <MoreButton more={pages.more} word="Older rules" />
    </section>
  );
}

function Rule({ rule, onRevoked }: Readonly<{ rule: AllowRule; onRevoked: () => void }>) {
  const viewer = useViewerId();
  const role = useRole();
  const intent = useIntent();
  const now = useNow(10_000);
  const name = useAgentName(rule.agent_id);
  const { word } = toolLabel(rule.tool);
  const revoke = async (): Promise<void> => {
    const data = await intent.call(revokeAllowRule, { params: { rule_id: rule.rule_id } });
    if (data !== null) onRevoked();
  };
  return (
    <li className="allow-rule" data-rule={rule.rule_id} data-tool={rule.tool}>
      <span>
        <b>{word}</b> {rule.allow_key !== null && <code>{rule.allow_key}</code>}{' '}
        {ruleLabel(rule, { viewer, agentName: name, nowMs: now })}
      </span>
      {mayRevoke(rule, { viewer, role }) && (
        <Button
          word="Remove"
          aria-label={`Remove the rule: ${word}, ${name}`}
          aria-disabled={intent.busy}
          onClick={() => void revoke()}
          data-action="revoke-rule"
        />
      )}
      {intent.refused !== null && <RefusedNotice refused={intent.refused} />}
    </li>
  );
}
