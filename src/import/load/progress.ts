import type { SourceFile } from '../files/source-file.ts';

/**
 * Measures how far an import has come, in bytes of its files. What was read counts only when it is stored.
 * Files begin one after the other.
 */
export class ByteProgress {
  readonly total: number;
  #before = 0;
  #size = 0;
  #read = 0;
  #stored = 0;

  constructor(files: readonly SourceFile[]) {
    this.total = files.reduce((sum, { size }) => sum + size, 0);
  }

  /** The same file, which counts what is read of it. */
  begin(file: SourceFile): SourceFile {
    this.#before += this.#size;
    this.#size = file.size;
    this.#read = 0;
    this.#stored = 0;
    // A file that is read twice counts once.
    const tap = (bytes: number): void => {
      this.#read = Math.min(file.size, this.#read + bytes);
    };
    return { ...file, open: () => file.open(tap), bytes: () => file.bytes(tap) };
  }

  /** The bytes that are done once this share (0..1) of what was read and is not stored yet is stored. */
  done(share: number): number {
    return this.#before + this.#stored + (this.#read - this.#stored) * share;
  }

  /** Everything read so far is stored. */
  store(): void {
    this.#stored = this.#read;
  }
}
