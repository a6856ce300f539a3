import { lockAllowRule, readAllowRules, revokeAllowRule } from '@hamlet/store';
import { z } from 'zod';
import { recordAct } from '../../audit/record-act.ts';
import { inTx, plain, type Handlers } from '../../http/handler.ts';
import { accepted, refused } from '../../http/outcome.ts';
import { pageCursor, paged } from '../../http/page-cursor.ts';
import { allowRuleView } from './allow-rules.ts';
import type { Village } from '../../village.ts';

const cursor = pageCursor(z.uuid());

export function allowRuleHandlers({ db }: Village) {
  return {
    listAllowRules: plain(async ({ actor, query }) => {
      const { agent_id: agentId, session_id: sessionId } = query;
      const revoked = query.revoked === 'true';
      const filter = { agentId, sessionId, revoked, personId: actor.role === 'admin' ? null : actor.id };
      return paged(cursor, { ...query, list: 'allow rules' }, async (page) => {
        const { rows, next } = await readAllowRules(db, filter, page);
        return { rules: rows.map(allowRuleView), next };
      });
    }),
    revokeAllowRule: inTx(async (request, tx) => {
      const { params, actor } = request;
      const rule = await lockAllowRule(tx, params.rule_id);
      if (rule === null) return refused('no_such_allow_rule');
      if (actor.role !== 'admin' && rule.createdById !== actor.id) return refused('allow_rule_not_yours');
      if (rule.revokedAt !== null) return accepted({ rule: allowRuleView(rule) });
      const revoked = await revokeAllowRule(tx, rule.ruleId, { role: actor.role, id: actor.id });
      const { ruleId: rule_id, tool, sessionId: session_id } = rule;
      const detail = { rule_id, tool, session_id };
      await recordAct(tx, request, { action: 'allow_rule.revoke', object: rule.agentId, detail });
      return accepted({ rule: allowRuleView(revoked) });
    }),
  } satisfies Partial<Handlers>;
}
