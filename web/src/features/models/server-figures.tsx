import { type AskingAgent, listModelServers, type ModelServer } from '@hamlet/contract';
import { useLive } from '../../client/query/use-live.ts';
import { Badge } from '../../ui/controls.tsx';
import { useAgentNaming } from '../village-context.ts';
import { serverLabels, serverState } from './server-labels.ts';

const SERVERS_MS = 10_000;

/** The servers of a provider, and the agents whose requests run or wait there. */
export interface ProviderLoad {
  readonly servers: readonly ModelServer[];
  readonly asking: readonly AskingAgent[];
}

export const NO_LOAD: ProviderLoad = { servers: [], asking: [] };

/** The load of a provider by its name; empty until it is read. */
export function useProviderLoad(): (name: string) => ProviderLoad {
  const { data } = useLive(listModelServers, {}, SERVERS_MS);
  const { servers, asking } = data ?? NO_LOAD;
  return (name) => ({
    servers: servers.filter(({ provider }) => provider === name),
    asking: asking.filter(({ provider }) => provider === name),
  });
}

/** The present load of one provider; empty without metrics and requests. */
export function ServerFigures({ load: { servers, asking } }: { readonly load: ProviderLoad }) {
  return (
    <>
      {servers.length > 0 && (
        <ul className="server-figures" aria-label="Servers">
          {servers.map((server) => (
            <Server key={server.address} server={server} />
          ))}
        </ul>
      )}
      {asking.length > 0 && <AskingNow asking={asking} />}
    </>
  );
}

function Server({ server }: { readonly server: ModelServer }) {
  const { word, tone, hint } = serverState(server);
  return (
    <li data-server={server.address} data-state={server.state}>
      <span className="server-head">
        <code>{new URL(server.address).host}</code>
        <Badge tone={tone}>{word}</Badge>
      </span>
      {hint !== null && <span className="hint">{hint}</span>}
      {server.state === 'serves' && <Figures server={server} />}
    </li>
  );
}

function AskingNow({ asking }: Pick<ProviderLoad, 'asking'>) {
  const nameOf = useAgentNaming();
  const words = asking.map(({ agent_id: id, requests }) => `${nameOf(id)} ${requests}`);
  return <p className="hint">Requests that run or wait: {words.join(', ')}</p>;
}

function Figures({ server }: { readonly server: ModelServer }) {
  return (
    <dl className="server-numbers">
      {serverLabels(server).map(({ name, value }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
