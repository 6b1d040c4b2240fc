import { describe } from 'vitest';
import { scratchFolder } from './folders.ts';
import { digestOfSchema, newSchemaAddress } from './postgres/schemas.ts';
import { digestOf, newStorePath } from './scratch-store.ts';

/** An engine of stores, as the contract suite needs it. Its stores are opened, written and read by their addresses. */
export type Engine = {
  readonly name: string;
  /** The address of a store that does not exist yet; what a test makes there is removed after its file. */
  newAddress(): string;
  /** The address of an access store that does not exist yet. */
  newAccessAddress(): string;
  /** A digest of everything that the store at an address holds; undefined where there is none. */
  digest(address: string): Promise<string | undefined>;
};

const folder = scratchFolder();

/** SQLite alone, for what only files have. */
export const sqlite: Engine = {
  name: 'SQLite',
  newAddress: () => newStorePath(folder),
  newAccessAddress: () => newStorePath(folder),
  digest: async (address) => digestOf(address),
};

/** PostgreSQL alone, for suites that record its statements. */
export const postgres: Engine = {
  name: 'PostgreSQL',
  newAddress: newSchemaAddress,
  newAccessAddress: newSchemaAddress,
  digest: digestOfSchema,
};

/** Every engine that a store can have. */
export const engines: readonly Engine[] = [sqlite, postgres];

/** Runs cases on each engine. */
export function onEveryEngine(cases: (engine: Engine) => void): void {
  for (const engine of engines) describe(`on ${engine.name}`, () => cases(engine));
}

/**
 * Runs cases of the contract of stores on SQLite. `test/integration/store/postgres/statements.test.ts` runs them on
 * PostgreSQL, and records what is sent there.
 */
export function contract(cases: (engine: Engine) => void): void {
  describe('on SQLite', () => cases(sqlite));
}
