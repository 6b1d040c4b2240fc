// Why: docs/decisions/lost-nodes.md
import pLimit from 'p-limit';
import { Problem } from '../../errors/problem.ts';
import type { Database } from './connection.ts';
import { type Shard, shardOf, shardsOfSeries } from './shards.ts';

/** Milliseconds for which asof remembers whether the nodes answer, and where shards are. */
const [remembered, placesKept] = [5000, 60_000];

/**
 * Milliseconds until asof asks a node again that did not answer: each time twice as many, up to the second number.
 * Each question may cost a connection of the server until the node is back, as Citus waits for it.
 */
const [firstPause, longestPause] = [5000, 60_000];

/** The time limit of a probe, in seconds. */
const probeSeconds = 2;

const probes = Array.from({ length: 1000 }, (_, n) => `probe${n}`);

type Node = {
  readonly id: number;
  readonly limit: ReturnType<typeof pLimit>;
  /** Until then, reads of this node fail at once. */
  awayUntil: number;
  /** The next pause; 0 while the node answers. */
  pause: number;
};

/** The nodes of Citus that hold the series of a store: a node that does not answer holds up no other one. */
export class Nodes {
  readonly #database: Database;
  readonly #nodes = new Map<number, Node>();
  #placed: { since: number; readonly shards: Promise<readonly Shard[]> };
  #probe: { readonly since: number; readonly share: Promise<number> } | undefined;

  constructor(database: Database, shards: readonly Shard[]) {
    this.#database = database;
    this.#placed = { since: Date.now(), shards: Promise.resolve(shards) };
  }

  /**
   * Calls `read`, which reads a series; at most half of the connections wait for one node.
   * Throws a Problem with a time to retry while the node of the series does not answer.
   */
  async reading<T>(seriesId: string, read: () => Promise<T>): Promise<T> {
    const node = await this.#nodeOf(seriesId);
    return node.limit(() => this.#asking(node, read));
  }

  /** Asks a node, or throws while it is away; one question alone finds out whether it is back. */
  async #asking<T>(node: Node, ask: () => Promise<T>): Promise<T> {
    const now = Date.now();
    if (node.awayUntil > now) throw this.#away(node.awayUntil - now);
    if (node.pause > 0) node.awayUntil = now + node.pause;
    try {
      const answer = await ask();
      [node.awayUntil, node.pause] = [0, 0];
      return answer;
    } catch (error) {
      if (isLate(error)) {
        // Of several questions that were late together, the first counts.
        if (node.pause === 0 || node.awayUntil <= Date.now())
          node.pause = Math.min(longestPause, node.pause === 0 ? firstPause : node.pause * 2);
        node.awayUntil = Date.now() + node.pause;
      }
      throw error;
    }
  }

  /** Returns the share of the shards whose nodes answer, by a read of one row of each, a few seconds old at most. */
  answering(): Promise<number> {
    const now = Date.now();
    if (this.#probe === undefined || this.#probe.since + remembered < now) {
      const share = this.#probeAll();
      this.#probe = { since: now, share };
      share.catch(() => {
        this.#probe = undefined;
      });
    }
    return this.#probe.share;
  }

  async #probeAll(): Promise<number> {
    const shards = await this.#shardsNow();
    // Any text has a shard, and of these each node has one.
    const textOf = new Map(probes.map((text) => [shardOf(shards, text)?.node ?? 0, text]));
    const answers = Array.from(textOf, async ([id, text]) => {
      try {
        await this.#asking(this.#entryOf(id), () =>
          this.#database.inTransaction('read', async (transaction) => {
            await transaction.run(`set local statement_timeout to '${probeSeconds}s'`);
            await transaction.rows('select 1 from asof.series where id = @text', { text });
          }),
        );
        return [id];
      } catch {
        return [];
      }
    });
    const answering = (await Promise.all(answers)).flat();
    return shards.filter(({ node }) => answering.includes(node)).length / shards.length;
  }

  async #nodeOf(seriesId: string): Promise<Node> {
    return this.#entryOf(shardOf(await this.#shardsNow(), seriesId)?.node ?? 0);
  }

  /** Returns the shards of series as they were a minute ago at most: a rebalance moves them. */
  #shardsNow(): Promise<readonly Shard[]> {
    const now = Date.now();
    if (this.#placed.since + placesKept < now) {
      const shards = this.#database.inTransaction('read', shardsOfSeries);
      this.#placed = { since: now, shards };
      shards.catch(() => {
        this.#placed.since = 0;
      });
    }
    return this.#placed.shards;
  }

  #entryOf(id: number): Node {
    const limit = Math.max(1, Math.floor(this.#database.connections / 2));
    const node = this.#nodes.get(id) ?? { id, limit: pLimit(limit), awayUntil: 0, pause: 0 };
    this.#nodes.set(id, node);
    return node;
  }

  #away(milliseconds: number): Problem {
    return new Problem(
      'unreachable',
      `cannot reach the store ${this.#database.shown}: the node with this series does not answer`,
      { retryAfter: Math.ceil(milliseconds / 1000) },
    );
  }
}

/** Tells whether the server ended a statement that took too long. */
function isLate(error: unknown): boolean {
  const { cause } = error as { readonly cause?: { readonly code?: string } };
  return cause?.code === '57014';
}
