import type { ReactElement } from 'react';
import { Icon } from '../../ui/icon.tsx';
import { Face } from './tier-card.tsx';
import { nodeGroups, type Occupant, tierCounts } from './tier-picture.ts';

/** The machines and who runs on each. */
export function NodeList({ agents }: { readonly agents: readonly Occupant[] }): ReactElement {
  const groups = nodeGroups(agents);
  return (
    <section aria-label="Nodes">
      <h2 className="page-section">Nodes</h2>
      {groups.length === 0 && <p className="card empty">No agent is on a node now.</p>}
      <ul className="nodes">
        {groups.map(({ node, agents: there }) => (
          <li key={node} className="card node" data-node={node}>
            <h3>
              <Icon name="server" size={16} />
              {node} <span className="count">{there.length}</span>
            </h3>
            <p className="hint">{tierCounts(there)}</p>
            <ul className="faces">
              {there.map((agent) => (
                <li key={agent.agent_id}>
                  <Face agent={agent} />
                </li>
              ))}
            </ul>
          </li>
        ))}
      </ul>
    </section>
  );
}
