import { yields } from '../../operations/index.ts';
import { Problem } from '../../problem.ts';
import type { Given } from '../pages.ts';
import type { Session } from '../session.ts';
import type { QueryCommand } from './query.ts';

/** `asof curve`: exactly a day's curve, or with `--on-or-before` the newest one up to it. */
export const curveCommand: QueryCommand = {
  addFlags: (command) => {
    command.option('--on-or-before', 'the newest curve on or before the date');
  },
  async questions(_typed, given, flags, session) {
    const date = given.find(([name]) => name === 'date')?.[1];
    if (flags.onOrBefore !== true || date === undefined) return [{ given, label: 'curve' }];
    const used = await newestUpTo(date, given, session);
    if (used !== date) session.talk.note(`asof: no curve on ${date}; this is ${used}`);
    return [{ given: given.map(([name, text]) => [name, name === 'date' ? used : text]), label: 'curve' }];
  },
};

/** The trade date of the newest curve up to `date`, as the rates over time tell it; `date` itself when there is none. */
async function newestUpTo(date: string, given: Given, { client }: Session): Promise<string> {
  const type = given.filter(([name]) => name === 'curve_type');
  const page = await client.ask(yields, [...type, ['to', date], ['limit', '1']]).catch((error) => {
    if (error instanceof Problem && error.field === 'to') {
      throw new Problem(error.kind, error.detail.replace("'to'", "'date'"), { field: 'date' });
    }
    throw error;
  });
  return String(page.results[0]?.trade_date ?? date).slice(0, 10);
}
