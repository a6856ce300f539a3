import { showLimits } from '../admission/show-limits.ts';
import type { Exchange } from '../exchange.ts';
import type { Accepted, Outcome, Refused } from '../outcome.ts';

const OK_STATUS = 200;
const SEE_OTHER_STATUS = 303;
const JSON_TYPE = 'application/json; charset=utf-8';

/** Sends what a handler decided; hands a refusal back. */
export function answer(exchange: Exchange, outcome: Outcome<unknown>): Refused | null {
  if (!outcome.ok) return outcome;
  showLimits(exchange.response, outcome.limits);
  const { route, response } = exchange;
  if (outcome.cookies !== undefined) response.append('set-cookie', [...outcome.cookies]);
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-store');
  if (outcome.headers !== undefined) response.set(outcome.headers);
  response.status(route.answer.kind === 'redirect' ? SEE_OTHER_STATUS : (route.status ?? OK_STATUS));
  sendBody(exchange, outcome);
  return null;
}

function sendBody(exchange: Exchange, outcome: Accepted<unknown>): void {
  const { route, response } = exchange;
  if ('schema' in route.answer) {
    const bytes = exchange.writeJson(outcome, (data) => holdToContract(exchange, data));
    response.setHeader('content-type', JSON_TYPE).send(bytes);
  } else if (route.answer.kind === 'redirect') {
    response.set('location', String(outcome.data)).end();
  } else if (route.answer.kind === 'bytes') {
    response.type(route.answer.contentType).send(Buffer.from(outcome.data as Uint8Array));
  } else {
    response.type(route.answer.kind === 'text' ? route.answer.contentType : 'text/plain').send(String(outcome.data));
  }
}

/** An answer outside its schema is a bug of ours: it fails where tests run, and is logged and counted elsewhere. */
function holdToContract(exchange: Exchange, data: unknown): void {
  const { answer: kind } = exchange.route;
  if (!('schema' in kind)) return;
  const checked = kind.schema.safeParse(data);
  if (!checked.success) tellOutsideContract(exchange, checked.error.issues);
}

/** Logs and counts what left, or would have left, outside its schema. Throws where answers are strict. */
export function tellOutsideContract({ route, requestId, ports }: Exchange, issues: unknown): void {
  ports.metrics.answerOutsideContract(route.name);
  ports.log('error', 'answer outside the contract', { route: route.name, request_id: requestId, issues });
  if (ports.strictAnswers) throw new Error(`${route.name} answers outside its contract: ${JSON.stringify(issues)}`);
}
