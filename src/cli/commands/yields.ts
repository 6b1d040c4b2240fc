import { maturitiesOf } from '../../domain/treasury/curve.ts';
import { Problem } from '../../errors/problem.ts';
import type { Envelope, Row } from '../../operations/envelope.ts';
import type { Field } from '../../operations/field.ts';
import { everything } from '../run/pages.ts';
import type { QueryCommand } from './query.ts';

/** `asof yields`: one row a rate, or with `--wide` one row a date and one column a maturity. */
export const yieldsCommand: QueryCommand = {
  addFlags: (command) => {
    command.option('--wide', 'one row a date, one column a maturity; --limit counts dates');
  },
  async shape({ wide, type, maturity, cursor, limit }) {
    if (wide !== true) return undefined;
    if (cursor !== undefined)
      throw new Problem('bad-input', '--cursor continues the rows of the service: leave out --wide');
    const names = maturitiesOf(String(type).toUpperCase() === 'TIPS' ? 'TIPS' : 'PAR');
    const shown = names.filter((name) => maturity === undefined || name === String(maturity).toUpperCase());
    const fields: readonly Field[] = [
      { name: 'trade_date', type: 'day', description: 'Date of the curve.' },
      ...shown.map(
        (name): Field => ({ name, type: 'decimal', description: 'Rate in percent.', nullable: true }),
      ),
    ];
    return {
      fields,
      columns: fields.map(({ name }) => name),
      extent: everything,
      pages: (pages) => upTo(limit, wideRows(pages, shown)),
    };
  },
};

/** A row for each date from rows for each rate; a maturity that has no rate that day is null. */
async function* wideRows(
  pages: AsyncGenerator<Envelope>,
  names: readonly string[],
): AsyncGenerator<Envelope> {
  const none = Object.fromEntries(names.map((name) => [name, null]));
  let day: Row | undefined;
  let waiting: Envelope | undefined;
  for await (const page of pages) {
    if (waiting !== undefined) yield waiting;
    const days: Row[] = [];
    for (const { trade_date = null, maturity, rate = null } of page.results) {
      if (day !== undefined && day.trade_date !== trade_date) {
        refuseDisorder(day.trade_date, trade_date);
        days.push(day);
        day = undefined;
      }
      day = { ...(day ?? { trade_date, ...none }), [String(maturity)]: rate };
    }
    waiting = wide(page, days);
  }
  // The last date is complete only now.
  if (waiting !== undefined)
    yield wide(waiting, day === undefined ? waiting.results : [...waiting.results, day]);
}

function wide(page: Envelope, results: readonly Row[]): Envelope {
  return { ...page, object: 'yield_table', results, results_count: results.length };
}

/** Rates of one date that do not stand together would make two rows of it. */
function refuseDisorder(one: unknown, next: unknown): void {
  if (String(next) < String(one)) return;
  throw new Problem('bad-answer', `the service gives rates of ${String(next)} after those of ${String(one)}`);
}

/** The first rows; nothing more is asked for than they need. */
async function* upTo(limit: number | undefined, pages: AsyncGenerator<Envelope>): AsyncGenerator<Envelope> {
  let left = limit ?? Number.POSITIVE_INFINITY;
  for await (const page of pages) {
    const results = page.results.slice(0, left);
    left -= results.length;
    yield { ...page, results, results_count: results.length, has_more: results.length < page.results.length };
    if (left <= 0) return;
  }
}
