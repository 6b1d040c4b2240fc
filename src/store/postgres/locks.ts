import { ImportsCollide } from '../collision.ts';
import { lockNumber, type Transaction } from './connection.ts';

/** An import that needs more locks locks the whole store, because all transactions share a few thousand locks. */
const mostLocks = 500;

/**
 * The locks of one import, which its transaction holds until it ends. An import waits only for a lock whose number is
 * above those of all its locks, so that imports never wait for each other in a circle. If it needs a lower one that
 * another import holds, it fails with `ImportsCollide`, and is tried again with all these locks taken at the beginning.
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

  /**
   * Takes the locks that an import is known to need, those of some parts of the store or of everything; waits until
   * other imports release them.
   */
  static async take(
    transaction: Transaction,
    schema: string,
    plan: ImportsCollide['needed'],
  ): Promise<ImportLocks> {
    const locks = new ImportLocks(transaction, schema);
    locks.#everything = plan === 'everything';
    const how = locks.#everything ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
    // An import that locks everything waits for the imports that hold a part, and makes later ones wait.
    await transaction.run(`select ${how}(@key)`, { key: lockNumber(`store ${schema}`) });
    if (plan !== 'everything') await locks.lock(plan);
    return locks;
  }

  lockSeries(ids: readonly string[]): Promise<void> {
    return this.lock(ids.map((id) => `series ${id}`));
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
