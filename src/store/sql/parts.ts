import type { WholeView } from '../store.ts';
import type { WriteTransaction } from '../transaction.ts';
import { contentsIn, seriesWrites } from './contents.ts';
import type { Engine } from './engine.ts';
import { filingsIn } from './filings.ts';
import { ratesIn } from './rates.ts';
import { seriesIn } from './series.ts';
import type { PartLocks, SqlSession } from './session.ts';
import { descriptionsIn, sourcesIn } from './sources.ts';

/** What a view answers in a transaction, by subject. */
export function viewIn(session: SqlSession, engine: Engine): Omit<WholeView, 'state'> {
  return {
    series: seriesIn(session, engine.series),
    rates: ratesIn(session),
    filings: filingsIn(session, engine.filings),
    sources: sourcesIn(session, engine),
    contents: contentsIn(session, engine),
  };
}

/** What an import reads and writes in a transaction, under the locks that it holds. */
export function rowsIn(
  session: SqlSession,
  engine: Engine,
  locks?: PartLocks,
): Omit<WriteTransaction, 'address' | 'commit' | 'created' | 'rollback'> {
  return {
    ...seriesWrites(session, engine.series, locks),
    descriptions: descriptionsIn(session),
    rates: ratesIn(session, locks),
    filings: filingsIn(session, engine.filings, locks),
    sources: sourcesIn(session, engine),
  };
}
