import { describe, expect, it } from 'vitest';
import { type Operation, prepare } from '../../../src/operations/operation.ts';
import type { ParamTexts } from '../../../src/operations/param.ts';
import { boundedClient } from '../../../src/snapshot/bind.ts';
import { operations } from '../../support/operations.ts';
import { answerWith, madeUpClient } from '../../support/service-double.ts';

const day = '2015-02-01';
const clock = { now: '2026-03-15T12:00:00Z', today: '2026-03-15', latest: '2026-03-16' };

/** The required parameters of each operation, and the parameter that limits it to a day, if there is one. */
const expected: Readonly<Record<string, readonly [given: string, bound: string | undefined]>> = {
  series_search: ['', undefined],
  series_show: ['id=GDP', undefined],
  observations: ['id=GDP', 'as_of'],
  revisions: ['id=GDP from=2030-01-01', undefined],
  vintages: ['id=GDP', 'to'],
  calendar: ['', 'as_of'],
  next_release: ['id=GDP', 'as_of'],
  curve: ['', 'date'],
  yields: ['', 'to'],
  spread: ['', 'to'],
  insider_filings: ['', 'as_of'],
  insider_clusters: ['', 'as_of'],
  insider_cluster_explanations: ['', 'as_of'],
  insider_cluster_signals: ['', 'as_of'],
};

const givenBy = (text: string) =>
  text === '' ? [] : text.split(' ').map((pair) => pair.split('=') as [string, string]);

/** A client that records its requests, reads them as a service does, and answers with rows known on days, by page. */
function recording(...pages: readonly (readonly string[])[]) {
  const asked: ParamTexts[] = [];
  const client = madeUpClient(async (operation, texts) => {
    prepare(operation, texts, clock);
    const page = asked.push([...texts]);
    const rows = (pages[page - 1] ?? []).map((known) => ({ [operation.knownBy ?? '']: known }));
    return { ...answerWith(operation, rows), ...(page < pages.length && { next_cursor: `page ${page}` }) };
  });
  return { client: boundedClient(client, day), asked };
}

/** What is due is asked of now, and ping of the caller. */
const bounded = operations.filter(({ name }) => !['due', 'ping'].includes(name));

describe('a client that is kept to a day', () => {
  it('has a rule for every operation', () => {
    expect(bounded.map(({ name }) => name).sort()).toEqual(Object.keys(expected).sort());
  });

  it.each(bounded)(
    'asks $name for nothing later, and shows no row that was known later',
    async (operation) => {
      const [text, bound] = expected[operation.name] ?? ['', undefined];
      const given = givenBy(text);
      const { client, asked } = recording(['2015-01-31', '2015-02-01', '2015-02-02']);
      const { results, results_count } = await client.ask(operation, given);
      expect(asked).toEqual([bound === undefined ? given : [...given, [bound, day]]]);
      expect(results.map((row) => row[operation.knownBy ?? ''])).toEqual(['2015-01-31', '2015-02-01']);
      expect(results_count).toBe(2);
    },
  );

  const days: readonly (readonly [operation: Operation, name: string])[] = bounded.flatMap((operation) =>
    Object.entries(operation.params)
      .filter(([, { schema, ofPeriod }]) => schema.format === 'date' && ofPeriod !== true)
      .map(([name]) => [operation, name] as const),
  );

  it.each(days)('refuses $name a later day', async (operation, name) => {
    const { client, asked } = recording();
    const given = givenBy(expected[operation.name]?.[0] ?? '');
    await client.ask(operation, [...given, [name, day]]);
    await expect(client.ask(operation, [...given, [name, '2015-02-02']])).rejects.toThrow(
      `'${name}' 2015-02-02 is later than 2015-02-01`,
    );
    expect(asked).toHaveLength(1);
  });

  it('asks for what was known at an instant on its day, and refuses one on a later day', async () => {
    const { client, asked } = recording(['2015-02-01']);
    const observations = operations.find(({ name }) => name === 'observations') as Operation;
    const at = (instant: string) => client.ask(observations, [...givenBy('id=GDP'), ['known_at', instant]]);
    await at('2015-02-01T23:59:59Z');
    expect(asked).toEqual([
      [
        ['id', 'GDP'],
        ['known_at', '2015-02-01T23:59:59Z'],
      ],
    ]);
    // In UTC this is the next day.
    for (const later of ['2015-02-02T00:00:00Z', '2015-02-01T20:00-05:00'])
      await expect(at(later)).rejects.toThrow(`'known_at' ${later} is later than 2015-02-01`);
  });

  it('reads on where all of a page was known later, which would look like the end', async () => {
    const { client, asked } = recording(['2015-02-02', '2015-02-03'], ['2015-02-01']);
    const observations = operations.find(({ name }) => name === 'observations') as Operation;
    expect((await client.ask(observations, [['id', 'GDP']])).results).toEqual([{ as_of_date: '2015-02-01' }]);
    expect(asked[1]).toEqual([
      ['id', 'GDP'],
      ['as_of', day],
      ['cursor', 'page 1'],
    ]);
  });

  it('refuses an operation that no day bounds', async () => {
    const ping = operations.find(({ name }) => name === 'ping') as Operation;
    await expect(recording().client.ask(ping, [])).rejects.toThrow('ping has no as-of date');
  });

  it('leaves unknown parameters to the service', async () => {
    const { client } = recording();
    const curve = operations.find(({ name }) => name === 'curve') as Operation;
    await expect(client.ask(curve, [['date', 'x']])).rejects.toThrow("invalid 'date' date");
    await expect(client.ask(curve, [['dat', '2015-01-01']])).rejects.toThrow("unknown parameter 'dat'");
  });
});
