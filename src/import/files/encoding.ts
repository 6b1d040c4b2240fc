import { TextDecoder } from 'node:util';

/** The bytes of a file; those of UTF-16 text, which spreadsheets write as "Unicode text", become UTF-8. */
export async function* asUtf8(bytes: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let decoder: TextDecoder | undefined;
  let start = Buffer.alloc(0);
  let isKnown = false;
  for await (const chunk of bytes) {
    let content = chunk;
    if (!isKnown) {
      content = start = Buffer.concat([start, chunk]);
      if (start.length < probe) continue;
      isKnown = true;
      decoder = decoderOf(start);
    }
    yield decoder === undefined ? content : Buffer.from(decoder.decode(content, { stream: true }));
  }
  if (!isKnown) {
    decoder = decoderOf(start);
    if (start.length > 0)
      yield decoder === undefined ? start : Buffer.from(decoder.decode(start, { stream: true }));
  }
  const rest = decoder?.decode() ?? '';
  if (rest !== '') yield Buffer.from(rest);
}

/** The bytes that tell UTF-16 from other content. */
const probe = 8;

/** A decoder if the text is UTF-16: it has a byte-order mark, or zeros in every other of its first bytes. */
function decoderOf(start: Buffer): TextDecoder | undefined {
  const text = start.subarray(0, probe).toString('latin1');
  if (/^(?:\xff\xfe|(?:[\t-~]\0){4})/.test(text)) return new TextDecoder('utf-16le');
  if (/^(?:\xfe\xff|(?:\0[\t-~]){4})/.test(text)) return new TextDecoder('utf-16be');
  return undefined;
}
