import { Problem } from '../../errors/problem.ts';

const mebibyte = 2 ** 20;

/** What an import takes from one file, so that a small file cannot fill the memory or the day. */
export const bounds = {
  members: 10_000,
  content: 4096 * mebibyte,
  ratio: 1000,
  freeOfRatio: 10 * mebibyte,
  inMemory: 1024 * mebibyte,
} as const;

/** Refuses packed content that grows beyond all measure: over 4 GiB, or over 1000 times its packed size when beyond 10 MiB. */
export function refuseBomb(path: string, contentSize: number, packedSize: number): void {
  if (contentSize > bounds.content) {
    throw new Problem('bad-input', `${path}: its content exceeds 4 GiB; unpack it and split it`);
  }
  if (contentSize > bounds.freeOfRatio && contentSize > packedSize * bounds.ratio) {
    throw new Problem(
      'bad-input',
      `${path}: its content is more than 1000 times its packed size, as no data file's is`,
      {
        hints: ['if it is what it should be, unpack it first'],
      },
    );
  }
}
