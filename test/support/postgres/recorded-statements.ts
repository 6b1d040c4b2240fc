import pg from 'pg';
import { vi } from 'vitest';
import { Database } from '../../../src/store/postgres/connection.ts';

/** A statement of the engine as it writes it, and the parameters of some of its runs. */
export type RecordedStatement = { readonly sql: string; readonly runs: readonly (readonly unknown[])[] };

/** The runs of a statement that are kept. */
const mostRuns = 20;

/**
 * Records the statements that this process sends to PostgreSQL from now on, but those that make and distribute
 * tables.
 */
export function recordStatements(): () => readonly RecordedStatement[] {
  const sources = new Map<string, string>();
  const found = new Map<string, (readonly unknown[])[]>();
  const compile = Database.prototype.compiled;
  vi.spyOn(Database.prototype, 'compiled').mockImplementation(function (this: Database, sql) {
    const compiled = compile.call(this, sql);
    sources.set(compiled.text, sql);
    return compiled;
  });
  const query = pg.Client.prototype.query as (...given: readonly unknown[]) => unknown;
  vi.spyOn(pg.Client.prototype, 'query').mockImplementation(function (this: pg.Client, ...given: unknown[]) {
    const [sent] = given as [{ readonly text?: string; readonly values?: readonly unknown[] }];
    const sql = sources.get(sent.text ?? '');
    if (sql !== undefined && !isMigration(sql)) {
      const oneLine = sql.replaceAll(/\s+/g, ' ').trim();
      const runs = found.get(oneLine) ?? [];
      if (runs.length < mostRuns) runs.push(sent.values ?? []);
      found.set(oneLine, runs);
    }
    return query.apply(this, given);
  });
  return () => [...found].map(([sql, runs]) => ({ sql, runs }));
}

function isMigration(sql: string): boolean {
  return /^\s*(?:--.*\s*)*(?:create|alter)\b/.test(sql) || /set format = |citus|pg_dist_partition/.test(sql);
}
