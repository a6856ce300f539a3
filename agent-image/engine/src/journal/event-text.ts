/** Frequent parts of event bodies, at most 30. Their places are codes that journals hold: append parts, and change none. */
const PARTS: readonly string[] = [
  '{"flow":{"role":"tool","attempt":1,"round":1,"input":"',
  '{"flow":{"role":"agent","attempt":1,"round":1,"input":"',
  '{"flow":{"role":"',
  '{"flow":{"end":"done","output":"',
  '{"flow":{"end":"',
  '","calls":[{"id":"',
  '","calls":[]}}',
  '","modelId":"',
  '","tool":"',
  '","arguments":"',
  '","effect":"read"',
  '","effect":"idempotent"',
  '","effect":"keyed"',
  '","effect":"once"',
  ',"key":null,"attempt":1}',
  ',"key":"',
  '","attempt":1}',
  '}]}}',
  '{"call":"',
  '","outcome":"ok","result":"',
  '","polls":false}',
  '","polls":false,"plain":true}',
  '","failure":null,"edges":["',
  '"]}}',
  '{"ask":',
  ',"attempt":1,"request":"',
  ',"attempt":1,"message":"',
  '","hasText":false,"finish":"tool_calls","calls":[{"id":"',
  '"usage":{"prompt":',
  '},"moneyMicros":',
];
/** Stands for the first reference of a body where that occurs again. JSON escapes control characters, so codes are unambiguous. */
const AGAIN = '\u001f';

const CODES: ReadonlyMap<string, string> = new Map(PARTS.map((part, index) => [part, String.fromCharCode(index + 1)]));
const ANY_PART = new RegExp(
  PARTS.toSorted((one, other) => other.length - one.length)
    .map((part) => RegExp.escape(part))
    .join('|'),
  'g',
);
// oxlint-disable-next-line no-control-regex -- the codes are control characters
const ANY_CODE = /[\u0001-\u001e]/g;
const REFERENCE = /(?<![\w-])[\w-]{22}(?![\w-])/;

/** The body of an event, which is JSON on one line, as the journal stores it: about a quarter as long. Pure. */
export function packedBody(body: string): string {
  const first = REFERENCE.exec(body);
  return withoutRepeats(body, first).replaceAll(ANY_PART, (part) => CODES.get(part) ?? part);
}

function withoutRepeats(body: string, first: RegExpExecArray | null): string {
  if (first === null) return body;
  const end = first.index + first[0].length;
  return body.slice(0, end) + body.slice(end).replaceAll(first[0], AGAIN);
}

/** The body of a stored event. A body that an earlier engine stored is JSON as it stands. Pure. */
export function unpackedBody(stored: string): string {
  const body = stored.replaceAll(ANY_CODE, (code) => PARTS[code.charCodeAt(0) - 1] ?? code);
  if (!body.includes(AGAIN)) return body;
  return body.replaceAll(AGAIN, REFERENCE.exec(body)?.[0] ?? AGAIN);
}
