import { addDays, utcDay } from '../../domain/series/date.ts';
import { Problem } from '../../errors/problem.ts';
import type { Envelope } from '../../operations/envelope.ts';
import { curve, yields } from '../../operations/index.ts';
import type { ParamTexts } from '../../operations/param.ts';
import { datedText } from '../options/knowledge.ts';
import type { Session } from '../run/session.ts';
import type { QueryCommand } from './query.ts';

/** `asof curve`: exactly a day's curve, or with `--on-or-before` the newest one up to it; with `--vs` beside that of another day. */
export const curveCommand: QueryCommand = {
  addFlags: (command) => {
    command
      .option('--on-or-before', 'the newest curve on or before the date')
      .option('--vs <date>', 'beside it the curve of another day, and the change since then in basis points');
  },
  async questions(_typed, given, flags, session) {
    const date = given.find(([name]) => name === 'date')?.[1];
    if (flags.onOrBefore !== true || date === undefined) return [{ given, label: 'curve' }];
    return [{ given: await onOrBefore('date', date, given, session), label: 'curve' }];
  },
  async shape({ date, vs, type, onOrBefore: nearest }, _output, session) {
    const looksBack = nearest === true;
    const page = (own: Envelope): Envelope => {
      if (date !== undefined) noteMissing(own, resolved(date, session), looksBack, session);
      return own;
    };
    if (vs === undefined) return { fields: curve.fields, columns: curve.columns, page };
    const other = datedText('vs', String(vs), session.io, session.talk);
    const asked: ParamTexts = [
      ['date', other],
      ...(type === undefined ? [] : [['curve_type', String(type).toUpperCase()] as const]),
    ];
    const { comparison, comparisonColumns, compared } = await import('../composed/curve-comparison.ts');
    return {
      fields: comparison,
      columns: comparisonColumns,
      async *pages(pages) {
        const given = looksBack ? await onOrBefore('vs', other, asked, session) : asked;
        const beside = await session.client.ask(curve, given).catch((error) => {
          throw renamed(error, 'date', 'vs');
        });
        noteMissing(beside, other, looksBack, session);
        for await (const own of pages) yield compared(page(own), beside);
      },
    };
  },
  drawing: async (questions, _given, flags) =>
    (await import('../charts/curve.ts')).curveDrawing(questions, flags.vs !== undefined),
};

/** Says when a day has no curve, and how to get the one before it. */
function noteMissing({ results }: Envelope, date: string, looksBack: boolean, { talk }: Session): void {
  if (results.length > 0) return;
  talk.note(
    looksBack
      ? `asof: no curve on or before ${date}`
      : `asof: no curve on ${date}; --on-or-before takes the newest one before it`,
  );
}

function resolved(date: unknown, { io }: Session): string {
  return date === 'today' ? utcDay(io.clock()) : String(date);
}

/** The parameters with the trade date of the newest curve up to `date`, and a word where that is another day. */
async function onOrBefore(
  name: string,
  date: string,
  given: ParamTexts,
  session: Session,
): Promise<ParamTexts> {
  const used = await newestUpTo(name, date, given, session);
  if (used !== date) session.talk.note(`asof: no curve on ${date}; this is ${used}`);
  return given.map(([key, text]) => [key, key === 'date' ? used : text]);
}

/** The same failure, said of the flag that was typed. */
function renamed(error: unknown, from: string, to: string): unknown {
  if (!(error instanceof Problem) || error.field !== from) return error;
  return new Problem(error.kind, error.detail.replace(`'${from}'`, `'${to}'`), { field: to });
}

/**
 * The trade date of the newest curve up to `date`, as the rates over time tell it; `date` itself when there is none.
 * It asks on until nothing newer is found, because not every service gives the newest rates first.
 */
async function newestUpTo(
  name: string,
  date: string,
  given: ParamTexts,
  { client }: Session,
): Promise<string> {
  const type = given.filter(([name]) => name === 'curve_type');
  const newestOf = async (given: ParamTexts): Promise<string> => {
    const page = await client.ask(yields, [...type, ...given, ['to', date]]);
    const days = page.results.map(({ trade_date }) => trade_date);
    return days.filter((day) => day <= date).reduce(later, '');
  };
  let newest = await newestOf([['limit', '1']]).catch((error) => {
    throw renamed(error, 'to', name);
  });
  while (newest !== '' && newest < date) {
    const next = await newestOf([
      ['from', addDays(newest, 1)],
      ['limit', '1000'],
    ]);
    if (next <= newest) break;
    newest = next;
  }
  return newest === '' ? date : newest;
}

function later(a: string, b: string): string {
  return a > b ? a : b;
}
