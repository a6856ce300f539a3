/** Reads pages through `transport.get(path, callback)`, which fails now and then. */

export function fetchPage(transport, path, callback) {
  let attempt = 0;
  const again = () => {
    attempt += 1;
    transport.get(path, (error, body) => {
      if (error === null) return callback(null, body);
      if (error.code === 'gone' || attempt === 3) return callback(error);
      transport.pause(attempt * 10, again);
    });
  };
  again();
}

export function fetchAll(transport, paths, callback) {
  const bodies = [];
  let open = 0;
  let next = 0;
  let failed = false;
  if (paths.length === 0) return callback(null, bodies);
  const more = () => {
    while (open < 2 && next < paths.length && !failed) {
      const at = next;
      next += 1;
      open += 1;
      fetchPage(transport, paths[at], (error, body) => {
        open -= 1;
        if (failed) return;
        if (error) {
          failed = true;
          return callback(error);
        }
        bodies[at] = body;
        if (next === paths.length && open === 0) return callback(null, bodies);
        more();
      });
    }
  };
  more();
}

export function totalLength(transport, paths, callback) {
  fetchAll(transport, paths, (error, bodies) => {
    if (error) return callback(error);
    callback(null, bodies.reduce((sum, body) => sum + body.length, 0));
  });
}
