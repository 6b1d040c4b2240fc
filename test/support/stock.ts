import { Problem } from '../../src/errors/problem.ts';
import type { Envelope, Row } from '../../src/operations/envelope.ts';
import type { Operation } from '../../src/operations/operation.ts';
import type { ParamTexts } from '../../src/operations/param.ts';
import { createService, owner } from '../../src/service/service.ts';
import { openStore } from '../../src/store/open.ts';
import { facts, importFiles, newStorePath, scratchFolder } from './scratch-store.ts';

/** Where the stores of a test file lie. */
export const folder = scratchFolder();

const months = Array.from({ length: 8 }, (_, i) => `2020-0${i + 1}-01`);
/** Its series. */
export const names = ['GDP', 'GDPC1', 'CPI', 'CPIGDP', 'A1', 'A2', 'PAY'];
const titles: Readonly<Record<string, string>> = {
  GDP: 'Product, total',
  GDPC1: 'Gross product',
  CPI: 'Prices of gross trade',
  CPIGDP: 'Ratio',
  A1: 'A grossly long one',
  A2: 'GDP per head',
  PAY: 'Payrolls',
};
/** The days that its curve is of. */
export const trades = ['2020-01-02', '2020-01-03', '2020-01-06'];

/** A new store of seven series, of which GDP has eight dates in two vintages, and of two curves. */
export async function newStore(): Promise<string> {
  const path = newStorePath(folder);
  const lines = names.map((id) => `${id} 2020-01-01 2020-02-01 1`);
  await importFiles(path, {
    'facts.csv': facts(
      ...lines,
      ...months
        .slice(1)
        .flatMap((date, i) => [`GDP ${date} 2020-12-01 ${i}`, `GDP ${date} 2021-01-01 ${i}.5`]),
    ),
    'metadata.csv': `series_id,title\n${names.map((id) => `${id},"${titles[id]}"\n`).join('')}`,
    'par.csv': `DATE,DGS1MO,DGS10,DGS2\n${trades.map((day, i) => `${day},1.${i},3.${i},2.${i}`).join('\n')}\n`,
    'real.csv': 'DATE,DFII10\n2020-01-02,0.1\n',
  });
  return path;
}

/** The owner's answer of a store. */
export async function ask(path: string, operation: Operation, given: ParamTexts): Promise<Envelope> {
  const store = await openStore(path);
  try {
    const service = createService({ store, clock: () => new Date('2026-01-15T12:00:00Z') });
    return await service.answer(operation, given, owner);
  } finally {
    await store.close();
  }
}

/** The problem that a request ends in. */
export async function problemOf(path: string, operation: Operation, given: ParamTexts): Promise<Problem> {
  const outcome = await ask(path, operation, given).catch((error: unknown) => error);
  if (outcome instanceof Problem) return outcome;
  throw new Error(`it answered ${JSON.stringify(outcome)}`);
}

/** An observation as `2020-01-01 1`. */
export const day = (row: Row) => `${String(row.date).slice(0, 10)} ${row.value}`;
const newest = [...months].reverse();
/** All observations of GDP, newest first. */
export const latest = newest.map((date, i) => (i === 7 ? `${date} 1` : `${date} ${6 - i}.5`));
/** What they were at the end of 2020. */
export const known = newest.map((date, i) => (i === 7 ? `${date} 1` : `${date} ${6 - i}`));
