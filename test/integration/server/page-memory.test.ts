import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Envelope } from '../../../src/operations/envelope.ts';
import { observations } from '../../../src/operations/index.ts';
import type { ParamTexts } from '../../../src/operations/param.ts';
import { createPageMemory } from '../../../src/server/page-memory.ts';
import { createService, owner, type Service } from '../../../src/service/service.ts';
import { openStore } from '../../../src/store/open.ts';
import { facts, importFiles, newStorePath, scratchFolder } from '../../support/scratch-store.ts';

const dates = Array.from({ length: 12 }, (_, month) => `2014-${String(month + 1).padStart(2, '0')}-01`);
const days = Array.from({ length: 28 }, (_, day) => `2015-03-${String(day + 1).padStart(2, '0')}`);

const statement = fc.record({
  series: fc.constantFrom('A', 'B'),
  date: fc.constantFrom(...dates),
  // Few days of publication among many days of asking.
  day: fc.constantFrom(...days.filter((_, i) => i % 5 === 2)),
  value: fc.integer({ min: 1, max: 3 }),
});

const statements = fc.uniqueArray(statement, {
  minLength: 1,
  maxLength: 30,
  selector: ({ series, date, day }) => series + date + day,
});

const question: fc.Arbitrary<ParamTexts> = fc
  .record(
    {
      id: fc.constantFrom('A', 'B', 'C'),
      as_of: fc.constantFrom(...days),
      from: fc.constantFrom(...dates.slice(0, 6)),
      to: fc.constantFrom(...dates.slice(6)),
      limit: fc.constantFrom('1', '3', '1000'),
      release: fc.constant('first'),
    },
    { requiredKeys: ['id'] },
  )
  .map((texts) => Object.entries(texts) as ParamTexts);

function withoutId({ request_id: _id, ...rest }: Envelope) {
  return rest;
}

/** The envelope with which a service replies; only replies share pages. */
async function replyTo(service: Service, texts: ParamTexts): Promise<Envelope> {
  const request = { operation: observations, texts, principal: owner, requestId: 'req_1' };
  const { envelope } = await service.reply(request, () => false);
  if (envelope === undefined) throw new Error('there is no envelope');
  return envelope;
}

const textOf = (list: readonly { series: string; date: string; day: string; value: number }[]) =>
  facts(...list.map(({ series, date, day, value }) => `${series} ${date} ${day} ${value}`));

describe('pages that questions share', () => {
  const folder = scratchFolder();

  it('are what each of them would have been given, to the last page, also after an import', async () => {
    await fc.assert(
      fc.asyncProperty(
        statements,
        statements,
        fc.array(question, { minLength: 5, maxLength: 25 }),
        fc.integer({ min: 1, max: 60 }),
        async (before, after, questions, rows) => {
          const path = newStorePath(folder);
          await importFiles(path, { 'a.csv': textOf(before) });
          const store = await openStore(path);
          const sharing = createService({ store, pages: createPageMemory(rows) });
          const plain = createService({ store });
          const outcome = (service: typeof plain, given: ParamTexts) =>
            replyTo(service, given).then(withoutId, (error) => String(error));
          const compare = async () => {
            for (const first of questions) {
              let given = first;
              for (;;) {
                const answer = await outcome(plain, given);
                expect(await outcome(sharing, given)).toStrictEqual(answer);
                if (typeof answer === 'string' || answer.next_cursor === undefined) break;
                given = [...first, ['cursor', answer.next_cursor]];
              }
            }
          };
          await compare();
          await importFiles(path, { 'b.csv': textOf(after) }, { replace: true });
          await compare();
          await store.close();
        },
      ),
      { numRuns: 25 },
    );
  });

  it('are kept for all days of knowledge from one vintage to the next when read twice, until they give way', async () => {
    const path = newStorePath(folder);
    await importFiles(path, {
      'a.csv': facts('A 2014-01-01 2015-03-03 1', 'A 2014-01-01 2015-03-10 2', 'A 2014-02-01 2015-03-03 5'),
    });
    const store = await openStore(path);
    const read: (string | undefined)[] = [];
    const service = createService({
      store: {
        ...store,
        observations(query) {
          read.push(query.asOf);
          return store.observations(query);
        },
      },
      // Room for one page of two rows.
      pages: createPageMemory(3),
    });
    // The vintages: none, then that of 3 March, then that of 10 March, and back.
    const asked = ['01', '02', '01', '03', '09', '05', '10', '28', '11', '04', '03'].map(
      (day) => `2015-03-${day}`,
    );
    for (const day of asked) {
      const answer = await replyTo(service, [
        ['id', 'A'],
        ['as_of', day],
      ]);
      expect(answer.as_of).toBe(day);
    }
    expect(read.map((day) => day?.slice(8))).toEqual(['01', '02', '03', '09', '10', '28', '04']);
    await store.close();
  });
});
