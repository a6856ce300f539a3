import { PERMISSIONS, REFUSALS, ROUTE_TAGS, ROUTES, pathsOf, type Refusal, type RouteSpec } from '@hamlet/contract';
import { jsonSchemaOf, reasonsByStatus } from './openapi.ts';

const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #8882; --link: #0a7d4f; }
@media (prefers-color-scheme: dark) { :root { --link: #5ad1a0; } }
body { font: 16px/1.5 system-ui, sans-serif; margin: 0 auto; padding: 1rem; max-width: 60rem; }
a { color: var(--link); } code, pre { font: 14px/1.45 ui-monospace, monospace; }
pre { background: var(--soft); padding: .75rem; overflow: auto; border-radius: 6px; }
article { border-top: 1px solid var(--line); padding: 1rem 0; } h3 { margin: 0; font-size: 1rem; }
table { border-collapse: collapse; width: 100%; } td, th { text-align: left; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid var(--line); vertical-align: top; }
.method { font-weight: 700; } .meta { opacity: .75; margin: .2rem 0 .6rem; } summary { cursor: pointer; } nav a { margin-right: 1rem; }`;

export function escapeHtml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');
}

function details(title: string, json: unknown): string {
  return `<details><summary>${escapeHtml(title)}</summary><pre>${escapeHtml(JSON.stringify(json, null, 2))}</pre></details>`;
}

function answerDetails(route: RouteSpec): string {
  switch (route.answer.kind) {
    case 'json':
      return details('Answer', jsonSchemaOf(route.answer.schema, 'output'));
    case 'sse':
      return Object.entries(route.answer.events)
        .map(([event, schema]) => details(`Event ${event}`, jsonSchemaOf(schema, 'output')))
        .join('');
    case 'completion':
      return `${details('Answer', jsonSchemaOf(route.answer.schema, 'output'))}${details('Chunk of a streamed answer', jsonSchemaOf(route.answer.chunk, 'output'))}`;
    case 'redirect':
      return '<p>Redirects the browser (303).</p>';
    case 'text':
    case 'bytes':
      return `<p>Answers ${escapeHtml(route.answer.contentType)}.</p>`;
  }
}

function reasonLinks(route: RouteSpec): string {
  return [...reasonsByStatus(route)]
    .map(
      ([status, reasons]) =>
        `${status} ${reasons.map((reason) => `<a href="#${reason}"><code>${reason}</code></a>`).join(' ')}`,
    )
    .join(' · ');
}

function articleOf(route: RouteSpec): string {
  const [path, ...others] = pathsOf(route);
  const roles = PERMISSIONS[route.permission].join(', ');
  const also = others.length === 0 ? '' : ` Also at <code>${escapeHtml(others.join(', '))}</code>.`;
  const key = route.idempotency === 'key' ? ' Needs <code>Idempotency-Key</code>.' : '';
  return `<article id="${route.name}">
<h3><span class="method">${route.method}</span> <code>${escapeHtml(path ?? '')}</code></h3>
<p>${escapeHtml(route.summary)}</p>
<p class="meta">For ${roles}; on the ${route.audiences.join(' and ')} listener.${also}${key}</p>
${route.params === undefined ? '' : details('Path', jsonSchemaOf(route.params, 'input'))}
${route.query === undefined ? '' : details('Query', jsonSchemaOf(route.query, 'input'))}
${route.body === undefined ? '' : details('Body', jsonSchemaOf(route.body, 'input'))}
${answerDetails(route)}
<p class="meta">${reasonLinks(route)}</p>
</article>`;
}

function reasonRow(code: Refusal): string {
  const { status, title, retry } = REFUSALS[code];
  return `<tr id="${code}"><td><code>${code}</code></td><td>${status}</td><td>${escapeHtml(title)}</td><td>${retry.replace('_', ' ')}</td></tr>`;
}

function build(): string {
  const tags = Object.entries(ROUTE_TAGS);
  const sections = tags.map(([tag, title]) => {
    const routes = ROUTES.filter((route) => route.tag === tag);
    return `<section id="${tag}"><h2>${title}</h2>${routes.map(articleOf).join('\n')}</section>`;
  });
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Hamlet API</title><style>${STYLE}</style></head>
<body><h1>Hamlet API</h1>
<p>JSON over HTTP, snake_case. Errors are <code>application/problem+json</code> with a <code>code</code> of the <a href="#refusals">list below</a>.
Send <code>Authorization: Bearer TOKEN</code>, or sign in and let the browser send its cookie. For programs: <a href="openapi.json">OpenAPI 3.1</a>.
Live events of the map: websocket <code>/ws/world</code>, as text with <code>?format=json</code>.</p>
<nav>${tags.map(([tag, title]) => `<a href="#${tag}">${title}</a>`).join('')}<a href="#refusals">Refusals</a></nav>
${sections.join('\n')}
<section id="refusals"><h2>Refusals</h2><table><thead><tr><th>code</th><th>status</th><th>means</th><th>again?</th></tr></thead>
<tbody>${(Object.keys(REFUSALS) as Refusal[]).map(reasonRow).join('\n')}</tbody></table></section>
</body></html>`;
}

let built: string | undefined;

export function docsPage(): string {
  built ??= build();
  return built;
}
