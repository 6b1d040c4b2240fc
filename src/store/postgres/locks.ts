import { ImportsCollide } from '../collision.ts';
import { lockNumber, type Transaction } from './connection.ts';

/** What a transaction locks: everything, or what these names stand for. */
export type LockPlan = 'everything' | readonly string[];

/** With more locks than this, an import locks the whole store: the server has a table of some thousands for all. */
const mostLocks = 500;

/**
 * The locks of one import, which end with its transaction. Only a lock whose number is above all held ones is waited for,
 * so that imports wait for each other in one order and never in a circle. A lock below, which another import holds, ends
 * this import with `ImportsCollide`: it begins again with all these locks at once.
 */
export class ImportLocks {
  readonly #transaction: Transaction;
  readonly #schema: string;
  readonly #names = new Set<string>();
  #highest: bigint | undefined;
  #everything = false;

  private constructor(transaction: Transaction, schema: string) {
    this.#transaction = transaction;
    this.#schema = schema;
  }

  /** Takes the locks that an import is known to need; waits for those that others hold. */
  static async take(transaction: Transaction, schema: string, plan: LockPlan): Promise<ImportLocks> {
    const locks = new ImportLocks(transaction, schema);
    locks.#everything = plan === 'everything';
    const how = locks.#everything ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
    // Who locks everything waits for all who have a part, and keeps out all who want one.
    await transaction.run(`select ${how}(@key)`, { key: lockNumber(`store ${schema}`) });
    if (plan !== 'everything') await locks.lock(plan);
    return locks;
  }

  async lock(names: readonly string[]): Promise<void> {
    if (this.#everything) return;
    const fresh = [...new Set(names)].filter((name) => !this.#names.has(name));
    if (fresh.length === 0) return;
    if (this.#names.size + fresh.length > mostLocks) throw new ImportsCollide('everything');
    const keys = fresh.map((name) => lockNumber(`${name} of ${this.#schema}`));
    keys.sort((a, b) => (a < b ? -1 : 1));
    const [lowest = 0n] = keys;
    const inOrder = this.#highest === undefined || lowest > this.#highest;
    const how = inOrder ? 'pg_advisory_xact_lock(key) is not null' : 'pg_try_advisory_xact_lock(key)';
    const locked = await this.#transaction.row<{ all: boolean }>(
      `select bool_and(locked) as all from (select ${how} as locked from unnest(@keys::bigint[]) as key) as each`,
      { keys },
    );
    if (locked?.all !== true) throw new ImportsCollide([...this.#names, ...fresh]);
    for (const name of fresh) this.#names.add(name);
    const highest = keys.at(-1) ?? lowest;
    if (this.#highest === undefined || highest > this.#highest) this.#highest = highest;
  }
}
