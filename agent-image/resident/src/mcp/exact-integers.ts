const LONG_NUMBER = /\d{16}/;
const NUMBER = /-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y;

/** A text of JSON in which integers beyond 2^53 are texts, so that reading it keeps their digits. Pure. */
export function exactIntegers(json: string): string {
  if (!LONG_NUMBER.test(json)) return json;
  const parts: string[] = [];
  let [from, at] = [0, 0];
  while (at < json.length) {
    if (json[at] === '"') {
      at = afterString(json, at);
      continue;
    }
    NUMBER.lastIndex = at;
    const number = NUMBER.exec(json)?.[0];
    if (number === undefined) {
      at += 1;
      continue;
    }
    if (/^-?\d+$/.test(number) && !Number.isSafeInteger(Number(number))) {
      parts.push(json.slice(from, at), `"${number}"`);
      from = at + number.length;
    }
    at += number.length;
  }
  return parts.join('') + json.slice(from);
}

function afterString(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let slashes = 0;
    while (json[end - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return json.length;
}
