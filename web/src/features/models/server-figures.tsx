import { listModelServers, type ModelServer } from '@hamlet/contract';
import { useLive } from '../../client/query/use-live.ts';
import { Badge } from '../../ui/controls.tsx';
import { serverLabels, serverState } from './server-labels.ts';

const SERVERS_MS = 10_000;

/** The servers of the village, by their providers; null until they are read. */
export function useModelServers(): readonly ModelServer[] | null {
  return useLive(listModelServers, {}, SERVERS_MS).data?.servers ?? null;
}

/** The present load of the servers of one provider. Nothing for a provider without metrics. */
export function ServerFigures({ servers }: { readonly servers: readonly ModelServer[] }) {
  if (servers.length === 0) return null;
  return (
    <ul className="server-figures" aria-label="Servers">
      {servers.map((server) => {
        const { word, tone, hint } = serverState(server);
        return (
          <li key={server.address} data-server={server.address} data-state={server.state}>
            <span className="server-head">
              <code>{new URL(server.address).host}</code>
              <Badge tone={tone}>{word}</Badge>
            </span>
            {hint !== null && <span className="hint">{hint}</span>}
            {server.state === 'serves' && <Figures server={server} />}
          </li>
        );
      })}
    </ul>
  );
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
