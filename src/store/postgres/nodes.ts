// Why: docs/decisions/lost-nodes.md
import pLimit from 'p-limit';
import { Problem } from '../../errors/problem.ts';
import type { Database } from './connection.ts';

/** Milliseconds for which asof remembers whether the nodes answer, and where shards are. */
const [remembered, placesKept] = [5000, 60_000];

/**
 * Milliseconds until asof asks a node again that did not answer: each time twice as many, up to the second number.
 * Each question may cost a connection of the server until the node is back, as Citus waits for it.
 */
const [firstPause, longestPause] = [5000, 60_000];

/** The time limit of a probe, in seconds, and the number of series whose nodes are remembered. */
const [probeSeconds, mostSeries] = [2, 20_000];

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
  #placed = { since: 0, nodeOf: new Map<string, Promise<Node>>() };
  #probe: { readonly since: number; readonly share: Promise<number> } | undefined;

  constructor(database: Database) {
    this.#database = database;
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
    // Any text has a shard; of some hundred texts, each node has one.
    const probes = await this.#database.inTransaction('read', (transaction) =>
      transaction.rows<{ readonly id: number; readonly text: string; readonly shards: number }>(
        `select p.groupid as id, min(text) as text, count(distinct p.shardid) as shards
         from (select text, get_shard_id_for_distribution_column('asof.series', text) as shardid
               from (select 'probe' || n as text from generate_series(1, 999) as n) as texts) as each
         join pg_dist_placement p on p.shardid = each.shardid group by 1`,
      ),
    );
    const answers = probes.map(async ({ id, text, shards }) => {
      try {
        await this.#asking(this.#entryOf(id), () =>
          this.#database.inTransaction('read', async (transaction) => {
            await transaction.run(`set local statement_timeout to '${probeSeconds}s'`);
            await transaction.rows('select 1 from asof.series where id = @text', { text });
          }),
        );
        return shards;
      } catch {
        return 0;
      }
    });
    const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
    return sum(await Promise.all(answers)) / sum(probes.map(({ shards }) => shards));
  }

  #nodeOf(seriesId: string): Promise<Node> {
    const now = Date.now();
    if (this.#placed.since + placesKept < now || this.#placed.nodeOf.size > mostSeries)
      this.#placed = { since: now, nodeOf: new Map() };
    const { nodeOf } = this.#placed;
    const known = nodeOf.get(seriesId) ?? this.#lookUp(seriesId);
    nodeOf.set(seriesId, known);
    known.catch(() => nodeOf.delete(seriesId));
    return known;
  }

  async #lookUp(seriesId: string): Promise<Node> {
    const [id = 0] = await this.#database.inTransaction('read', (transaction) =>
      transaction.column<number>(
        `select groupid from pg_dist_placement
         where shardid = get_shard_id_for_distribution_column('asof.series', @seriesId::text)`,
        { seriesId },
      ),
    );
    return this.#entryOf(id);
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
