import fc from 'fast-check';

/** A place in a text of any length, in millionths. */
const place = fc.nat({ max: 999_999 });
const length = fc.oneof(fc.nat({ max: 8 }), fc.nat({ max: 400 }), fc.nat({ max: 40_000 }));

const bytes = [...'"\',;\t\r\n\0 .-+#%&<>=/{}[]:\\0123456789eEN\x7f\x80\xff\xef\xa0'];

const numbers = [
  ...['', '9'.repeat(40), `0.${'0'.repeat(60)}1`, '9'.repeat(5000), '1 000'],
  ...'. - -0 0 00 +1 1. .5 1e5 1e-400 1e999999999 -1E+3 1,234.5 1.234,5 0x10 NaN nan Infinity #N/A null'.split(
    ' ',
  ),
  ...'1600-01-01 2999-12-31 0000-00-00 2024-02-30 2015-13-01 99999-01-01 1/1/0000 29.2.2023'.split(' '),
  ...'2147483648 4294967296 -9007199254740993 １２ −1 1٫5'.split(' '),
];

const pieces = [
  ...[
    '\ufeff',
    '\xef\xbb\xbf',
    '\xff\xfe',
    '\r\n\r\n',
    '\n\n',
    '""',
    '"""',
    '\u2028',
    '\xc3',
    '\xed\xa0\x80',
  ],
  ...['&amp;', '&#0;', '&#x110000;', '&nope;', '<!DOCTYPE a [<!ENTITY b "c">]>', '<![CDATA[', ']]>', '<!--'],
  ...['<?xml version="1.0"?>', '</', '/>', '__proto__', 'constructor', 'toString', '../../etc/passwd'],
  ...["'; DROP TABLE fact; --", '\\u0000', '\\ud800', '=1+1', 'series_id', 'date', 'realtime_start'],
  ...['PK\x03\x04', '\x1f\x8b\x08', '\x1b[2J', '\x85'],
];

const lineEnds = ['\r\n', '\r', '\n', '\n\r', '\n\n', '\u2028', '', ' ', '\t\n', ',\n', ';\n'];

/** A way to damage a text whose characters are bytes. */
export const mutation = fc.oneof(
  fc.record({ what: fc.constant('bit' as const), at: place, bit: fc.nat({ max: 7 }) }),
  fc.record({ what: fc.constant('byte' as const), at: place, text: fc.constantFrom(...bytes) }),
  fc.record({ what: fc.constant('swap' as const), at: place, to: place }),
  fc.record({ what: fc.constant('cut' as const), at: place, length }),
  fc.record({ what: fc.constant('end' as const), at: place }),
  fc.record({ what: fc.constant('double' as const), at: place, to: place, length }),
  fc.record({
    what: fc.constant('repeat' as const),
    at: place,
    length: fc.integer({ min: 1, max: 40 }),
    times: fc.constantFrom(3, 100, 20_000),
  }),
  fc.record({
    what: fc.constant('insert' as const),
    at: place,
    text: fc.constantFrom(...pieces, ...numbers),
  }),
  fc.record({ what: fc.constant('number' as const), at: place, text: fc.constantFrom(...numbers) }),
  fc.record({ what: fc.constant('digit' as const), at: place, text: fc.constantFrom(...'0123456789') }),
  fc.record({ what: fc.constant('swap words' as const), at: place, to: place }),
  fc.record({
    what: fc.constant('lines' as const),
    how: fc.constantFrom('remove', 'double', 'swap', 'empty'),
    at: place,
    to: place,
  }),
  fc.record({ what: fc.constant('line ends' as const), text: fc.constantFrom(...lineEnds) }),
  fc.record({ what: fc.constant('replace all' as const), at: place, text: fc.constantFrom(...bytes, '') }),
  fc.record({
    what: fc.constant('encoding' as const),
    to: fc.constantFrom('utf16le', 'utf16be', 'utf8 twice'),
  }),
);

/** A way to damage a text. */
export type Mutation = typeof mutation extends fc.Arbitrary<infer T> ? T : never;

/** The content with a mutation. */
export function mutated(content: Buffer, change: Mutation): Buffer {
  return Buffer.from(changed(content.toString('latin1'), change), 'latin1');
}

const word = /[\w.+-]+/g;
const number = /[+-]?\d[\d.eE/-]*/g;

function changed(text: string, change: Mutation): string {
  const { what } = change;
  if (what === 'encoding') return encoded(text, change.to);
  if (what === 'line ends') return text.replace(/\r?\n/g, latin1(change.text));
  const at = Math.floor((change.at / 1e6) * text.length);
  const splice = (removed: number, inserted: string, from = at) =>
    text.slice(0, from) + inserted + text.slice(from + removed);
  switch (what) {
    case 'bit':
      return splice(1, String.fromCharCode((text.charCodeAt(at) || 0) ^ (1 << change.bit)));
    case 'byte':
      return splice(1, change.text);
    case 'replace all':
      return text.replaceAll(text.charAt(at), change.text);
    case 'digit': {
      const digit = text.slice(at).search(/\d/);
      return digit < 0 ? text : splice(1, change.text, at + digit);
    }
    case 'swap':
      return swapped([...text], at, pick(text.length, change.to)).join('');
    case 'cut':
      return splice(change.length, '');
    case 'end':
      return text.slice(0, at);
    case 'double':
      return splice(0, text.slice(at, at + change.length), pick(text.length, change.to));
    case 'repeat':
      return splice(0, text.slice(at, at + change.length).repeat(change.times));
    case 'insert':
      return splice(0, latin1(change.text));
    case 'number': {
      const all = [...text.matchAll(number)];
      const found = all[pick(all.length, change.at)];
      return found === undefined ? text : splice(found[0].length, latin1(change.text), found.index);
    }
    case 'swap words': {
      const words = text.match(word) ?? [];
      const others = swapped(words, pick(words.length, change.at), pick(words.length, change.to));
      let index = 0;
      return text.replace(word, () => others[index++] ?? '');
    }
    case 'lines': {
      const lines = text.split('\n');
      const [from, to] = [pick(lines.length, change.at), pick(lines.length, change.to)];
      if (change.how === 'swap') return swapped(lines, from, to).join('\n');
      if (change.how === 'remove') return lines.toSpliced(from, 1).join('\n');
      const inserted = change.how === 'double' ? (lines[from] ?? '') : '';
      return lines.toSpliced(to, 0, inserted).join('\n');
    }
  }
}

function pick(count: number, at: number): number {
  return Math.floor((at / 1e6) * count);
}

function swapped(all: readonly string[], one: number, other: number): readonly string[] {
  const copy = [...all];
  [copy[one], copy[other]] = [all[other] ?? '', all[one] ?? ''];
  return copy;
}

/** A text as the bytes of its UTF-8, unless all of its characters are bytes already. */
function latin1(text: string): string {
  return /[^\0-\xff]/.test(text) ? Buffer.from(text).toString('latin1') : text;
}

function encoded(text: string, to: string): string {
  if (to === 'utf8 twice') return Buffer.from(text).toString('latin1');
  const bytes = Buffer.from(`\ufeff${text}`, 'utf16le');
  return (to === 'utf16le' ? bytes : bytes.subarray(0, bytes.length & ~1).swap16()).toString('latin1');
}
