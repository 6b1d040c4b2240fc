import { refusal, type SourceFile } from '../../files/source-file.ts';

const lineFeed = 0x0a;

/** Watches the reading of a file; `check` throws a refusal if its last line has no end. */
export function watchedToItsEnd(file: SourceFile): { readonly file: SourceFile; readonly check: () => void } {
  let last = lineFeed;
  const read: SourceFile['read'] = async function* (counter) {
    for await (const chunk of file.read(counter)) {
      last = chunk.at(-1) ?? last;
      yield chunk;
    }
  };
  const check = () => {
    if (last === lineFeed) return;
    throw refusal(file, {}, 'the last line has no end, so the file is probably cut short', [
      'download it again',
    ]);
  };
  return { file: { ...file, read }, check };
}
