/** The server behind the proxies: it answers 1 KiB and reports its port to the parent. */
import { createServer } from 'node:http';

const body = Buffer.alloc(1024, 'x');
const server = createServer((_request, response) => {
  response.writeHead(200, { 'content-type': 'text/plain', 'content-length': String(body.length) });
  response.end(body);
});
server.listen(0, '127.0.0.1', () => {
  const address = server.address();
  if (address !== null && typeof address === 'object') process.send?.(address.port);
});
