import { pipeline, Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';
import { Problem } from '../../errors/problem.ts';
import type { SourceFile, Tap } from '../formats/format.ts';
import { refuseBomb } from './limits.ts';
import { type Content, firstBytes, sourceFile } from './content.ts';
import { signatureOf, signatureSize } from './signature.ts';

/** The content of gzip bytes, checked against their checksum and length; damage anywhere refuses the file. */
async function* gunzipped(path: string, packed: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let packedSize = 0;
  let contentSize = 0;
  const counted = async function* () {
    for await (const chunk of packed) {
      packedSize += chunk.length;
      yield chunk;
    }
  };
  const source = Readable.from(counted(), { objectMode: false });
  // The callback has nothing to do: an error on the way destroys the last stream with it, and so reaches the loop.
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
    throw new Problem('bad-input', `${path}: the gzip data is damaged or cut short: ${reason}`, {
      cause: error,
    });
  }
}

/** The file as its readers see it: what its gzip layer holds, if it has one; an archive inside a file or archive is refused. */
export async function withoutGzip(content: Content): Promise<SourceFile> {
  const { path, name, size, read, siblings } = content;
  const signature = signatureOf(await firstBytes(read(), signatureSize));
  if (signature === 'zip') throw nestedZip(path);
  if (signature !== 'gzip') return sourceFile(content);
  const unpacked = (tap?: Tap) => gunzipped(path, read(tap));
  if (signatureOf(await firstBytes(unpacked(), signatureSize)) === 'zip') throw nestedZip(path);
  const stored = content.stored ?? read;
  const inside = name.replace(/\.gz$/i, '');
  return sourceFile({ path, name: inside, size, packed: true, read: unpacked, stored, siblings });
}

function nestedZip(path: string): Problem {
  const hints = ['unpack the outer one and import the archives in it'];
  return new Problem('bad-input', `${path}: a zip archive inside another archive is not opened`, { hints });
}
