import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Problem } from '../../errors/problem.ts';
import { type FileContent, firstBytes, signatureOf, signatureSize, sourceFile } from './content.ts';
import { type ByteCounter, refusal, refuseBomb, type SourceFile } from './source-file.ts';

/** The unpacked bytes of gzip data, checked against their checksum and length; damaged data is refused. */
async function* gunzipped(path: string, packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let packedSize = 0;
  let contentSize = 0;
  const source = Readable.from(
    (async function* () {
      for await (const chunk of packed) {
        packedSize += chunk.length;
        yield chunk;
      }
    })(),
    { objectMode: false },
  );
  // The callback is empty: an error in the pipeline destroys its last stream, and so reaches the loop below.
  const content = pipeline(source, createGunzip(), () => undefined);
  try {
    for await (const chunk of content) {
      contentSize += chunk.length;
      refuseBomb(path, contentSize, packedSize);
      yield chunk;
    }
  } catch (error) {
    if (error instanceof Problem) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw refusal({ path }, {}, `the gzip data is damaged or cut short: ${reason}`).with({ cause: error });
  }
}

/** The file with its gzip layer removed, if it has one. A zip archive inside it, or in its place, is refused. */
export async function withoutGzip(content: FileContent): Promise<SourceFile> {
  const { path, name, size, read, siblings } = content;
  const signature = signatureOf(await firstBytes(read(), signatureSize));
  if (signature === 'zip') throw nestedZip(path);
  if (signature !== 'gzip') return sourceFile(content);
  const unpacked = (counter?: ByteCounter) => gunzipped(path, read(counter));
  if (signatureOf(await firstBytes(unpacked(), signatureSize)) === 'zip') throw nestedZip(path);
  const stored = content.stored ?? read;
  const inside = name.replace(/\.gz$/i, '');
  return sourceFile({ path, name: inside, size, packed: true, read: unpacked, stored, siblings });
}

function nestedZip(path: string): Problem {
  const hints = ['unpack the outer archive, and import the archives in it'];
  return refusal({ path }, {}, 'a zip archive inside another archive is not opened', hints);
}
