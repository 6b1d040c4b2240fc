import type { SourceFile } from '../files/source-file.ts';

/** How far the work on one file of an import has come. */
export type FileHeadway = {
  /** The same file, which counts what is read of it. */
  readonly file: SourceFile;
  /** The bytes of the import that are done, when so much (0..1) of what was read and waited is. */
  readonly done: (share: number) => number;
  /** All that was read so far is done. */
  readonly settle: () => void;
};

/** How far an import has come, in bytes of its files as they lie: what was read is done only when it is in the store. */
export type Headway = { readonly total: number; readonly begin: (file: SourceFile) => FileHeadway };

/** An import of these files, at its beginning; they are begun one after the other. */
export function headway(files: readonly SourceFile[]): Headway {
  const total = files.reduce((sum, { size }) => sum + size, 0);
  let [before, current] = [0, 0];
  return {
    total,
    begin(file) {
      before += current;
      current = file.size;
      let [read, settled] = [0, 0];
      // A file that is read twice is no longer for it.
      const tap = (bytes: number): void => {
        read = Math.min(file.size, read + bytes);
      };
      return {
        file: { ...file, open: () => file.open(tap), bytes: () => file.bytes(tap) },
        done: (share) => before + settled + (read - settled) * share,
        settle: () => {
          settled = read;
        },
      };
    },
  };
}
