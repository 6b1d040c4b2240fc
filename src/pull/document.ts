import { sourceFile } from '../import/files/content.ts';
import type { SourceFile } from '../import/files/source-file.ts';

/** An answer of a source as a file that the readers of `asof import` take; `path` is what messages and the import log show. */
export function document(
  { name, path }: { readonly name: string; readonly path: string },
  content: string | Buffer,
  siblings: readonly SourceFile[] = [],
): SourceFile {
  const bytes = Buffer.from(content);
  return sourceFile({
    name,
    path,
    size: bytes.length,
    async *read(counter) {
      counter?.(bytes.length);
      yield bytes;
    },
    siblings: async () => siblings,
  });
}
