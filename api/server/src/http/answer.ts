import type { Exchange } from './exchange.ts';
import type { Accepted, Outcome, Refused } from './outcome.ts';

const OK_STATUS = 200;

/** Sends what a handler decided; hands a refusal back. */
export function answer(exchange: Exchange, outcome: Outcome<unknown>): Refused | null {
  if (!outcome.ok) return outcome;
  const { route, response } = exchange;
  if (outcome.cookies !== undefined) response.append('set-cookie', [...outcome.cookies]);
  if (!response.hasHeader('cache-control')) response.set('cache-control', 'no-store');
  response.status(route.status ?? OK_STATUS);
  if (route.answer.kind === 'json') {
    holdToContract(exchange, outcome);
    response.type('application/json').send(JSON.stringify(outcome.data));
  } else {
    response.type(route.answer.kind === 'text' ? route.answer.contentType : 'text/plain').send(String(outcome.data));
  }
  return null;
}

/** An answer outside its schema is a bug of ours: it fails where tests run, and is logged and counted elsewhere. */
function holdToContract({ route, requestId, ports }: Exchange, outcome: Accepted<unknown>): void {
  if (route.answer.kind !== 'json') return;
  const checked = route.answer.schema.safeParse(outcome.data);
  if (checked.success) return;
  ports.metrics.answerOutsideContract(route.name);
  ports.log('error', 'answer outside the contract', { route: route.name, request_id: requestId, issues: checked.error.issues });
  if (ports.strictAnswers) throw new Error(`${route.name} answers outside its contract: ${checked.error.message}`);
}
