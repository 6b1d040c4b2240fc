// Why: docs/decisions/lost-nodes.md
import type { SqlSession } from '../sql/session.ts';

/** A shard of series: the least hash of their ids, and its node. */
export type Shard = { readonly first: number; readonly node: number };

/** Reads the shards of series, in the order of their hashes. */
export function shardsOfSeries(session: SqlSession): Promise<readonly Shard[]> {
  return session.rows<Shard>(
    `select shardminvalue::int as first, min(groupid) as node
     from pg_dist_shard join pg_dist_placement using (shardid)
     where logicalrelid = 'asof.series'::regclass group by first order by first`,
  );
}

/** Finds the shard of an id as Citus does, without asking it. */
export function shardOf(shards: readonly Shard[], id: string): Shard | undefined {
  const hash = hashOf(id);
  return shards.findLast(({ first }) => first <= hash);
}

const rotated = (word: number, bits: number) => (word << bits) | (word >>> (32 - bits));

/** How far the words are rotated, for each twelve bytes of a text. */
const rotations = [
  [4, 6, 8],
  [16, 19, 4],
] as const;

/** Computes PostgreSQL's hash of a text, as `hashtext` does in a database of UTF-8: lookup3 of Bob Jenkins. */
export function hashOf(text: string): number {
  const length = Buffer.byteLength(text);
  // Zeros follow the text.
  const bytes = Buffer.alloc(length + 12);
  bytes.write(text);
  let a = (0x9e3779b9 + length + 3923095) | 0;
  let b = a;
  let c = a;
  let at = 0;
  for (; at + 12 <= length; at += 12) {
    a = (a + bytes.readInt32LE(at)) | 0;
    b = (b + bytes.readInt32LE(at + 4)) | 0;
    c = (c + bytes.readInt32LE(at + 8)) | 0;
    for (const [one, other, third] of rotations) {
      a = (a - c) ^ rotated(c, one);
      c = (c + b) | 0;
      b = (b - a) ^ rotated(a, other);
      a = (a + c) | 0;
      c = (c - b) ^ rotated(b, third);
      b = (b + a) | 0;
    }
  }
  a = (a + bytes.readInt32LE(at)) | 0;
  b = (b + bytes.readInt32LE(at + 4)) | 0;
  // The lowest byte of the third word was that of the length.
  c = (c + (bytes.readInt32LE(at + 8) << 8)) | 0;
  c = ((c ^ b) - rotated(b, 14)) | 0;
  a = ((a ^ c) - rotated(c, 11)) | 0;
  b = ((b ^ a) - rotated(a, 25)) | 0;
  c = ((c ^ b) - rotated(b, 16)) | 0;
  a = ((a ^ c) - rotated(c, 4)) | 0;
  b = ((b ^ a) - rotated(a, 14)) | 0;
  return ((c ^ b) - rotated(b, 24)) | 0;
}
