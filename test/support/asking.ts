import { beforeAll } from 'vitest';
import { Problem } from '../../src/errors/problem.ts';
import type { Envelope } from '../../src/operations/envelope.ts';
import type { Operation, Principal } from '../../src/operations/operation.ts';
import type { ParamTexts } from '../../src/operations/param.ts';
import { createService, owner, type ServiceOptions } from '../../src/service/service.ts';
import { filings } from './contract-insider-cases.ts';
import { facts, importFiles, newStorePath, scratchFolder, withStore } from './scratch-store.ts';

const folder = scratchFolder();
/** A store of one series, two curves and a cluster of insiders, there when the first test begins. */
export const path = newStorePath(folder);
/** A plan without vintage access. */
export const free: Principal = { plan: 'free', monthlyLimit: 10000, ratePerMinute: 30, vintageAccess: false };

beforeAll(async () => {
  await importFiles(
    path,
    {
      'facts.csv': facts('GDP 2014-10-01 2015-01-30 17710.7', 'GDP 2014-10-01 2015-02-27 17701.30'),
      'metadata.csv':
        'series_id,title,units,frequency,seasonal_adjustment,source,covered_to\n' +
        'GDP,Gross Domestic Product,Billions of Dollars,Q,SAAR,BEA,2015-03-15\n',
      'par.csv':
        'DATE,DGS10,DGS1MO,DGS2\n2026-01-14,4.20,3.9,\n2026-01-16,4.30,3.8,\n2026-01-17,4.40,3.7,3.5\n',
      'real.csv': 'DATE,DFII5\n2026-01-14,1.5\n',
      ...filings,
    },
    { latest: '2026-01-18' },
  );
});

type Setting = Partial<Omit<ServiceOptions, 'store' | 'clock'>> & {
  readonly now?: string;
  readonly principal?: Principal;
};

/** The answer of that store to the owner, at noon of a day in January, unless the setting says otherwise. */
export function ask(operation: Operation, given: ParamTexts = [], setting: Setting = {}): Promise<Envelope> {
  const { now = '2026-01-15T12:00:00Z', principal = owner, ...options } = setting;
  return withStore(path, (store) =>
    createService({ store, clock: () => new Date(now), ...options }).answer(operation, given, principal),
  );
}

/** The problem that a request ends in. */
export async function problemOf(
  operation: Operation,
  given: ParamTexts,
  setting: Setting = {},
): Promise<Problem> {
  const outcome = await ask(operation, given, setting).catch((error: unknown) => error);
  if (outcome instanceof Problem) return outcome;
  throw new Error(`it answered ${JSON.stringify(outcome)}`);
}

/** The parameter that names the one series. */
export const gdp = ['id', 'GDP'] as const;
const needed = [gdp, ['date', '2014-10-01']] as const;
/** What an operation cannot be asked without. */
export const idOf = ({ params }: Operation): ParamTexts => needed.filter(([name]) => params[name]?.required);
