import { refusal } from './source-file.ts';

const mebibyte = 2 ** 20;

/** The limits on one file of an import, in bytes unless named otherwise. They keep a small file from filling memory or disk. */
export const limits = {
  /** Members of an archive. */
  members: 10_000,
  /** Unpacked content. */
  content: 4096 * mebibyte,
  /** Unpacked size divided by packed size. */
  ratio: 1000,
  /** Unpacked content up to this size may have any ratio. */
  smallContent: 10 * mebibyte,
  /** A file read into memory as a whole. */
  inMemory: 1024 * mebibyte,
} as const;

/** Refuses packed content of more than 4 GiB, or of more than 10 MiB and 1000 times its packed size. */
export function refuseBomb(path: string, contentSize: number, packedSize: number): void {
  if (contentSize > limits.content)
    throw refusal({ path }, {}, 'it unpacks to more than 4 GiB; unpack it and split it');
  if (contentSize > limits.smallContent && contentSize > packedSize * limits.ratio) {
    throw refusal({ path }, {}, 'it unpacks to more than 1000 times its size, which no data file does', [
      'if the file is genuine, unpack it and import the result',
    ]);
  }
}
