#!/bin/bash
set -e
cd /app
cat > client.mjs <<'END'
/** Reads pages through `transport.get(path, callback)`, which fails now and then. */

const get = (transport, path) =>
  new Promise((resolve, reject) => {
    transport.get(path, (error, body) => (error === null ? resolve(body) : reject(error)));
  });
const pause = (transport, ms) => new Promise((resolve) => transport.pause(ms, resolve));

export async function fetchPage(transport, path) {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await get(transport, path);
    } catch (error) {
      if (error.code === 'gone' || attempt === 3) throw error;
      await pause(transport, attempt * 10);
    }
  }
}

export async function fetchAll(transport, paths) {
  const bodies = Array.from(paths);
  let next = 0;
  let failed = false;
  const work = async () => {
    while (next < paths.length && !failed) {
      const at = next;
      next += 1;
      try {
        bodies[at] = await fetchPage(transport, paths[at]);
      } catch (error) {
        failed = true;
        throw error;
      }
    }
  };
  await Promise.all([work(), work()]);
  return bodies;
}

export async function totalLength(transport, paths) {
  const bodies = await fetchAll(transport, paths);
  return bodies.reduce((sum, body) => sum + body.length, 0);
}
END
python3 - <<'END'
text = open("main.mjs").read()
start = text.index("totalLength(transport, ['/a', '/b']")
open("main.mjs", "w").write(text[:start] + """try {
  console.log(`total: ${await totalLength(transport, ['/a', '/b'])}`);
  await totalLength(transport, ['/a', '/c']);
} catch (error) {
  console.log(`failed: ${error.code}`);
}
""")
END
