import { totalLength } from './client.mjs';

const pages = { '/a': 'apple', '/b': 'bread' };
const transport = {
  get: (path, callback) => setTimeout(() => (path in pages ? callback(null, pages[path]) : callback(Object.assign(new Error(path), { code: 'gone' }))), 1),
  pause: (ms, callback) => setTimeout(callback, ms),
};
totalLength(transport, ['/a', '/b'], (error, total) => {
  if (error) return console.log(`failed: ${error.code}`);
  console.log(`total: ${total}`);
  totalLength(transport, ['/a', '/c'], (second) => console.log(`failed: ${second.code}`));
});
