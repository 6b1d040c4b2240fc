// Why: docs/decisions/locks-of-imports.md
import { ImportsCollide } from '../sql/session.ts';
import { lockNumber, type Transaction, type TransactionLocks } from './connection.ts';

/** Issuers share this many locks: all transactions of a server share a few thousand. */
const issuerLocks = 256n;

/** The number that imports share and changes of aliases need alone: no series takes a name meanwhile. */
const names = 'names of series';

/** Rows that an import locks, by their names; a `part` is a row of a table with its key. */
const rowsOf = {
  series: 'select 1 from asof.series where id = any(@keys::text[]) order by id for update',
  filings: `select 1 from asof.filing where issuer_cik = any(@keys::text[])
    order by issuer_cik, filing_id for update`,
} as const;

/** Where the rows of Citus' shards are. */
const tableOf = { series: 'asof.series', filings: 'asof.filing' } as const;

type LockedRows = keyof typeof rowsOf;

/**
 * The locks of one import, which its transaction holds until it ends: the rows of its series, and numbers.
 * An import waits only for what comes after all that it holds, in one order: no two imports wait for each other.
 * For anything else it does not wait, and fails with `ImportsCollide`; it begins again with all these locks.
 */
export class ImportLocks implements TransactionLocks {
  readonly #transaction: Transaction;
  readonly #distributed: boolean;
  readonly #parts = new Set<string>();
  #highest: bigint | undefined;
  #last = '';
  #everything = false;

  private constructor(transaction: Transaction, distributed: boolean) {
    this.#transaction = transaction;
    this.#distributed = distributed;
  }

  /** Takes the locks that an import is known to need; waits until other imports release them. */
  static async take(
    transaction: Transaction,
    distributed: boolean,
    plan: ImportsCollide['needed'],
  ): Promise<ImportLocks> {
    const locks = new ImportLocks(transaction, distributed);
    locks.#everything = plan === 'everything';
    const how = locks.#everything ? 'pg_advisory_xact_lock' : 'pg_advisory_xact_lock_shared';
    // A copy locks the whole store: it waits for all imports, and makes later ones wait.
    await transaction.run(`select ${how}(@key)`, { key: lockNumber(`store ${transaction.database.schema}`) });
    if (plan !== 'everything') await locks.lock(plan);
    return locks;
  }

  /** Returns the failure of an import that another one was ahead of: it begins again with all its locks. */
  collision(cause?: unknown): ImportsCollide {
    if (this.#everything) return new ImportsCollide('everything', cause);
    // Two imports that make the same series would meet again: the later one waits until no other one makes any.
    const needed = [...this.#parts].map((part) => (part === 'a new series' ? 'aliases' : part));
    return new ImportsCollide(needed, cause);
  }

  /** Returns the ids of the series and the issuers that the import locked; undefined if it locked everything. */
  get locked(): { readonly series: readonly string[]; readonly filings: readonly string[] } | undefined {
    if (this.#everything) return undefined;
    const keysOf = (kind: string) =>
      [...this.#parts].flatMap((part) => (part.startsWith(kind) ? [part.slice(kind.length)] : []));
    return { series: keysOf('series '), filings: keysOf('filings ') };
  }

  async lock(parts: readonly string[]): Promise<void> {
    if (this.#everything) return;
    const fresh = [...new Set(parts)].filter((part) => !this.#parts.has(part));
    if (fresh.length === 0) return;
    // This lock comes last, and imports wait for it in any order: they take no other one for long afterwards.
    if (fresh.includes('imports'))
      await this.#transaction.run('select pg_advisory_xact_lock(@key)', { key: this.#number('imports') });
    // Remembered before they are locked, because an import that fails here needs them.
    for (const part of fresh) if (part !== 'imports') this.#parts.add(part);
    const keys: Record<LockedRows, string[]> = { series: [], filings: [] };
    const numbers = new Map<bigint, 'shared' | 'alone'>();
    for (const part of fresh) {
      const [, kind, key = ''] = /^(series|filings) (.*)$/s.exec(part) ?? [];
      if (kind === 'series') keys.series.push(key);
      else if (kind === 'filings') {
        numbers.set(this.#number(`filings ${lockNumber(key) & (issuerLocks - 1n)}`), 'alone');
        // Elsewhere the number suffices; on Citus a row may wait for the end of a transaction.
        if (this.#distributed) keys.filings.push(key);
      } else if (part === 'a new series') numbers.set(this.#number(names), 'shared');
      else if (part !== 'imports') numbers.set(this.#number(part === 'aliases' ? names : part), 'alone');
    }
    await this.#lockNumbers(numbers);
    for (const table of ['filings', 'series'] as const) await this.#lockRows(table, keys[table]);
  }

  #number(part: string): bigint {
    return lockNumber(`${part} of ${this.#transaction.database.schema}`);
  }

  async #lockNumbers(numbers: ReadonlyMap<bigint, 'shared' | 'alone'>): Promise<void> {
    const keys = [...numbers.keys()].sort((a, b) => (a < b ? -1 : 1));
    const [lowest, highest] = [keys[0], keys.at(-1)];
    if (lowest === undefined || highest === undefined) return;
    // Rows come after all numbers.
    const inOrder = this.#last === '' && (this.#highest === undefined || lowest > this.#highest);
    const how = (name: string) =>
      inOrder ? `pg_advisory_xact_${name}(key) is not null` : `pg_try_advisory_xact_${name}(key)`;
    const locked = await this.#transaction.row<{ all: boolean }>(
      `select bool_and(locked) as all from (
         select case when alone then ${how('lock')} else ${how('lock_shared')} end as locked
         from unnest(@keys::bigint[], @alone::boolean[]) as each (key, alone)
       ) as each`,
      { keys, alone: keys.map((key) => numbers.get(key) === 'alone') },
    );
    if (locked?.all !== true) throw this.collision();
    if (this.#highest === undefined || highest > this.#highest) this.#highest = highest;
  }

  /** Locks rows, shard by shard; on Citus this waits for a transaction that a node prepared and has not ended. */
  async #lockRows(table: LockedRows, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    for (const [shard, own] of await this.#byShard(table, keys)) {
      const places = own.map((key) => `${table} ${shard} ${key}`).sort();
      const inOrder = (places[0] ?? '') > this.#last;
      await this.#transaction.run(`${rowsOf[table]}${inOrder ? '' : ' nowait'}`, { keys: own });
      const last = places.at(-1) ?? '';
      if (last > this.#last) this.#last = last;
    }
  }

  /** Groups the keys of rows by shard, because Citus locks rows in one shard at a time; in the order of locks. */
  async #byShard(
    table: LockedRows,
    keys: readonly string[],
  ): Promise<readonly (readonly [shard: string, keys: readonly string[]])[]> {
    if (!this.#distributed) return [['', keys]];
    return this.#transaction.tuples<readonly [shard: string, keys: readonly string[]]>(
      `select lpad(get_shard_id_for_distribution_column('${tableOf[table]}', key)::text, 20, '0') as shard,
         array_agg(key) as keys
       from unnest(@keys::text[]) as key group by 1 order by 1`,
      { keys },
    );
  }
}
