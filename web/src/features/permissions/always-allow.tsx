import type { AllowScope, Permission } from '@hamlet/contract';
import type { ReactElement } from 'react';
import { Button } from '../../ui/button.tsx';
import { useRole, useVillageState } from '../village-context.ts';
import { alwaysChoices, reachLabel } from './permission-labels.ts';

interface AlwaysProps {
  readonly permission: Permission;
  readonly busy: boolean;
  readonly onAllow: (always: AllowScope) => void;
}

/** Folded buttons that allow this call and later calls of the same tool; nothing if the viewer may not give such a rule. */
export function AlwaysAllow({ permission, busy, onAllow }: AlwaysProps): ReactElement | null {
  const role = useRole();
  const name = useVillageState((state) => state.details.get(permission.agent_id)?.display_name ?? permission.agent_id);
  const choices = alwaysChoices(permission, { role, agentName: name });
  if (choices.length === 0) return null;
  const reach = reachLabel(permission.tool);
  return (
    <details className="always-allow">
      <summary>{reach.word}…</summary>
      <div className="button-row">
        {choices.map(({ scope, word, hint }) => (
          <Button
            key={scope}
            word={word}
            title={hint}
            aria-disabled={busy}
            data-always={scope}
            onClick={() => {
              if (!busy) onAllow(scope);
            }}
          />
        ))}
      </div>
      <p className="hint">{reach.hint} You can remove the rule.</p>
    </details>
  );
}
