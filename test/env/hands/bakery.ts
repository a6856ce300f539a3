/** A small shop on the web, for the tools of the net: a page, a price list, and a form that orders. */
import type { RequestListener } from 'node:http';

export interface Bakery {
  readonly listener: RequestListener;
  /** Bodies of the orders, oldest first. */
  readonly orders: string[];
}

const PAGES: Readonly<Record<string, string | undefined>> = {
  '/': '<!doctype html><title>Bakery</title><h1>Bakery</h1><p>Rye costs 4.20. <a href="/order">Order</a></p>',
  '/order':
    '<!doctype html><title>Order</title><h1>Order</h1><form method="post" action="/order"><label>Loaf <input name="loaf"></label> <button>Order</button></form>',
};

export function startBakery(): Bakery {
  const orders: string[] = [];
  const listener: RequestListener = (request, response) => {
    const { method, url = '' } = request;
    const html = (body: string): void => void response.setHeader('content-type', 'text/html; charset=utf-8').end(body);
    if (method === 'POST')
      return void request.toArray().then((parts) => {
        orders.push(Buffer.concat(parts).toString());
        html('<!doctype html><title>Thanks</title><h1>Thanks</h1><p>A rye loaf is yours.</p>');
      });
    if (url === '/prices.json')
      return void response.setHeader('content-type', 'application/json').end('{"rye":"4.20"}');
    const page = PAGES[url];
    if (page === undefined) response.writeHead(404).end();
    else html(page);
  };
  return { listener, orders };
}
